// SPDX-License-Identifier: MPL-2.0

// Package artifact says what a consumer of the plan wants to read: which fields
// of which document, or which file as a whole. A consumer is one package below
// this one and one line in the provider's table; its resource, its data source
// and their documentation follow from that.
//
// Everything here is pure: a plan and options go in, fields come out.
package artifact

import (
	"maps"
	"slices"

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
	Int                          // int64
	StringMap                    // map[string]string
	AnyMap                       // map[string]any: any values by name; nil, string, bool, json.Number, []any, map[string]any
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

// Number returns an Int option, and whether it was given.
func (o Options) Number(name string) (value int64, given bool) {
	value, given = o[name].(int64)
	return value, given
}

// Map returns a StringMap option, or nil.
func (o Options) Map(name string) map[string]string {
	m, _ := o[name].(map[string]string)
	return m
}

// Any returns an AnyMap option, or nil.
func (o Options) Any(name string) map[string]any {
	m, _ := o[name].(map[string]any)
	return m
}

// With returns the options with one of them set.
func (o Options) With(name string, value any) Options {
	out := maps.Clone(o)
	out[name] = value
	return out
}

// HostOption is the option that makes a consumer with PerHost render what is one
// host's own.
const HostOption = "host"

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
	// PerHost consumers are whole ones that write a file for each host as well:
	// with [HostOption] they render what is that host's own.
	PerHost bool
	// Guards says that Render may return guarded fields.
	Guards bool
	// NoFragment consumers hold what the user composes, so that a data source that
	// returns it would return its own configuration.
	NoFragment bool
	// Documents are the documents that Result selects by itself, in any variant.
	Documents []yamledit.Selector
	// Render turns the plan into what the consumer reads. Problems are on the
	// names of options, or on "plan".
	Render func(*plan.Plan, Options) (Result, site.Problems)
	// Read returns the facts that a file states or leaves to a default, in the order
	// of the file. A file that is none of the consumer's has no facts; what the
	// reader does not know is passed over. An error means that the file cannot be
	// read at all. Nil for a consumer whose content the user composes.
	Read func(src []byte) ([]Fact, error)
	// Inspect finds what else in the document keeps the consumer from reading it,
	// although it is none of the owned fields. It may be nil.
	Inspect func(Document) site.Problems
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
	// Guarded are fields whose change on a live cluster needs a migration, and
	// GuardReason says what it would do, as whole sentences.
	Guarded     []yamledit.Path
	GuardReason string
	// Root is where the fragment of the data source starts; what stands above it
	// belongs to the object around it. Empty for the document as a whole.
	Root yamledit.Path
	// Documents are the content of a file that is owned whole.
	Documents []yamledit.Map
	// Text is the content of a file that is owned whole and is no YAML.
	Text []byte
}

// Content returns the content of a file that is owned whole.
func (r Result) Content() []byte {
	if r.Text != nil {
		return r.Text
	}
	return Join(r.Documents)
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
		if !throughList(f.Path) { // the editor says what is wrong with an element that is not there
			doc = insert(doc, f.Path, f.Value)
		}
	}
	return yamledit.Encode(flatten(doc))
}

// FragmentText returns what the consumer merges: the fields below the root, or
// the whole content.
func (r Result) FragmentText() []byte {
	if len(r.Documents) > 0 || r.Text != nil {
		return r.Content()
	}
	if len(r.Root) == 0 {
		return r.NewDocument()
	}
	var doc yamledit.Map
	for _, f := range r.Present() {
		doc = insert(doc, f.Path[len(r.Root):], f.Value)
	}
	return yamledit.Encode(flatten(doc))
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

func throughList(path yamledit.Path) bool {
	return slices.ContainsFunc(path, func(s yamledit.Step) bool { return s.Kind == yamledit.ItemStep })
}

// embedded is the YAML that a text of a document holds, until it is flattened.
type embedded yamledit.Map

// insert sets a value at a path, creating the mappings and embedded texts on the way.
func insert(m yamledit.Map, path yamledit.Path, value any) yamledit.Map {
	key := path[0].Key
	if len(path) == 1 {
		m.Set(key, value)
		return m
	}
	if path[1].Kind == yamledit.InsideStep {
		inner, _ := lookup(m, key).(embedded)
		m.Set(key, embedded(insert(yamledit.Map(inner), path[2:], value)))
		return m
	}
	inner, _ := lookup(m, key).(yamledit.Map)
	m.Set(key, insert(inner, path[1:], value))
	return m
}

func lookup(m yamledit.Map, key string) any {
	for _, entry := range m {
		if entry.Key == key {
			return entry.Value
		}
	}
	return nil
}

// flatten turns embedded YAML into the text that holds it.
func flatten(m yamledit.Map) yamledit.Map {
	out := make(yamledit.Map, len(m))
	for i, entry := range m {
		switch value := entry.Value.(type) {
		case yamledit.Map:
			entry.Value = flatten(value)
		case embedded:
			entry.Value = string(yamledit.Encode(flatten(yamledit.Map(value))))
		}
		out[i] = entry
	}
	return out
}
