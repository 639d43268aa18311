// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"errors"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Target is the document of a file that holds the owned fields.
type Target struct {
	Document yamledit.Selector
	Create   bool // whether a missing document is created
}

// Observe returns what stands in the owned fields, key path to canonical JSON;
// an absent field has no entry. A document that is missing has none at all.
func (r Result) Observe(src []byte, t Target) (map[string]string, error) {
	paths := make([]yamledit.Path, len(r.Fields))
	for i, f := range r.Fields {
		paths[i] = f.Path
	}
	out := map[string]string{}
	values, err := yamledit.Get(src, t.Document, paths...)
	if errors.Is(err, yamledit.ErrNoDocument) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v.Found {
			out[paths[i].String()] = v.JSON
		}
	}
	return out, nil
}

// Desired returns what must stand in the owned fields, key path to canonical JSON.
func (r Result) Desired() (map[string]string, error) {
	out := map[string]string{}
	for _, f := range r.Present() {
		text, err := yamledit.JSON(f.Value)
		if err != nil {
			return nil, err
		}
		out[f.Path.String()] = text
	}
	return out, nil
}

// Apply returns the text with the owned fields as they must be and every other
// byte as it was.
func (r Result) Apply(src []byte, t Target) ([]byte, error) {
	edit := yamledit.Edit{Document: t.Document, Fields: r.Fields}
	if t.Create {
		edit.Create = r.named(t.Document).NewDocument()
	}
	next, err := yamledit.Apply(src, edit)
	if err != nil {
		return nil, err
	}
	return r.takeOutHollow(src, next, t.Document)
}

// named returns the result with a head that matches the selector, so that the
// document that is created is the one that was asked for.
func (r Result) named(s yamledit.Selector) Result {
	if len(r.Head) == 0 {
		return r
	}
	r.Head = clone(r.Head)
	for _, set := range []struct {
		value string
		path  yamledit.Path
	}{
		{s.APIVersion, yamledit.Keys("apiVersion")},
		{s.Kind, yamledit.Keys("kind")},
		{s.Name, yamledit.Keys("metadata", "name")},
		{s.Namespace, yamledit.Keys("metadata", "namespace")},
	} {
		if set.value != "" {
			r.Head = insert(r.Head, set.path, set.value)
		}
	}
	return r
}

// NewDocumentFor returns the document that is created for a selector.
func (r Result) NewDocumentFor(s yamledit.Selector) []byte { return r.named(s).NewDocument() }

// hollow reports whether a value holds nothing: an empty mapping, or a text that is
// one, as an embedded text becomes without its fields.
func hollow(json string) bool { return json == "{}" || json == `"{}"` || json == `"{}\n"` }

// takeOutHollow removes mappings that lost their last member by the edit, in the
// order given. One that was empty before is somebody's statement and stays.
func (r Result) takeOutHollow(before, after []byte, s yamledit.Selector) ([]byte, error) {
	for _, path := range r.Hollow {
		now, err := yamledit.Get(after, s, path)
		if err != nil {
			return nil, err
		}
		if !now[0].Found || !hollow(now[0].JSON) {
			continue
		}
		was, err := yamledit.Get(before, s, path)
		if err != nil || !was[0].Found || hollow(was[0].JSON) {
			continue
		}
		if after, err = yamledit.Apply(after, yamledit.Edit{Document: s, Fields: []yamledit.Field{{Path: path}}}); err != nil {
			return nil, err
		}
	}
	return after, nil
}
