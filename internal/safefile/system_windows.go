// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openLock opens what carries the lock of a directory: a file elsewhere, since
// a directory cannot be locked.
func openLock(dir string) (*os.File, error) { return openLockFile(dir) }

// tryLock takes a lock if nobody holds it.
func tryLock(f *os.File) (bool, error) {
	err := lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// waitLock waits for a lock.
func waitLock(f *os.File) error { return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

func lockFile(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}

// syncDir does nothing: the system has no such call, and its file systems keep
// a journal of names.
func syncDir(string) error { return nil }

// copyOwner does nothing: a new file takes the access rules of its directory.
func copyOwner(*os.File, fs.FileInfo) {}

// writableDir knows no reason: access rules say more than a mode does, and only
// the system can tell what they mean.
func writableDir(string) error { return nil }

// writableFile knows no reason beyond the read-only attribute, which the mode
// shows.
func writableFile(string) error { return nil }
