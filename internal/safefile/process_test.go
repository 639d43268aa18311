// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The test binary runs itself as the other processes. The variable tells it to
// be one, and which.
const roleVariable = "SAFEFILE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role, argument, _ := strings.Cut(os.Getenv(roleVariable), " "); role {
	case "":
		os.Exit(m.Run())
	case "count":
		os.Exit(countUp(argument))
	case "rewrite":
		os.Exit(rewrite(argument))
	case "sealed":
		os.Exit(refusedIn(argument))
	}
	os.Exit(2)
}

func process(t *testing.T, role string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

const (
	processes = 6
	turns     = 40
)

// countUp adds one to the counter on line n of a file, again and again.
func countUp(argument string) int {
	number, path, _ := strings.Cut(argument, " ")
	n, err := strconv.Atoi(number)
	for i := 0; i < turns && err == nil; i++ {
		_, err = Update(context.Background(), path, Options{}, func(current []byte, _ bool) ([]byte, error) {
			lines := strings.Split(string(current), "\n")
			count, err := strconv.Atoi(lines[n])
			lines[n] = strconv.Itoa(count + 1)
			return []byte(strings.Join(lines, "\n")), err
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestProcessesLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counters")
	write(t, path, strings.TrimSuffix(strings.Repeat("0\n", processes), "\n"), 0o644)
	var all []*exec.Cmd
	for n := range processes {
		cmd := process(t, fmt.Sprintf("count %d %s", n, path))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	wantContent(t, path, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%d\n", turns), processes), "\n"))
}

// versions are two contents that a reader could not take for each other, large
// enough to be written in several pieces.
var versions = [2][]byte{bytes.Repeat([]byte("old content\n"), 1<<15), bytes.Repeat([]byte("new one\n"), 1<<16)}

// rewrite replaces a file for ever, by one version and the other, and reports
// each turn.
func rewrite(path string) int {
	for i := 0; ; i++ {
		fmt.Println(i)
		if _, err := Update(context.Background(), path, Options{}, to(string(versions[i%2]))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
}

// TestKilledProcess kills a writer at different moments of its turn.
func TestKilledProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.yaml")
	write(t, path, string(versions[0]), 0o644)
	for round := range 12 {
		cmd := process(t, "rewrite "+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		reports := bufio.NewScanner(out)
		for range 1 + round%4 {
			if !reports.Scan() {
				t.Fatal("the writer stopped by itself")
			}
		}
		for range round * 200_000 { // let it come a little further
			_ = round
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the writer was not killed")
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, versions[0]) && !bytes.Equal(got, versions[1]) {
			t.Errorf("round %d: the file is neither version but %d bytes", round, len(got))
		}
	}
	if _, err := Update(t.Context(), path, Options{}, to("whole")); err != nil { // the lock died with its holder
		t.Fatal(err)
	}
	wantContent(t, path, "whole")
}
