// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

var errReadOnly = errors.New("its mode forbids writing")

// maxLinks bounds a chain of symbolic links; a longer one is a circle. It is
// what Linux follows.
const maxLinks = 40

// resolve follows symbolic links at the end of a path to the file that is to be
// replaced. The result does not exist if path does not. Links above the last
// element are the system's business.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	target := filepath.Clean(path)
	for range maxLinks {
		info, err := os.Lstat(target)
		if missing(err) {
			if target != filepath.Clean(path) {
				return "", fmt.Errorf("%s: the symbolic link leads to %s, which is not there", path, target)
			}
			return target, nil
		}
		if err != nil {
			return "", described(path, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return target, regular(path, info)
		}
		link, err := os.Readlink(target)
		if err != nil {
			return "", described(path, err)
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(realDir(target), link)
		}
		target = filepath.Clean(link)
	}
	return "", fmt.Errorf("%s: the symbolic link leads in a circle", path)
}

// realDir returns the directory of a path without links: a relative link counts
// from where it really stands.
func realDir(path string) string {
	dir := filepath.Dir(path)
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		return target
	}
	return dir
}

// regular refuses what cannot be replaced by a file.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s: a directory stands there", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: this is no regular file but %s", path, info.Mode().Type())
	}
	return nil
}

// writable refuses a file that its mode forbids to write, to anybody or to this
// user.
func writable(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("the file has mode %#o: %w; make it writable (chmod u+w) if it is to be managed", info.Mode().Perm(), errReadOnly)
	}
	return writableFile(path)
}

// Check reports why [Update] could not write a file, as far as that can be told
// beforehand: the path is a directory, a link leads nowhere, the file or its
// directory is read-only. It changes nothing. A directory that is missing is no
// error: it would be created.
func Check(path string) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err == nil {
		if err := writable(target, info); err != nil {
			return described(path, err)
		}
	}
	dir := filepath.Dir(target)
	for {
		info, err := os.Stat(dir)
		switch {
		case missing(err):
			if parent := filepath.Dir(dir); parent != dir {
				dir = parent
				continue
			}
			return described(path, err)
		case err != nil:
			return described(path, err)
		case !info.IsDir():
			return fmt.Errorf("%s: %s is a file and no directory", path, dir)
		}
		if err := writableDir(dir); err != nil {
			return fmt.Errorf("%s: files cannot be created in %s: %w", path, dir, err)
		}
		return nil
	}
}

// makeDirs creates a directory and those above it, so that they survive a
// crash.
func makeDirs(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDirs(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(dir))
}
