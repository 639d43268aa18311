// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"fmt"
	"regexp"
	"strings"
)

// qualifiedPart is the name part of a Kubernetes qualified name, and subdomain its
// prefix (k8s.io/apimachinery/pkg/util/validation).
func qualifiedPart(name string) bool {
	return regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`).MatchString(name)
}

func subdomain(name string) bool {
	return regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`).MatchString(name)
}

// QualifiedNameProblem says why a text is no key of a label or annotation; it is
// empty for one that is.
func QualifiedNameProblem(text string) string {
	name := text
	if prefix, rest, found := strings.Cut(text, "/"); found {
		name = rest
		if len(prefix) > 253 || !subdomain(prefix) {
			return fmt.Sprintf("the part %q before the slash is no lower-case DNS name", prefix)
		}
	}
	if len(name) > 63 || !qualifiedPart(name) {
		return fmt.Sprintf("the part %q is not 1 to 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends", name)
	}
	return ""
}

// ObjectNameProblem says why a text is no name of a Kubernetes object; it is empty
// for one that is.
func ObjectNameProblem(text string) string {
	if len(text) > 253 || !subdomain(text) {
		return fmt.Sprintf("%q is not lower-case letters, digits, '-' and '.', with a letter or digit at both ends", text)
	}
	return ""
}
