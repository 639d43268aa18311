// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

const (
	caddyfile      = "example.org {\r\n\treverse_proxy app {\r\n\t}\r\n}"
	caddyfileAfter = "example.org {\r\n\treverse_proxy app {\r\n\t# BEGIN cidrplan trusted\r\n\ttrusted_proxies 10.42.0.0/16\r\n\t# END cidrplan trusted\r\n\t}\r\n}"

	trustedLines = "name = \"trusted\"\n content = join(\" \", concat([\"trusted_proxies\"], data.cidrplan_site.s.networks[\"pod\"].cidrs))\n insert_after = \"reverse_proxy app {\"\n"
)

// A block goes through its life: create, nothing to do, drift, a change elsewhere in
// the plan, import, and gone with the resource without a trace.
func TestAccTextBlock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "Caddyfile")
	writeFile(t, file, caddyfile)
	config := func(site, lines string) string {
		return writerConfig(dir, site, "cidrplan_text_block", file, trustedLines+lines)
	}
	const remove = "on_destroy = \"delete\""
	vlan := k3sSite + "\n network {\n name = \"backup\"\n role = \"other\"\n }"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		CheckDestroy:             fileIs(file, caddyfile),
		Steps: []resource.TestStep{
			{
				Config: config(k3sSite, remove), ConfigPlanChecks: actions("cidrplan_text_block", plancheck.ResourceActionCreate),
				Check: resource.ComposeTestCheckFunc(fileIs(file, caddyfileAfter), func(*terraform.State) error { return hasMode(file, 0o640) }),
			},
			{
				PreConfig: func() { writeFile(t, file, strings.Replace(caddyfileAfter, "10.42", "10.99", 1)) },
				Config:    config(k3sSite, remove), ConfigPlanChecks: actions("cidrplan_text_block", plancheck.ResourceActionUpdate),
				Check: fileIs(file, caddyfileAfter),
			},
			{Config: config(vlan, remove), ConfigPlanChecks: actions("cidrplan_text_block", plancheck.ResourceActionNoop)},
			{
				ResourceName: "cidrplan_text_block.x", ImportState: true, ImportStateVerify: true,
				ImportStateId:                        file + "#trusted@" + filepath.Join(dir, "lock.json"),
				ImportStateVerifyIdentifierAttribute: "path",
				ImportStateVerifyIgnore:              []string{"plan", "on_destroy", "insert_after", "content"},
			},
		},
	})
}

func TestAccTextBlock_refusals(t *testing.T) {
	tests := []struct{ name, content, lines, words string }{
		{"no file", "", "content = \"a\"", "File Does Not Exist"},
		{"a block that does not end", "# BEGIN cidrplan plan\n", "content = \"a\"", "begins and does not end"},
		{"a line that is not there", "a\n", "content = \"a\"\n insert_after = \"b\"", "no line is"},
		{"two places", "a\n", "content = \"a\"\n insert_after = \"a\"\n insert_before = \"a\"", "insert_after"},
		{"a name of two lines", "a\n", "content = \"a\"\n name = \"a\\nb\"", "must be one line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "app.env")
			if test.content != "" {
				writeFile(t, file, test.content)
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				Steps:                    []resource.TestStep{{Config: writerConfig(dir, k3sSite, "cidrplan_text_block", file, test.lines), ExpectError: phrase(test.words)}},
			})
			if got, err := os.ReadFile(file); test.content != "" && (err != nil || string(got) != test.content) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
