// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// to returns an edit that makes the content what it says.
func to(content string) func([]byte, bool) ([]byte, error) {
	return func([]byte, bool) ([]byte, error) { return []byte(content), nil }
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// wantContent checks a file, and that its directory holds no temporary file.
func wantContent(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
	wantTidy(t, filepath.Dir(path))
}

func wantTidy(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), "cidrplan-tmp") {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

func TestUpdateOutcome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	for _, step := range []struct {
		content string
		want    Outcome
	}{
		{"a: 1\n", Created}, {"a: 1\n", Unchanged}, {"a: 2\n", Replaced}, {"", Replaced}, {"", Unchanged},
	} {
		got, err := Update(t.Context(), path, Options{}, to(step.content))
		if err != nil || got != step.want {
			t.Errorf("Update to %q = %v, %v; want %v", step.content, got, err, step.want)
		}
		wantContent(t, path, step.content)
	}
}

func TestUpdateSeesCurrentContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	_, err := Update(t.Context(), path, Options{}, func(current []byte, exists bool) ([]byte, error) {
		if exists || current != nil {
			t.Errorf("edit got %q, %v for a missing file", current, exists)
		}
		return []byte("a"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Update(t.Context(), path, Options{}, func(current []byte, exists bool) ([]byte, error) {
		return append(current, 'b'), nil
	}); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "ab")
}

func TestUnchangedIsNotTouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	write(t, path, "a: 1\n", 0o444) // even a read-only file, since nothing is written
	long := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Update(t.Context(), path, Options{}, to("a: 1\n")); got != Unchanged || err != nil {
		t.Fatalf("Update = %v, %v", got, err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !after.ModTime().Equal(long) || !os.SameFile(before, after) {
		t.Errorf("an unchanged file was written: %v, same file %v", after.ModTime(), os.SameFile(before, after))
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes there are one bit
	}
	dir := t.TempDir()
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o664, 0o755, 0o666} {
		path := filepath.Join(dir, mode.String())
		write(t, path, "old", mode)
		if _, err := Update(t.Context(), path, Options{Mode: 0o611}, to("new")); err != nil {
			t.Fatal(err)
		}
		wantMode(t, path, mode)
	}
	path := filepath.Join(dir, "new")
	if _, err := Update(t.Context(), path, Options{}, to("new")); err != nil {
		t.Fatal(err)
	}
	wantMode(t, path, 0o644)
	path = filepath.Join(dir, "private")
	if _, err := Update(t.Context(), path, Options{Mode: 0o600}, to("new")); err != nil {
		t.Fatal(err)
	}
	wantMode(t, path, 0o600)
	path = filepath.Join(dir, "a", "b", "c")
	if _, err := Update(t.Context(), path, Options{}, to("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "a"))
	if err != nil || info.Mode().Perm()&0o700 != 0o700 {
		t.Errorf("a new directory has mode %v, %v", info.Mode(), err)
	}
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %v, want %v", filepath.Base(path), got, want)
	}
}

func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "real", "values.yaml")
	write(t, target, "old", 0o640)
	links := map[string]string{ // name to what it says
		"absolute":   target,
		"relative":   filepath.Join("real", "values.yaml"),
		"chain":      "relative",
		"up/and/out": filepath.Join("..", "..", "real", "values.yaml"),
	}
	for name, says := range links {
		link := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(says, link); err != nil {
			t.Fatal(err)
		}
	}
	for name, says := range links {
		link := filepath.Join(dir, filepath.FromSlash(name))
		if got, err := Update(t.Context(), link, Options{}, to(name)); got != Replaced || err != nil {
			t.Fatalf("%s: Update = %v, %v", name, got, err)
		}
		wantContent(t, target, name)
		if got, err := os.Readlink(link); got != says || err != nil {
			t.Errorf("%s is %q, %v; want the link as it was", name, got, err)
		}
		if content, exists, err := Read(link); string(content) != name || !exists || err != nil {
			t.Errorf("Read(%s) = %q, %v, %v", name, content, exists, err)
		}
	}
}

// TestRefused holds for Update, for Check at plan time, and leaves all as it is.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x", 0o644)
	write(t, filepath.Join(dir, "readonly"), "x", 0o444)
	if err := os.Mkdir(filepath.Join(dir, "directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, says := range map[string]string{"dangling": "nowhere", "circle": "circle2", "circle2": "circle", "to-directory": "directory", "to-readonly": "readonly"} {
		if err := os.Symlink(says, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ path, phrase string }{
		{"directory", "a directory stands there"},
		{"to-directory", "a directory stands there"},
		{"readonly", "forbids writing"},
		{"to-readonly", "forbids writing"},
		{"dangling", "nowhere, which is not there"},
		{"circle", "leads in a circle"},
		{"file/below", "a file and no directory"},
		{"file/far/below", "a file and no directory"},
	}
	for _, tt := range tests {
		path := filepath.Join(dir, filepath.FromSlash(tt.path))
		got, err := Update(t.Context(), path, Options{}, to("y"))
		if err == nil || !strings.Contains(err.Error(), tt.phrase) || !strings.HasPrefix(err.Error(), path) || got != Unchanged {
			t.Errorf("Update(%s) = %v, %v; want an error with %q", tt.path, got, err, tt.phrase)
		}
		if err := Check(path); err == nil || !strings.Contains(err.Error(), tt.phrase) {
			t.Errorf("Check(%s) = %v; want an error with %q", tt.path, err, tt.phrase)
		}
	}
	wantContent(t, filepath.Join(dir, "readonly"), "x")
	if _, err := Update(t.Context(), "", Options{}, to("y")); err == nil {
		t.Error("an empty path was accepted")
	}
}

func TestCheckAccepts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x", 0o600)
	for _, name := range []string{"file", "new", "not/yet/there"} {
		if err := Check(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Errorf("Check(%s) = %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "not")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("Check created a directory")
	}
}

func TestEditFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	write(t, path, "old", 0o644)
	wrong := errors.New("the field is not there")
	if _, err := Update(t.Context(), path, Options{}, func([]byte, bool) ([]byte, error) { return []byte("new"), wrong }); !errors.Is(err, wrong) {
		t.Errorf("Update = %v, want the error of edit", err)
	}
	wantContent(t, path, "old")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not come through")
			}
		}()
		_, _ = Update(t.Context(), path, Options{}, func([]byte, bool) ([]byte, error) { panic("edit") })
	}()
	wantContent(t, path, "old")
	if _, err := Update(t.Context(), path, Options{}, to("new")); err != nil { // the lock is free again
		t.Error(err)
	}
}

func TestCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	write(t, path, "old", 0o644)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Update(ctx, path, Options{}, func([]byte, bool) ([]byte, error) {
		cancel() // while edit runs
		return []byte("new"), nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update = %v, want that it was cancelled", err)
	}
	wantContent(t, path, "old")
	if _, err := Update(ctx, filepath.Join(filepath.Dir(path), "a", "b"), Options{}, to("new")); !errors.Is(err, context.Canceled) {
		t.Errorf("Update = %v, want that it was cancelled", err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a directory was created after the end")
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Update(t.Context(), path, Options{}, func([]byte, bool) ([]byte, error) {
		waiting := make(chan error)
		go func() {
			_, err := Update(ctx, path, Options{}, to("second"))
			waiting <- err
		}()
		cancel()
		if err := <-waiting; !errors.Is(err, context.Canceled) {
			t.Errorf("the one that waits = %v, want that it was cancelled", err)
		}
		return []byte("first"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "first")
	if _, err := Update(t.Context(), path, Options{}, to("third")); err != nil {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "values.yaml"), filepath.Join(dir, "link")
	write(t, path, "old", 0o644)
	wrong := errors.New("somebody changed it")
	if err := Remove(t.Context(), path, func([]byte) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("Remove = %v, want the error of check", err)
	}
	wantContent(t, path, "old")
	if err := os.Symlink("values.yaml", link); err != nil {
		t.Fatal(err)
	}
	saw := ""
	agree := func(current []byte) error { saw = string(current); return nil }
	if err := Remove(t.Context(), link, agree); err != nil || saw != "old" {
		t.Errorf("Remove = %v, check saw %q", err, saw)
	}
	for _, p := range []string{path, link} {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there", p)
		}
	}
	never := func([]byte) error { return errors.New("check ran") }
	for _, p := range []string{path, filepath.Join(dir, "no", "such")} {
		if err := Remove(t.Context(), p, never); err != nil {
			t.Errorf("Remove(%s) = %v, want nothing for what is not there", p, err)
		}
	}
	write(t, path, "old", 0o444)
	if err := Remove(t.Context(), path, agree); !errors.Is(err, errReadOnly) {
		t.Errorf("Remove = %v, want that its mode forbids it", err)
	}
}

func TestReadMissing(t *testing.T) {
	for _, path := range []string{"none", "none/below"} {
		content, exists, err := Read(filepath.Join(t.TempDir(), filepath.FromSlash(path)))
		if content != nil || exists || err != nil {
			t.Errorf("Read(%s) = %q, %v, %v", path, content, exists, err)
		}
	}
}

func TestStaleTemporaryFile(t *testing.T) {
	for _, name := range []string{"values.yaml", strings.Repeat("n", 255)} {
		path := filepath.Join(t.TempDir(), name)
		write(t, tempName(path), "of a process that was killed", 0o400)
		if _, err := Update(t.Context(), path, Options{}, to("new")); err != nil {
			t.Fatal(err)
		}
		wantContent(t, path, "new")
	}
}
