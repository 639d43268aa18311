// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func jobs(dir string, n int, content string) []Job {
	all := make([]Job, n)
	for i := range all {
		all[i] = Job{Path: filepath.Join(dir, fmt.Sprintf("node-%04d.yaml", i)), Edit: to(fmt.Sprintf("%s %d\n", content, i))}
	}
	return all
}

func TestUpdateAll(t *testing.T) {
	dir := t.TempDir()
	for _, round := range []struct {
		content string
		want    Outcome
	}{{"old", Created}, {"new", Replaced}, {"new", Unchanged}} {
		got, err := UpdateAll(t.Context(), jobs(dir, 50, round.content))
		if err != nil {
			t.Fatal(err)
		}
		for i, outcome := range got {
			if outcome != round.want {
				t.Errorf("file %d of %q: %v, want %v", i, round.content, outcome, round.want)
			}
			wantContent(t, filepath.Join(dir, fmt.Sprintf("node-%04d.yaml", i)), fmt.Sprintf("%s %d\n", round.content, i))
		}
	}
	if got, err := UpdateAll(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("UpdateAll of nothing = %v, %v", got, err)
	}
}

func TestUpdateAllCollectsErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "sub", "readonly"), "x", 0o444)
	if err := os.Symlink("sub", filepath.Join(dir, "also")); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("no such field")
	all := []Job{
		{Path: filepath.Join(dir, "good"), Edit: to("1")},
		{Path: filepath.Join(dir, "sub", "readonly"), Edit: to("2")},
		{Path: filepath.Join(dir, "sub", "good"), Edit: to("3")},
		{Path: filepath.Join(dir, "bad"), Edit: func([]byte, bool) ([]byte, error) { return nil, wrong }},
		{Path: filepath.Join(dir, "also", "good"), Edit: to("4")}, // the third one, under another name
		{Path: filepath.Join(dir, "also", "other"), Edit: to("5")},
	}
	got, err := UpdateAll(t.Context(), all)
	want := []Outcome{Created, Unchanged, Created, Unchanged, Unchanged, Created}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("job %d: %v, want %v", i, got[i], want[i])
		}
	}
	text := fmt.Sprint(err)
	last := -1
	for _, phrase := range []string{"forbids writing", "no such field", "is the same file as"} {
		at := strings.Index(text, phrase)
		if at <= last {
			t.Errorf("%q is not in the errors, in the order of the jobs:\n%s", phrase, text)
		}
		last = at
	}
	wantContent(t, filepath.Join(dir, "sub", "good"), "3")
	wantContent(t, filepath.Join(dir, "sub", "other"), "5")
}

func TestUpdateAllCancelled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	all := jobs(dir, 100, "new")
	for i := range all {
		write(t, all[i].Path, "old\n", 0o644)
	}
	edit := all[40].Edit
	all[40].Edit = func(current []byte, exists bool) ([]byte, error) {
		cancel()
		return edit(current, exists)
	}
	got, err := UpdateAll(ctx, all)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("UpdateAll = %v, want that it was cancelled", err)
	}
	for i, job := range all {
		want := "old\n"
		if got[i] == Replaced {
			want = fmt.Sprintf("new %d\n", i)
		}
		wantContent(t, job.Path, want)
	}
	if got[40] != Unchanged || got[99] != Unchanged {
		t.Errorf("files were written after the end: %v %v", got[40], got[99])
	}
}

// BenchmarkThousandFiles overwrites the files of a thousand hosts, beside what
// the system needs for it at least: a temporary file, a flush and a renaming,
// eight at once.
func BenchmarkThousandFiles(b *testing.B) {
	const files = 1000
	body := strings.Repeat("    addresses: [192.0.2.10/24]\n", 42)
	b.Run("raw", func(b *testing.B) {
		dir := b.TempDir()
		for round := 0; b.Loop(); round++ {
			rawThousand(b, dir, files, []byte(fmt.Sprint(body, round)))
		}
	})
	b.Run("UpdateAll", func(b *testing.B) {
		dir := b.TempDir()
		for round := 0; b.Loop(); round++ {
			if _, err := UpdateAll(b.Context(), jobs(dir, files, fmt.Sprint(body, round))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("UpdateAll unchanged", func(b *testing.B) {
		dir := b.TempDir()
		for b.Loop() {
			if _, err := UpdateAll(b.Context(), jobs(dir, files, body)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func rawThousand(b *testing.B, dir string, files int, content []byte) {
	next := make(chan int)
	done := make(chan error, atOnce)
	for range atOnce {
		go func() {
			var failed error
			for i := range next {
				failed = errors.Join(failed, rawReplace(filepath.Join(dir, fmt.Sprintf("node-%04d.yaml", i)), content))
			}
			done <- failed
		}()
	}
	for i := range files {
		next <- i
	}
	close(next)
	for range atOnce {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}

func rawReplace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "raw")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
