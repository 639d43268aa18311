// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A Map is a mapping whose keys keep their order. Keys are unique; the last
// entry of a key would win otherwise, so it is an error.
type Map []Entry

// An Entry is one key of a [Map] with its value: nil, string, bool, int, int64,
// float64, json.Number, []any, []string, map[string]any or Map.
type Entry struct {
	Key   string
	Value any
}

// Set replaces the value of a key, or appends the key.
func (m *Map) Set(key string, value any) {
	for i := range *m {
		if (*m)[i].Key == key {
			(*m)[i].Value = value
			return
		}
	}
	*m = append(*m, Entry{Key: key, Value: value})
}

// JSON returns the canonical JSON of a value: keys sorted, no blanks, no
// escapes but those that JSON needs, numbers in their shortest form (1.0 is 1).
// Two values are the same to this package if their canonical JSON is.
func JSON(v any) (string, error) {
	val, err := newValue(v)
	if err != nil {
		return "", err
	}
	return val.json(), nil
}

type valueKind uint8

const (
	scalarKind valueKind = iota
	listKind
	mapKind
)

// A value is what is to stand in a field.
type value struct {
	kind  valueKind
	tag   string // of a scalar: !!str, !!int, !!float, !!bool or !!null
	text  string // of a scalar: its content
	keys  []string
	items []value // of a list, and of a map in the order of its keys

	unordered bool // a map whose order means nothing: it came from a Go map
}

func stringValue(s string) value { return value{tag: "!!str", text: s} }

// empty reports whether the value is a list or a mapping without members.
func (v value) empty() bool { return v.kind != scalarKind && len(v.items) == 0 }

// newValue takes one of the types that [Entry] names.
func newValue(v any) (value, error) {
	switch v := v.(type) {
	case nil:
		return value{tag: "!!null", text: "null"}, nil
	case string:
		if !utf8.ValidString(v) {
			return value{}, fmt.Errorf("the text %q is not UTF-8", v)
		}
		return stringValue(v), nil
	case bool:
		return value{tag: "!!bool", text: strconv.FormatBool(v)}, nil
	case int:
		return value{tag: "!!int", text: strconv.Itoa(v)}, nil
	case int64:
		return value{tag: "!!int", text: strconv.FormatInt(v, 10)}, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return value{}, fmt.Errorf("%v is not a number that JSON has", v)
		}
		return numberValue(strconv.FormatFloat(v, 'g', -1, 64))
	case json.Number:
		return numberValue(string(v))
	case []string:
		list := value{kind: listKind}
		for _, s := range v {
			list.items = append(list.items, stringValue(s))
		}
		return list, nil
	case []any:
		return newList(v)
	case map[string]any:
		var m Map
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m = append(m, Entry{Key: key, Value: v[key]})
		}
		val, err := newValue(m)
		val.unordered = true
		return val, err
	case Map:
		return newMapping(v)
	}
	return value{}, fmt.Errorf("a value of type %T has no form in YAML", v)
}

func newList(items []any) (value, error) {
	list := value{kind: listKind}
	for i, item := range items {
		val, err := newValue(item)
		if err != nil {
			return value{}, fmt.Errorf("[%d]: %w", i, err)
		}
		list.items = append(list.items, val)
	}
	return list, nil
}

func newMapping(m Map) (value, error) {
	mapping := value{kind: mapKind}
	for _, entry := range m {
		if slices.Contains(mapping.keys, entry.Key) {
			return value{}, fmt.Errorf("the key %q stands there twice", entry.Key)
		}
		if err := writableKey(entry.Key); err != nil {
			return value{}, err
		}
		val, err := newValue(entry.Value)
		if err != nil {
			return value{}, fmt.Errorf("%s: %w", entry.Key, err)
		}
		mapping.keys, mapping.items = append(mapping.keys, entry.Key), append(mapping.items, val)
	}
	return mapping, nil
}

var (
	wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	anyNumber   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

// numberValue takes a number as JSON writes it.
func numberValue(text string) (value, error) {
	if !anyNumber.MatchString(text) {
		return value{}, fmt.Errorf("%q is not a number", text)
	}
	text, err := canonicalNumber(text)
	if err != nil {
		return value{}, err
	}
	if wholeNumber.MatchString(text) {
		return value{tag: "!!int", text: text}, nil
	}
	// YAML 1.1 wants a dot in every float.
	if mantissa, exponent, found := strings.Cut(text, "e"); found && !strings.Contains(mantissa, ".") {
		text = mantissa + ".0e" + exponent
	}
	return value{tag: "!!float", text: text}, nil
}

// canonicalNumber returns the canonical form of a decimal number: all digits of
// a whole number, else the shortest text of the nearest float64.
func canonicalNumber(text string) (string, error) {
	if n, ok := new(big.Int).SetString(text, 10); ok {
		return n.String(), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", fmt.Errorf("%s is too large for a number", text)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return strconv.FormatFloat(f+0, 'f', -1, 64), nil
	}
	return strconv.FormatFloat(f, 'g', -1, 64), nil
}

func (v value) json() string {
	var b strings.Builder
	v.writeJSON(&b)
	return b.String()
}

func (v value) writeJSON(b *strings.Builder) {
	switch v.kind {
	case listKind:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.writeJSON(b)
		}
		b.WriteByte(']')
	case mapKind:
		order := make([]int, len(v.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.keys[i], v.keys[j]) })
		b.WriteByte('{')
		for n, i := range order {
			if n > 0 {
				b.WriteByte(',')
			}
			b.WriteString(jsonString(v.keys[i]))
			b.WriteByte(':')
			v.items[i].writeJSON(b)
		}
		b.WriteByte('}')
	default:
		switch v.tag {
		case "!!str":
			b.WriteString(jsonString(v.text))
		case "!!float":
			text, err := canonicalNumber(v.text)
			if err != nil {
				text = v.text // cannot be: it was made by canonicalNumber
			}
			b.WriteString(text)
		default:
			b.WriteString(v.text)
		}
	}
}

// jsonString quotes a text without the escapes for HTML, which would make
// "a<b" unreadable in a plan.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return strconv.Quote(s) // cannot be: a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxExpanded bounds the nodes that aliases may unfold to, and maxDepth how deep
// they may nest, so that a text of a kilobyte cannot take all memory.
const (
	maxExpanded = 200_000
	maxDepth    = 10_000
)

// nodeValue decodes what stands in a node: aliases and merge keys are resolved,
// as its consumer sees it.
func nodeValue(n *yaml.Node) (value, error) {
	d := decoder{left: maxExpanded}
	return d.node(n, 0)
}

// nodeJSON returns the canonical JSON of what stands in a node.
func nodeJSON(n *yaml.Node) (string, error) {
	v, err := nodeValue(n)
	if err != nil {
		return "", err
	}
	return v.json(), nil
}

type decoder struct{ left int }

func (d *decoder) node(n *yaml.Node, depth int) (value, error) {
	if d.left--; d.left < 0 || depth > maxDepth {
		return value{}, errors.New("its aliases unfold to too much")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return d.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := value{kind: listKind}
		for _, c := range n.Content {
			item, err := d.node(c, depth+1)
			if err != nil {
				return value{}, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	case yaml.MappingNode:
		return d.mapping(n, depth)
	}
	return decodeScalar(n)
}

func (d *decoder) mapping(n *yaml.Node, depth int) (value, error) {
	m := value{kind: mapKind}
	seen := map[string]bool{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := resolved(n.Content[i])
		if isMerge(key) {
			merged = append(merged, n.Content[i+1])
			continue
		}
		if key.Kind != yaml.ScalarNode {
			return value{}, errors.New("it holds a key that is no text")
		}
		if seen[key.Value] {
			return value{}, fmt.Errorf("the key %q stands there twice", key.Value)
		}
		seen[key.Value] = true
		item, err := d.node(n.Content[i+1], depth+1)
		if err != nil {
			return value{}, err
		}
		m.keys, m.items = append(m.keys, key.Value), append(m.items, item)
	}
	for _, source := range mergeSources(merged) {
		from, err := d.node(source, depth+1)
		if err != nil {
			return value{}, err
		}
		for i, key := range from.keys {
			if !seen[key] {
				seen[key] = true
				m.keys, m.items = append(m.keys, key), append(m.items, from.items[i])
			}
		}
	}
	return m, nil
}

// isMerge reports whether a key is the merge key of YAML 1.1.
func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

// mergeSources returns the mappings that the values of merge keys name, the one
// that counts first.
func mergeSources(values []*yaml.Node) []*yaml.Node {
	var sources []*yaml.Node
	for _, v := range values {
		switch v = resolved(v); v.Kind {
		case yaml.MappingNode:
			sources = append(sources, v)
		case yaml.SequenceNode:
			for _, c := range v.Content {
				if c = resolved(c); c.Kind == yaml.MappingNode {
					sources = append(sources, c)
				}
			}
		}
	}
	return sources
}

var decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)

func decodeScalar(n *yaml.Node) (value, error) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return value{tag: tag, text: "null"}, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return value{}, fmt.Errorf("%q is not true or false", n.Value)
		}
		return value{tag: tag, text: strconv.FormatBool(b)}, nil
	case "!!int", "!!float":
		if decimal.MatchString(n.Value) {
			return numberValue(strings.TrimPrefix(n.Value, "+"))
		}
		return decodeNumber(n)
	}
	return stringValue(n.Value), nil
}

// decodeNumber takes the other forms of YAML: 0x1F, 0o17, 1_000, 1e3.
func decodeNumber(n *yaml.Node) (value, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return value{}, fmt.Errorf("%q is not a number", n.Value)
	}
	switch v := v.(type) {
	case uint64:
		return value{tag: "!!int", text: strconv.FormatUint(v, 10)}, nil
	case int, int64, float64:
		return newValue(v)
	}
	return value{}, fmt.Errorf("%q is not a number", n.Value)
}
