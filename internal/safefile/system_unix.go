// SPDX-License-Identifier: MPL-2.0

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// openLock opens what carries the lock of a directory: the directory itself.
func openLock(dir string) (*os.File, error) { return os.Open(dir) }

// tryLock takes a lock if nobody holds it.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// waitLock waits for a lock.
func waitLock(f *os.File) error { return flock(f, unix.LOCK_EX) }

// flock locks an open file. Each opening counts as a holder of its own, so that
// it works within a process too, which fcntl's locks do not.
func flock(f *os.File, how int) error {
	err := unix.Flock(int(f.Fd()), how)
	for err == unix.EINTR {
		err = unix.Flock(int(f.Fd()), how)
	}
	// NFS cannot lock what is not open for writing, such as a directory.
	if slices.Contains([]error{unix.EBADF, unix.EINVAL, unix.ENOLCK, unix.ENOSYS, unix.ENOTSUP, unix.EOPNOTSUPP}, err) {
		return errNoLocks
	}
	return err
}

// syncDir makes names in a directory durable. Some file systems cannot, and
// need not.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err = f.Sync(); errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// copyOwner gives a file the owner and group of another, as far as the system
// lets this user.
func copyOwner(f *os.File, old fs.FileInfo) {
	stat, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if err := f.Chown(int(stat.Uid), int(stat.Gid)); err != nil {
		_ = f.Chown(-1, int(stat.Gid)) // a group of one's own can still be given
	}
}

// writableDir reports why files cannot be created in a directory.
func writableDir(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// writableFile reports why this user may not write a file. To replace it, the
// system asks for the right to write its directory only.
func writableFile(path string) error { return unix.Access(path, unix.W_OK) }
