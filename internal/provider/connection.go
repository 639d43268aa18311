// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/client-go/rest"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
)

// live is what the provider block says of a cluster. Attributes and environment
// variables are those of the official Kubernetes provider.
type live struct {
	connection cluster.Connection
	unknown    []string // attributes that are not known yet
}

// connectionModelV0 is the provider block.
type connectionModelV0 struct {
	Host                  types.String  `tfsdk:"host"`
	Username              types.String  `tfsdk:"username"`
	Password              types.String  `tfsdk:"password"`
	Token                 types.String  `tfsdk:"token"`
	Insecure              types.Bool    `tfsdk:"insecure"`
	TLSServerName         types.String  `tfsdk:"tls_server_name"`
	ClientCertificate     types.String  `tfsdk:"client_certificate"`
	ClientKey             types.String  `tfsdk:"client_key"`
	ClusterCACertificate  types.String  `tfsdk:"cluster_ca_certificate"`
	ConfigPath            types.String  `tfsdk:"config_path"`
	ConfigPaths           types.List    `tfsdk:"config_paths"`
	ConfigContext         types.String  `tfsdk:"config_context"`
	ConfigContextAuthInfo types.String  `tfsdk:"config_context_auth_info"`
	ConfigContextCluster  types.String  `tfsdk:"config_context_cluster"`
	ProxyURL              types.String  `tfsdk:"proxy_url"`
	Exec                  []execModelV0 `tfsdk:"exec"`
}

// execModelV0 is a program that prints credentials.
type execModelV0 struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

func connectionSchema() schema.Schema {
	text := func(variable, description string, secret bool) schema.Attribute {
		return schema.StringAttribute{Optional: true, Sensitive: secret, MarkdownDescription: description + " Environment variable: `" + variable + "`."}
	}
	return schema.Schema{
		MarkdownDescription: "Network address planning for Kubernetes sites: one address, one allocator. " +
			"A site is declared once; the provider computes which prefix each network gets and who hands out its addresses, " +
			"and writes those facts into the files that repeat them.\n\n" +
			"A plan of files needs no credentials and contacts nothing, so that it works in an empty CI container. " +
			"The arguments of the provider block are for what reads a running cluster; they have the names and environment variables of the official Kubernetes provider, and nothing is contacted unless such a data source asks.",
		Attributes: map[string]schema.Attribute{
			"host":                     text("KUBE_HOST", "Address of the API server, such as `https://192.0.2.10:6443`.", false),
			"username":                 text("KUBE_USER", "User name of basic authentication.", false),
			"password":                 text("KUBE_PASSWORD", "Password of basic authentication.", true),
			"token":                    text("KUBE_TOKEN", "Token of a service account.", true),
			"insecure":                 schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the certificate of the API server is not checked. Default: `false`. Environment variable: `KUBE_INSECURE`."},
			"tls_server_name":          text("KUBE_TLS_SERVER_NAME", "Name that the certificate of the API server is checked for.", false),
			"client_certificate":       text("KUBE_CLIENT_CERT_DATA", "Client certificate as PEM.", false),
			"client_key":               text("KUBE_CLIENT_KEY_DATA", "Key of the client certificate as PEM.", true),
			"cluster_ca_certificate":   text("KUBE_CLUSTER_CA_CERT_DATA", "Certificates that the API server's is checked against, as PEM.", false),
			"config_path":              text("KUBE_CONFIG_PATH", "Path of a kubeconfig file.", false),
			"config_paths":             schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Paths of kubeconfig files that are merged. Environment variable: `KUBE_CONFIG_PATHS`, joined as the system joins paths."},
			"config_context":           text("KUBE_CTX", "Context of the kubeconfig. A data source may name its own.", false),
			"config_context_auth_info": text("KUBE_CTX_AUTH_INFO", "User of the kubeconfig, in place of the context's.", false),
			"config_context_cluster":   text("KUBE_CTX_CLUSTER", "Cluster of the kubeconfig, in place of the context's.", false),
			"proxy_url":                text("KUBE_PROXY_URL", "Proxy on the way to the API server.", true),
		},
		Blocks: map[string]schema.Block{
			"exec": schema.ListNestedBlock{
				MarkdownDescription: "Program that prints credentials, as a kubeconfig names it.",
				Validators:          []validator.List{listvalidator.SizeAtMost(1)},
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"api_version": schema.StringAttribute{Required: true, MarkdownDescription: "Version of the protocol, such as `client.authentication.k8s.io/v1`."},
					"command":     schema.StringAttribute{Required: true, MarkdownDescription: "Program to run."},
					"args":        schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Arguments of the program."},
					"env":         schema.MapAttribute{Optional: true, ElementType: types.StringType, Sensitive: true, MarkdownDescription: "Environment variables of the program, beside those that it inherits."},
				}},
			},
		},
	}
}

// connectionOf reads the provider block; what it leaves unsaid the environment may say.
func connectionOf(ctx context.Context, config tfsdk.Config, version string, diags *diag.Diagnostics) *live {
	var m connectionModelV0
	diags.Append(config.Get(ctx, &m)...)
	l := &live{}
	text := func(name, variable string, value types.String) string {
		if value.IsUnknown() {
			l.unknown = append(l.unknown, name)
		}
		if value.IsNull() || value.IsUnknown() {
			return os.Getenv(variable)
		}
		return value.ValueString()
	}
	l.connection = cluster.Connection{
		Host: text("host", "KUBE_HOST", m.Host), Username: text("username", "KUBE_USER", m.Username), Password: text("password", "KUBE_PASSWORD", m.Password),
		Token: text("token", "KUBE_TOKEN", m.Token), TLSServerName: text("tls_server_name", "KUBE_TLS_SERVER_NAME", m.TLSServerName),
		ClientCertificate: text("client_certificate", "KUBE_CLIENT_CERT_DATA", m.ClientCertificate), ClientKey: text("client_key", "KUBE_CLIENT_KEY_DATA", m.ClientKey),
		ClusterCACertificate: text("cluster_ca_certificate", "KUBE_CLUSTER_CA_CERT_DATA", m.ClusterCACertificate),
		ConfigContext:        text("config_context", "KUBE_CTX", m.ConfigContext), ConfigContextUser: text("config_context_auth_info", "KUBE_CTX_AUTH_INFO", m.ConfigContextAuthInfo),
		ConfigContextCluster: text("config_context_cluster", "KUBE_CTX_CLUSTER", m.ConfigContextCluster), ProxyURL: text("proxy_url", "KUBE_PROXY_URL", m.ProxyURL),
		UserAgent: "terraform-provider-cidrplan/" + version,
	}
	l.connection.Insecure = m.Insecure.ValueBool()
	if m.Insecure.IsNull() {
		l.connection.Insecure, _ = strconv.ParseBool(os.Getenv("KUBE_INSECURE"))
	}
	l.connection.ConfigPaths = l.configPaths(ctx, m, text("config_path", "KUBE_CONFIG_PATH", m.ConfigPath), diags)
	l.connection.Exec = l.exec(ctx, m.Exec, diags)
	return l
}

func (l *live) configPaths(ctx context.Context, m connectionModelV0, single string, diags *diag.Diagnostics) []string {
	var paths []string
	switch {
	case !listKnown(m.ConfigPaths):
		l.unknown = append(l.unknown, "config_paths")
	case !m.ConfigPaths.IsNull():
		diags.Append(m.ConfigPaths.ElementsAs(ctx, &paths, false)...)
	case single != "":
		paths = []string{single}
	default:
		paths = filepath.SplitList(os.Getenv("KUBE_CONFIG_PATHS"))
	}
	for i, path := range paths {
		paths[i] = inHome(path)
	}
	return paths
}

// inHome resolves a leading ~ as shells do.
func inHome(path string) string {
	rest, found := strings.CutPrefix(path, "~/")
	home, err := os.UserHomeDir()
	if !found || err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

func (l *live) exec(ctx context.Context, blocks []execModelV0, diags *diag.Diagnostics) *cluster.Exec {
	if len(blocks) == 0 {
		return nil
	}
	b := blocks[0]
	if b.APIVersion.IsUnknown() || b.Command.IsUnknown() || !listKnown(b.Args) || !mapKnown(b.Env) {
		l.unknown = append(l.unknown, "exec")
		return nil
	}
	e := &cluster.Exec{APIVersion: b.APIVersion.ValueString(), Command: b.Command.ValueString()}
	diags.Append(b.Args.ElementsAs(ctx, &e.Args, false)...)
	diags.Append(b.Env.ElementsAs(ctx, &e.Env, false)...)
	return e
}

// config returns how to reach the cluster, with a context of the data source's own.
func (l *live) config(configContext types.String, diags *diag.Diagnostics) (*rest.Config, bool) {
	if l == nil {
		diags.AddError("Provider Not Configured", "The provider was not configured before this was read. This is a bug of the provider, please report it.")
		return nil, false
	}
	if len(l.unknown) > 0 {
		diags.AddError("Cluster Not Known Yet",
			fmt.Sprintf("The provider block is not known yet (%s), so that no cluster can be read, and Terraform would keep the first answer. Apply in two stages: first what makes the cluster, with -target, then the rest.", strings.Join(l.unknown, ", ")))
		return nil, false
	}
	c := l.connection
	if !configContext.IsNull() {
		c.ConfigContext = configContext.ValueString()
	}
	config, err := c.Config()
	if errors.Is(err, cluster.ErrNoConnection) {
		diags.AddError("No Cluster Configured", "Nothing says which cluster is meant. Set config_path or host in the provider block, or KUBE_CONFIG_PATH in the environment; or read a recording with snapshot_paths.")
		return nil, false
	}
	if err != nil {
		diags.AddError("Cluster Not Reachable", sentence(err.Error()))
		return nil, false
	}
	return config, true
}
