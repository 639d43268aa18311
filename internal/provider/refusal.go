// SPDX-License-Identifier: MPL-2.0

package provider

import "errors"

// errRefused stops the change of a file whose reason is already a diagnostic.
var errRefused = errors.New("the change is refused")
