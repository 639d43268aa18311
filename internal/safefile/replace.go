// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replace puts new content in the place of a file: a temporary file in the same
// directory gets the content, mode and owner, goes to the disk, and takes the
// file's name. old is nil for a new file. The temporary file does not outlive
// the call. The caller holds the directory's lock, and flushes the directory.
func replace(ctx context.Context, target string, old fs.FileInfo, content []byte, mode fs.FileMode) error {
	name := tempName(target)
	if err := os.Remove(name); err != nil && !missing(err) { // of a process that was killed
		return err
	}
	tmp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	renamed := false
	defer func() {
		if !renamed {
			_ = tmp.Close() // it may be closed already, and is of no worth any more
			_ = os.Remove(name)
		}
	}()
	if err := fill(tmp, old, content, mode); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Rename(name, target); err != nil {
		return err
	}
	renamed = true
	return nil
}

// fill writes a temporary file to the disk.
func fill(tmp *os.File, old fs.FileInfo, content []byte, mode fs.FileMode) error {
	if _, err := tmp.Write(content); err != nil {
		return err
	}
	if old != nil {
		mode = old.Mode().Perm()
		copyOwner(tmp, old)
	}
	if err := tmp.Chmod(mode); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	return tmp.Close()
}

// tempName returns the name of a file's temporary file. It is always the same:
// under the lock there is only one writer, and what a killed process left is
// found and not added to.
func tempName(target string) string {
	dir, name := filepath.Split(target)
	const suffix, most = ".cidrplan-tmp", 200
	if len(name) > most { // names have at most 255 bytes
		sum := sha256.Sum256([]byte(name))
		name = fmt.Sprintf("%s-%x", name[:most], sum[:8])
	}
	return filepath.Join(dir, "."+name+suffix)
}
