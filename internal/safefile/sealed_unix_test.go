// SPDX-License-Identifier: MPL-2.0

//go:build unix

package safefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnlyDirectory works as an ordinary user: the system lets a superuser
// write anywhere, so that a process of its own gives the privilege up first.
func TestReadOnlyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sealed")
	write(t, filepath.Join(dir, "file"), "x", 0o644)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	for at := dir; at != filepath.Dir(os.TempDir()) && at != "/"; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && info.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(at, info.Mode().Perm()|0o111); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out, err := process(t, "sealed "+dir).Output(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	wantContent(t, filepath.Join(dir, "file"), "x")
}

// refusedIn reports what is not refused in a directory that is read-only.
func refusedIn(dir string) int {
	if os.Geteuid() == 0 {
		const nobody = 65534
		if err := errors.Join(syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	wrong := 0
	for _, name := range []string{"file", "new", "new/below"} {
		path := filepath.Join(dir, name)
		err := Check(path)
		if err == nil || !strings.Contains(err.Error(), "cannot be created in") && !errors.Is(err, fs.ErrPermission) {
			fmt.Printf("Check(%s) = %v\n", name, err)
			wrong = 1
		}
		if _, err := Update(context.Background(), path, Options{}, to("y")); !errors.Is(err, fs.ErrPermission) {
			fmt.Printf("Update(%s) = %v\n", name, err)
			wrong = 1
		}
	}
	return wrong
}
