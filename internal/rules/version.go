// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"strings"
)

// atLeast reports whether the site states that a component has at least this
// version. A version that is not stated is no statement.
func (c *check) atLeast(component string, major, minor int) bool {
	text, stated := c.site.Versions[component]
	if !stated {
		return false
	}
	var haveMajor, haveMinor int
	if _, err := fmt.Sscanf(strings.TrimPrefix(text, "v"), "%d.%d", &haveMajor, &haveMinor); err != nil {
		return false
	}
	return haveMajor > major || haveMajor == major && haveMinor >= minor
}
