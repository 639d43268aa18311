// SPDX-License-Identifier: MPL-2.0

// Package repository reads the facts of the files of a repository: of all that a
// consumer's reader knows, each with its file, line and key path.
package repository

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
)

// largestFile is what is read of a file at most: what is larger is data.
const largestFile = 8 << 20

// Reader reads the facts of one consumer's files.
type Reader struct {
	Consumer string
	Read     func([]byte) ([]artifact.Fact, error)
}

// Facts is what the files of a repository say.
type Facts struct {
	List []Fact
	// Unset are variables of Flux that are used and set nowhere.
	Unset []Unset
	Files []string // what was read
}

// Fact is a fact with the consumer whose file it is.
type Fact struct {
	artifact.Fact

	Consumer string
}

// Unset is a variable that no ConfigMap of the files sets.
type Unset struct {
	Name string
	artifact.Place
}

// Read reads the files that match the globs, ** among them. It fails with all globs
// that are wrong or match nothing.
func Read(globs []string, readers []Reader) (*Facts, error) {
	files, err := matching(globs)
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	var errs []error
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(content) <= largestFile && !bytes.ContainsRune(content[:min(len(content), 8000)], 0) {
			contents[file] = content
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return FactsOf(files, contents, readers), nil
}

// FactsOf reads contents by file, in the order of files.
func FactsOf(files []string, contents map[string][]byte, readers []Reader) *Facts {
	variables := variablesOf(files, contents)
	out := &Facts{Files: files}
	for _, file := range files {
		src, ok := contents[file]
		if !ok {
			continue
		}
		text, unset := variables.substitute(src)
		for _, u := range unset {
			u.File = file
			out.Unset = append(out.Unset, u)
		}
		for _, r := range readers {
			facts, err := r.Read(text)
			if err != nil {
				continue // no YAML: no file of this consumer's
			}
			for _, f := range facts {
				f.File = file
				out.List = append(out.List, Fact{f, r.Consumer})
			}
		}
	}
	return out
}

func matching(globs []string) ([]string, error) {
	var out []string
	var errs []error
	for _, glob := range globs {
		found, err := doublestar.FilepathGlob(glob, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
		if err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", glob, err))
		} else if len(found) == 0 {
			errs = append(errs, fmt.Errorf("%q matches no file", glob))
		}
		for _, file := range found {
			out = append(out, filepath.ToSlash(file))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), errors.Join(errs...)
}
