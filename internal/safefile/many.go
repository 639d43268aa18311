// SPDX-License-Identifier: MPL-2.0

package safefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// A Job is one file of [UpdateAll].
type Job struct {
	Path    string
	Options Options
	Edit    func(current []byte, exists bool) (next []byte, err error)
}

// atOnce is how many files are written at the same time: a disk takes several
// flushes together, and eight of them get most of what there is to get.
const atOnce = 8

// UpdateAll updates many files as [Update] does, several at once, so that the
// Edit functions run at the same time. Each file is written or left as it was;
// one that fails does not stop the others. Outcomes and joined errors are in
// the order of the jobs. The lock and the flush of a directory serve all files
// in it.
func UpdateAll(ctx context.Context, jobs []Job) ([]Outcome, error) {
	r := run{jobs: jobs, outcomes: make([]Outcome, len(jobs)), errs: make([]error, len(jobs)), slots: make(chan struct{}, atOnce)}
	var groups sync.WaitGroup
	running := make(chan struct{}, atOnce)
	for _, g := range r.group() {
		running <- struct{}{}
		groups.Go(func() {
			defer func() { <-running }()
			r.directory(ctx, g)
		})
	}
	groups.Wait()
	return r.outcomes, errors.Join(r.errs...)
}

// A run is one call of [UpdateAll]. Each worker writes the elements of its own
// jobs only.
type run struct {
	jobs     []Job
	outcomes []Outcome
	errs     []error
	slots    chan struct{} // one for each file being written
}

// A group is the jobs in one directory.
type group struct {
	dir     string
	jobs    []int
	targets []string
}

// group sorts the jobs by directory, in the order of the first job of each. The
// same directory under two names would wait for itself.
func (r *run) group() []*group {
	var groups []*group
	byDir, byTarget := map[string]*group{}, map[string]int{}
	for i, job := range r.jobs {
		target, err := resolve(job.Path)
		if err == nil {
			err = makeDirs(filepath.Dir(target))
		}
		if err != nil {
			r.errs[i] = described(job.Path, err)
			continue
		}
		dir := filepath.Dir(target)
		g := byDir[dir]
		if g == nil {
			if g = sameDir(groups, dir); g == nil {
				g = &group{dir: dir}
				groups = append(groups, g)
			}
			byDir[dir] = g
		}
		target = filepath.Join(g.dir, filepath.Base(target))
		if first, twice := byTarget[target]; twice {
			r.errs[i] = fmt.Errorf("%s: it is the same file as %s, which is written too", job.Path, r.jobs[first].Path)
			continue
		}
		byTarget[target] = i
		g.jobs, g.targets = append(g.jobs, i), append(g.targets, target)
	}
	return groups
}

// sameDir returns the group whose directory is this one under another name.
func sameDir(groups []*group, dir string) *group {
	info, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	for _, g := range groups {
		if other, err := os.Stat(g.dir); err == nil && os.SameFile(info, other) {
			return g
		}
	}
	return nil
}

// directory runs the jobs in one directory under its lock.
func (r *run) directory(ctx context.Context, g *group) {
	unlock, err := lockForWriting(ctx, g.dir, g.dir)
	if err != nil {
		for _, i := range g.jobs {
			r.errs[i] = fmt.Errorf("%s: %w", r.jobs[i].Path, err)
		}
		return
	}
	defer unlock()
	var workers sync.WaitGroup
	for n, i := range g.jobs {
		r.slots <- struct{}{}
		workers.Go(func() {
			defer func() { <-r.slots }()
			job := r.jobs[i]
			r.outcomes[i], r.errs[i] = update(ctx, job.Path, g.targets[n], job.Options, job.Edit)
		})
	}
	workers.Wait()
	r.flush(g)
}

// flush makes the new names in a directory durable.
func (r *run) flush(g *group) {
	written := -1
	for _, i := range g.jobs {
		if r.outcomes[i] != Unchanged {
			written = i
		}
	}
	if written < 0 {
		return
	}
	if err := syncDir(g.dir); err != nil {
		r.errs[written] = errors.Join(r.errs[written], described(g.dir, err))
	}
}
