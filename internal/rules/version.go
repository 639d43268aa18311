// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// atLeast reports whether the site states that a component has at least this
// version. A version that is not stated is no statement.
func (c *check) atLeast(component string, major, minor int) bool {
	have, stated := c.version(component)
	return stated && !have.before(version{major, minor, 0})
}

// below reports whether the site states that a component is older than this.
func (c *check) below(component string, major, minor, patch int) bool {
	have, stated := c.version(component)
	return stated && have.before(version{major, minor, patch})
}

// version is major, minor and patch; a patch that is not stated is the newest.
type version [3]int

func (v version) before(w version) bool { return slices.Compare(v[:], w[:]) < 0 }

func (c *check) version(component string) (version, bool) {
	text, stated := c.site.Versions[component]
	if !stated {
		return version{}, false
	}
	v := version{0, 0, math.MaxInt}
	n, err := fmt.Sscanf(strings.TrimPrefix(text, "v"), "%d.%d.%d", &v[0], &v[1], &v[2])
	return v, n >= 2 || err == nil
}
