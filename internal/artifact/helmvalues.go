// SPDX-License-Identifier: MPL-2.0

package artifact

import "strings"

// Values are the Helm values of a chart, somewhere in a file.
type Values struct {
	Node
	// Layered says that other values lie below these, in a file that this one does
	// not hold: what these leave unsaid need not be the chart's default.
	Layered bool
}

// HelmValues finds the values of a chart in a document: in a Flux HelmRelease, a
// ConfigMap, an Argo CD Application, a helmfile, or in a document that is nothing
// but values. recognised tells by the values themselves whose they are, and where
// among them they start.
func HelmValues(d Document, chart string, recognised func(Node) (Node, bool)) []Values {
	switch {
	case d.Kind == "HelmRelease":
		return helmRelease(d, chart, recognised)
	case d.Kind == "Application":
		return application(d, chart, recognised)
	case d.Kind == "ConfigMap":
		return configMapValues(d, recognised)
	case d.Kind != "":
		return nil
	case d.Get("releases").IsList():
		return helmfile(d, chart, recognised)
	}
	if values, ok := recognised(d.Node); ok {
		return []Values{{Node: values}}
	}
	return nil
}

// named reports whether a chart is meant by its name, or by the end of one, as in
// a repository's path.
func named(text, chart string) bool {
	return text == chart || strings.HasSuffix(text, "/"+chart) || strings.HasSuffix(text, "-"+chart)
}

func helmRelease(d Document, chart string, recognised func(Node) (Node, bool)) []Values {
	spec := d.Get("spec")
	installs := named(spec.Get("chart", "spec", "chart").Text(), chart) || named(spec.Get("chartRef", "name").Text(), chart) || d.Name == chart
	values, known := recognised(spec.Get("values"))
	if !installs && !known {
		return nil
	}
	if !values.Exists() {
		values = spec // the object itself leaves everything unsaid
	}
	return []Values{{Node: values, Layered: len(spec.Get("valuesFrom").Items()) > 0}}
}

func application(d Document, chart string, recognised func(Node) (Node, bool)) []Values {
	var out []Values
	sources := append(d.Get("spec", "sources").Items(), d.Get("spec", "source"))
	for _, source := range sources {
		helm := source.Get("helm")
		layered := len(helm.Get("valueFiles").Items()) > 0
		installs := named(source.Get("chart").Text(), chart)
		candidates := []Node{helm.Get("valuesObject"), helm.Get("values").Inside()}
		found := false
		for _, candidate := range candidates {
			if values, known := recognised(candidate); candidate.Exists() && (known || installs) {
				out, found = append(out, Values{Node: values, Layered: layered}), true
			}
		}
		if installs && !found && !layered {
			out = append(out, Values{Node: source})
		}
	}
	return out
}

// configMapValues finds values in the texts of a ConfigMap. A HelmRelease may lay
// others over them.
func configMapValues(d Document, recognised func(Node) (Node, bool)) []Values {
	var out []Values
	data := d.Get("data")
	for _, key := range data.Keys() {
		if !strings.Contains(key, "values") && !strings.HasSuffix(key, ".yaml") && !strings.HasSuffix(key, ".yml") {
			continue
		}
		if values, known := recognised(data.Get(key).Inside()); known {
			out = append(out, Values{Node: values})
		}
	}
	return out
}

// helmfile finds inline values of the releases of a helmfile.
func helmfile(d Document, chart string, recognised func(Node) (Node, bool)) []Values {
	var out []Values
	for _, release := range d.Get("releases").Items() {
		if !named(release.Get("chart").Text(), chart) {
			continue
		}
		for _, item := range release.Get("values").Items() {
			if values, known := recognised(item); known {
				out = append(out, Values{Node: values, Layered: len(release.Get("values").Items()) > 1})
			}
		}
	}
	return out
}
