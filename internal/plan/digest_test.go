// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// TestDigestAsDocumented computes the digest as the documentation tells anybody
// to: the document without its digest, keys sorted, no white space.
func TestDigestAsDocumented(t *testing.T) {
	p := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", Accept: map[string]string{"public-range/pod": "<ours> & nobody's"}}, nil)
	var tree map[string]any
	if err := json.Unmarshal([]byte(p.Text()), &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree, "digest")
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(tree); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
	if got := "sha256:" + hex.EncodeToString(sum[:]); got != p.Digest {
		t.Errorf("got %s, want %s", got, p.Digest)
	}
}
