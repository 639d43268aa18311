// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Selector chooses one document of a text by what a Kubernetes object says
// about itself, or by its place. What is empty matches anything; the zero value
// is the only document of the text. A name is compared as it is written: an
// object without a namespace does not match a selector with one.
type Selector struct {
	APIVersion, Kind, Name, Namespace string

	// Index is the place among the documents that are not empty, from 0.
	Index *int
}

// String returns the selector as a person would say it, such as
// "HelmRelease kube-system/cilium".
func (s Selector) String() string {
	var parts []string
	if s.APIVersion != "" {
		parts = append(parts, s.APIVersion)
	}
	if s.Kind != "" {
		parts = append(parts, s.Kind)
	}
	switch {
	case s.Namespace != "" && s.Name != "":
		parts = append(parts, s.Namespace+"/"+s.Name)
	case s.Name != "":
		parts = append(parts, s.Name)
	case s.Namespace != "":
		parts = append(parts, "in namespace "+s.Namespace)
	}
	if s.Index != nil {
		parts = append(parts, fmt.Sprintf("at index %d", *s.Index))
	}
	if len(parts) == 0 {
		return "(the only one)"
	}
	return strings.Join(parts, " ")
}

// Matches reports whether a document is what the selector chooses.
func (s Selector) Matches(d DocumentInfo) bool {
	return (s.Index == nil || *s.Index == d.Index) &&
		(s.APIVersion == "" || s.APIVersion == d.APIVersion) &&
		(s.Kind == "" || s.Kind == d.Kind) &&
		(s.Name == "" || s.Name == d.Name) &&
		(s.Namespace == "" || s.Namespace == d.Namespace)
}

// takesEmpty reports whether the selector means a text that holds nothing yet.
func (s Selector) takesEmpty() bool {
	return s.APIVersion == "" && s.Kind == "" && s.Name == "" && s.Namespace == "" &&
		(s.Index == nil || *s.Index == 0)
}

// DocumentInfo describes one document of a text. Names are empty where the
// document does not state them.
type DocumentInfo struct {
	Index      int // place among the documents that are not empty, from 0
	APIVersion string
	Kind       string
	Name       string
	Namespace  string
	Line       int // of its first content, from 1
}

// String returns the names of the document and its line.
func (d DocumentInfo) String() string {
	s := Selector{APIVersion: d.APIVersion, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace}
	if d.APIVersion == "" && d.Kind == "" && d.Name == "" && d.Namespace == "" {
		return fmt.Sprintf("document %d (line %d)", d.Index, d.Line)
	}
	return fmt.Sprintf("%s (line %d)", s, d.Line)
}

// Documents lists the documents of a text that are not empty.
func Documents(src []byte) ([]DocumentInfo, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	return f.infos(), nil
}

// infos describes the documents that are not empty.
func (f *file) infos() []DocumentInfo {
	infos := make([]DocumentInfo, 0, len(f.docs))
	for _, d := range f.docs {
		if d.empty() {
			continue
		}
		info := DocumentInfo{Index: len(infos), Line: d.line + d.root.Line}
		info.APIVersion = plainText(d.root, "apiVersion")
		info.Kind = plainText(d.root, "kind")
		if meta := firstValue(d.root, "metadata"); meta != nil {
			info.Name = plainText(meta, "name")
			info.Namespace = plainText(meta, "namespace")
		}
		infos = append(infos, info)
	}
	return infos
}

// choose returns the document that the selector means. A text that holds
// nothing yet is an empty document for a selector that names nothing.
func (f *file) choose(sel Selector) (*document, error) {
	infos := f.infos()
	var matching []DocumentInfo
	for _, info := range infos {
		if sel.Matches(info) {
			matching = append(matching, info)
		}
	}
	switch {
	case len(matching) > 1:
		return nil, documentError(ErrAmbiguous, sel, matching)
	case len(matching) == 1:
		index := matching[0].Index
		for _, d := range f.docs {
			if d.empty() {
				continue
			}
			if index == 0 {
				return d, nil
			}
			index--
		}
	case len(infos) == 0 && sel.takesEmpty():
		return f.docs[len(f.docs)-1], nil
	}
	return nil, documentError(ErrNoDocument, sel, infos)
}

// firstValue returns the value of a mapping's key, or nil.
func firstValue(n *yaml.Node, key string) *yaml.Node {
	n = resolved(n)
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// plainText returns the text of a scalar under a key, or "".
func plainText(n *yaml.Node, key string) string {
	v := firstValue(n, key)
	if v == nil {
		return ""
	}
	if v = resolved(v); v.Kind != yaml.ScalarNode || v.ShortTag() == "!!null" {
		return ""
	}
	return v.Value
}

// resolved follows an alias to the node that it stands for.
func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}
