// SPDX-License-Identifier: MPL-2.0

// Package safefile reads and replaces files that other programs, other
// processes of this one, and people use at the same time.
//
// A file is replaced as a whole: readers see the old content or the new one,
// also after a crash. Writers take turns through a lock that works across
// processes, and each reads the file again under it, so that none overwrites
// what another has just written. Content that does not change is not written.
//
// # What is kept
//
// The mode, and where the system permits it the owner, are those of the file
// before; access lists and extended attributes are not copied. A symbolic link
// stays one: its target is replaced. Other hard links to the file keep the old
// content, which is what replacing a file means.
package safefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// An Outcome tells what [Update] did.
type Outcome uint8

const (
	// Unchanged: the file has the wanted content already; it was not touched.
	Unchanged Outcome = iota
	// Created: the file was not there.
	Created
	// Replaced: the file had another content.
	Replaced
)

// String returns the outcome's name.
func (o Outcome) String() string {
	return [...]string{"unchanged", "created", "replaced"}[o]
}

// Options are the circumstances of an update. The zero value is the usual one.
type Options struct {
	// Mode is that of a new file; 0 means 0644. A file that is there keeps its
	// own.
	Mode fs.FileMode
}

func (o Options) mode() fs.FileMode {
	if o.Mode == 0 {
		return 0o644
	}
	return o.Mode.Perm()
}

// Read returns the content of a file. exists is false, and err nil, if nothing
// is there; a symbolic link to nothing is an error.
func Read(path string) (content []byte, exists bool, err error) {
	target, err := resolve(path)
	if err != nil {
		return nil, false, err
	}
	content, err = os.ReadFile(target)
	if missing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, described(path, err)
	}
	return content, true, nil
}

// Update replaces the content of a file by what edit makes of it. While edit
// runs, no other Update of a file in the same directory does, in any process;
// edit must therefore not update another file. It gets the content that is
// there at that time, and must not change it in place. If it returns an error,
// or ctx ends before the file is replaced, nothing is written. Parent
// directories that are missing are created with mode 0755.
//
// A file that its mode forbids to write is refused, even to a superuser: the
// mode is a person's statement.
func Update(ctx context.Context, path string, opt Options, edit func(current []byte, exists bool) (next []byte, err error)) (Outcome, error) {
	target, err := resolve(path)
	if err != nil {
		return Unchanged, err
	}
	dir := filepath.Dir(target)
	unlock, err := lockForWriting(ctx, path, dir)
	if err != nil {
		return Unchanged, err
	}
	defer unlock()
	outcome, err := update(ctx, path, target, opt, edit)
	if outcome != Unchanged {
		err = errors.Join(err, described(path, syncDir(dir)))
	}
	return outcome, err
}

// lockForWriting creates a directory, if need be, and locks it.
func lockForWriting(ctx context.Context, path, dir string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: not written: %w", path, err)
	}
	if err := makeDirs(dir); err != nil {
		return nil, described(path, err)
	}
	unlock, err = lockDir(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: waiting for other writers in its directory: %w", path, err)
	}
	return unlock, nil
}

// update is [Update] under the lock of the directory, which it leaves to the
// caller to flush unless the outcome is Unchanged.
func update(ctx context.Context, path, target string, opt Options, edit func([]byte, bool) ([]byte, error)) (Outcome, error) {
	current, exists, err := Read(target)
	if err != nil {
		return Unchanged, err
	}
	next, err := edit(current, exists)
	if err != nil {
		return Unchanged, err
	}
	if exists && bytes.Equal(current, next) {
		return Unchanged, nil
	}
	old, err := os.Stat(target)
	switch {
	case missing(err):
		old = nil
	case err != nil:
		return Unchanged, described(path, err)
	default:
		if err := writable(target, old); err != nil {
			return Unchanged, described(path, err)
		}
	}
	if err := replace(ctx, target, old, next, opt.mode()); err != nil {
		return Unchanged, described(path, err)
	}
	if !exists {
		return Created, nil
	}
	return Replaced, nil
}

// Remove removes a file, under the same lock as [Update], if check agrees with
// its content. A file that is not there is no error. Of a symbolic link, the
// target and the link are removed.
func Remove(ctx context.Context, path string, check func(current []byte) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(target)
	if _, err := os.Stat(dir); missing(err) {
		return nil
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return fmt.Errorf("%s: waiting for other writers in its directory: %w", path, err)
	}
	defer unlock()
	current, exists, err := Read(target)
	if err != nil || !exists {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return described(path, err)
	}
	if err := writable(target, info); err != nil {
		return described(path, err)
	}
	if err := check(current); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: not removed: %w", path, err)
	}
	return remove(path, target)
}

// remove removes a file and, if it was named by a link, the link.
func remove(path, target string) error {
	err := os.Remove(target)
	if info, linkErr := os.Lstat(path); err == nil && linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = os.Remove(path)
	}
	if err != nil && !missing(err) {
		return described(path, err)
	}
	return syncDir(filepath.Dir(target))
}

// missing reports whether an error means that nothing is there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// described returns an error of the system as a person would say it.
func described(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: not written: %w", path, err)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: something above it is a file and no directory: %w", path, err)
	case errors.Is(err, errReadOnly):
		return fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: the system does not permit this; check the owner and the mode of the file and of its directory: %w", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
