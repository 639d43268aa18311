// SPDX-License-Identifier: MPL-2.0

// Package artifact says what a consumer of the plan wants to read: which fields
// of which document, or which file as a whole. A consumer is one package below
// this one and one line in the provider's table; its resource, its data source
// and their documentation follow from that.
//
// Everything here is pure: a plan and options go in, fields come out.
package artifact

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// OptionType is the type of an option.
type OptionType uint8

// The types of options, with the Go type of their value in [Options].
const (
	String     OptionType = iota // string
	Bool                         // bool
	StringList                   // []string
)

// Option is one setting of a consumer. Schema, validation and documentation are
// made from it.
type Option struct {
	Name        string
	Type        OptionType
	Required    bool
	Default     string   // of a String option that is not given; empty for none
	Allowed     []string // of a String option; nil for any text
	Description string   // Markdown: what it is, its default and its effect
}

// Options are the settings that were given, by name. What was not given and has
// no default is absent.
type Options map[string]any

// Text returns a String option, or "".
func (o Options) Text(name string) string {
	text, _ := o[name].(string)
	return text
}

// Flag returns a Bool option, and whether it was given.
func (o Options) Flag(name string) (value, given bool) {
	value, given = o[name].(bool)
	return value, given
}

// List returns a StringList option, or nil.
func (o Options) List(name string) []string {
	list, _ := o[name].([]string)
	return list
}

// Consumer is something that reads facts of the plan from a file.
type Consumer struct {
	// Name is the Terraform type without the provider's prefix.
	Name string
	// Purpose is the first paragraph of the documentation, in Markdown.
	Purpose string
	// Fragment says what the content of the data source is, in Markdown.
	Fragment string
	Options  []Option
	// Whole consumers own their file; the others own fields of somebody's file.
	Whole bool
	// Guards says that Render may return guarded fields.
	Guards bool
	// Documents are the documents that Result selects by itself, in any variant.
	Documents []yamledit.Selector
	// Render turns the plan into what the consumer reads. Problems are on the
	// names of options, or on "plan".
	Render func(*plan.Plan, Options) (Result, site.Problems)
}

// Result is what a consumer reads.
type Result struct {
	// Document selects the document that the fields stand in, unless the user
	// selects another one.
	Document yamledit.Selector
	// Head is what a new document starts with: apiVersion, kind, metadata.
	Head yamledit.Map
	// Fields are owned fields, in the order in which a new document has them. A
	// nil value means that the field must be absent.
	Fields []yamledit.Field
	// Hollow are mappings that are taken out when the removal of owned fields
	// leaves them empty.
	Hollow []yamledit.Path
	// Guarded are fields whose change on a live cluster needs a migration.
	Guarded []yamledit.Path
	// Root is where the fragment of the data source starts; what stands above it
	// belongs to the object around it. Empty for the document as a whole.
	Root yamledit.Path
	// Documents are the content of a file that is owned whole.
	Documents []yamledit.Map
}

// Present returns the fields that must stand in the document.
func (r Result) Present() []yamledit.Field {
	var out []yamledit.Field
	for _, f := range r.Fields {
		if f.Value != nil {
			out = append(out, f)
		}
	}
	return out
}

// NewDocument returns the document that is created where there is none.
func (r Result) NewDocument() []byte {
	doc := clone(r.Head)
	for _, f := range r.Present() {
		doc = insert(doc, f.Path, f.Value)
	}
	return yamledit.Encode(doc)
}

// FragmentText returns what the consumer merges: the fields below the root, or
// the whole content.
func (r Result) FragmentText() []byte {
	if len(r.Documents) > 0 {
		return Join(r.Documents)
	}
	if len(r.Root) == 0 {
		return r.NewDocument()
	}
	var doc yamledit.Map
	for _, f := range r.Present() {
		doc = insert(doc, f.Path[len(r.Root):], f.Value)
	}
	return yamledit.Encode(doc)
}

// Join encodes documents one after the other.
func Join(documents []yamledit.Map) []byte {
	var out []byte
	for i, doc := range documents {
		if i > 0 {
			out = append(out, "---\n"...)
		}
		out = append(out, yamledit.Encode(doc)...)
	}
	return out
}

// clone copies a mapping with the mappings in it, so that inserting changes no
// other document.
func clone(m yamledit.Map) yamledit.Map {
	out := make(yamledit.Map, len(m))
	for i, entry := range m {
		if inner, ok := entry.Value.(yamledit.Map); ok {
			entry.Value = clone(inner)
		}
		out[i] = entry
	}
	return out
}

// insert sets a value at a path of keys, creating the mappings on the way.
func insert(m yamledit.Map, path yamledit.Path, value any) yamledit.Map {
	key := path[0].Key
	if len(path) == 1 {
		m.Set(key, value)
		return m
	}
	var inner yamledit.Map
	for _, entry := range m {
		if entry.Key == key {
			inner, _ = entry.Value.(yamledit.Map)
		}
	}
	m.Set(key, insert(inner, path[1:], value))
	return m
}
