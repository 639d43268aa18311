// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// lockDir waits until no other process, and nobody in this one, holds the lock
// of a directory, and takes it. The system releases it when a process dies.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	err = lock(ctx, f)
	if errors.Is(err, errNoLocks) {
		if f, err = openLockFile(dir); err != nil {
			return nil, err
		}
		err = lock(ctx, f)
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil // closing releases the lock
}

// errNoLocks tells that the file system has no locks for directories.
var errNoLocks = errors.New("the file system has no locks")

// lock takes the lock of an open file, or closes the file. If the lock is held
// elsewhere when ctx ends, the wait goes on in the background, since the
// system's call cannot be called off.
func lock(ctx context.Context, f *os.File) error {
	locked, err := tryLock(f)
	if locked {
		return nil
	}
	if err == nil {
		done := make(chan error, 1)
		go func() { done <- waitLock(f) }()
		select {
		case err = <-done:
		case <-ctx.Done():
			go func() {
				_ = errors.Join(<-done, f.Close()) // whoever waited is gone, and nothing was written
			}()
			return ctx.Err()
		}
	}
	if err != nil {
		_ = f.Close() // nothing was written
	}
	return err
}

// openLockFile opens a file that stands for a directory, outside of it, so that
// nothing is left beside the user's files. It is empty and stays: to remove it
// would let two processes lock two files of one name.
func openLockFile(dir string) (*os.File, error) {
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if target, err = filepath.Abs(target); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(target))
	name := filepath.Join(os.TempDir(), fmt.Sprintf("cidrplan-%x.lock", sum[:12]))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, os.ErrPermission) { // another user's, which can be locked all the same
		f, err = os.Open(name)
	}
	return f, err
}
