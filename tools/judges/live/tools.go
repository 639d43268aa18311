// SPDX-License-Identifier: MPL-2.0

package live

// The CRDs of Cilium are files of its module; a small package of it keeps the
// module among the requirements.
import _ "github.com/cilium/cilium/pkg/k8s/apis/cilium.io"
