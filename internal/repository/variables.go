// SPDX-License-Identifier: MPL-2.0

package repository

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
)

// variables are what Flux substitutes, by name.
type variables struct {
	values map[string]string
	flux   bool // a Kustomization substitutes at all
}

// variablesOf finds the ConfigMaps that Kustomizations substitute from, and their
// inline variables, which win. Without any Kustomization every ConfigMap of nothing
// but variables counts.
func variablesOf(files []string, contents map[string][]byte) variables {
	v := variables{values: map[string]string{}}
	named, inline := map[string]bool{}, map[string]string{}
	type source struct {
		name string
		data artifact.Node
	}
	var sources []source
	for _, file := range files {
		documents, err := artifact.ReadDocuments(contents[file])
		if err != nil {
			continue
		}
		for _, d := range documents {
			switch {
			case d.Kind == "Kustomization" && strings.HasPrefix(d.APIVersion, "kustomize.toolkit.fluxcd.io/"):
				build := d.Get("spec", "postBuild")
				v.flux = v.flux || build.Exists()
				for _, from := range build.Get("substituteFrom").Items() {
					named[from.Get("name").Text()] = true
				}
				for _, key := range build.Get("substitute").Keys() {
					inline[key] = build.Get("substitute", key).Text()
				}
			case d.Kind == "ConfigMap":
				sources = append(sources, source{d.Name, d.Get("data")})
			}
		}
	}
	name := regexp.MustCompile(`^[_A-Za-z][_A-Za-z0-9]*$`)
	for _, s := range sources {
		if len(named) > 0 && !named[s.name] {
			continue
		}
		for _, key := range s.data.Keys() {
			if name.MatchString(key) {
				v.values[key] = s.data.Get(key).Text()
			}
		}
	}
	maps.Copy(v.values, inline)
	return v
}

// substitute fills variables in, as Flux does after kustomize has taken the quotes
// away: a value that is a list of JSON becomes a list. A variable that is set nowhere
// stays, and is reported where Flux substitutes at all.
func (v variables) substitute(src []byte) ([]byte, []Unset) {
	if !bytes.Contains(src, []byte("${")) {
		return src, nil
	}
	use := regexp.MustCompile(`"\$\{([_A-Za-z][_A-Za-z0-9]*)(?::[=-]([^}]*))?\}"|'\$\{([_A-Za-z][_A-Za-z0-9]*)(?::[=-]([^}]*))?\}'|(\$?)\$\{([_A-Za-z][_A-Za-z0-9]*)(?::[=-]([^}]*))?\}`)
	var unset []Unset
	var out bytes.Buffer
	last := 0
	for _, m := range use.FindAllSubmatchIndex(src, -1) {
		out.Write(src[last:m[0]])
		last = m[1]
		group := func(i int) (string, bool) {
			if m[2*i] < 0 {
				return "", false
			}
			return string(src[m[2*i]:m[2*i+1]]), true
		}
		whole, quoted := string(src[m[0]:m[1]]), true
		name, ok := group(1)
		fallback, given := group(2)
		if !ok {
			if name, ok = group(3); ok {
				fallback, given = group(4)
			} else {
				name, _ = group(6)
				fallback, given = group(7)
				quoted = false
			}
		}
		if escaped, _ := group(5); escaped != "" {
			out.WriteString(whole)
			continue
		}
		value, known := v.values[name]
		if !known && given {
			value, known = fallback, true
		}
		switch {
		case !known:
			out.WriteString(whole)
			if v.flux {
				unset = append(unset, Unset{Name: name, Place: artifact.Place{Line: 1 + bytes.Count(src[:m[0]], []byte("\n"))}})
			}
		case quoted && !strings.HasPrefix(value, "["):
			text, err := json.Marshal(value)
			if err != nil {
				text = []byte(whole)
			}
			out.Write(text)
		default:
			out.WriteString(strings.ReplaceAll(value, "\n", " "))
		}
	}
	out.Write(src[last:])
	return out.Bytes(), unset
}
