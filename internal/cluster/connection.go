// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// requestTimeout is how long one page may take, with its body.
const requestTimeout = 60 * time.Second

// Connection says how to reach an API server: by kubeconfig files, by fields of its
// own, or from inside the cluster. Fields lie over the file.
type Connection struct {
	ConfigPaths                                            []string
	ConfigContext, ConfigContextUser, ConfigContextCluster string

	Host                 string
	Token                string
	Username, Password   string
	Insecure             bool
	TLSServerName        string
	ClusterCACertificate string
	ClientCertificate    string
	ClientKey            string
	ProxyURL             string
	Exec                 *Exec
	UserAgent            string
}

// Exec is a program that prints credentials, as kubeconfig files name it.
type Exec struct {
	APIVersion, Command string
	Args                []string
	Env                 map[string]string
}

// ErrNoConnection means that nothing says which cluster is meant.
var ErrNoConnection = errors.New("nothing says which cluster is meant")

// Config returns the configuration of a client. It reads kubeconfig files and
// contacts nobody. Errors hold no secret.
func (c Connection) Config() (*rest.Config, error) {
	loading := &clientcmd.ClientConfigLoadingRules{WarnIfAllMissing: false}
	switch len(c.ConfigPaths) {
	case 0:
	case 1:
		loading.ExplicitPath = c.ConfigPaths[0]
	default:
		loading.Precedence = c.ConfigPaths
	}
	if len(c.ConfigPaths) == 0 && c.Host == "" {
		return nil, ErrNoConnection
	}
	overrides, err := c.overrides()
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(loading, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("the kubeconfig cannot be used: %w", err)
	}
	config.UserAgent, config.Timeout = c.UserAgent, requestTimeout
	if c.ProxyURL != "" {
		proxy, err := url.Parse(c.ProxyURL)
		if err != nil {
			return nil, errors.New("the proxy URL does not parse") // it may hold a password
		}
		config.Proxy = http.ProxyURL(proxy)
	}
	return config, nil
}

func (c Connection) overrides() (*clientcmd.ConfigOverrides, error) {
	o := &clientcmd.ConfigOverrides{CurrentContext: c.ConfigContext}
	o.Context.AuthInfo, o.Context.Cluster = c.ConfigContextUser, c.ConfigContextCluster
	o.ClusterInfo.InsecureSkipTLSVerify = c.Insecure
	o.ClusterInfo.TLSServerName = c.TLSServerName
	if c.ClusterCACertificate != "" {
		o.ClusterInfo.CertificateAuthorityData = []byte(c.ClusterCACertificate)
	}
	if c.Host != "" {
		tls := c.ClusterCACertificate != "" || c.ClientCertificate != "" || c.Insecure
		host, _, err := rest.DefaultServerURL(c.Host, "", schema.GroupVersion{}, tls)
		if err != nil {
			return nil, fmt.Errorf("the host %q cannot be used: %w", c.Host, err)
		}
		o.ClusterInfo.Server = host.String()
	}
	o.AuthInfo.Username, o.AuthInfo.Password, o.AuthInfo.Token = c.Username, c.Password, c.Token
	if c.ClientCertificate != "" {
		o.AuthInfo.ClientCertificateData = []byte(c.ClientCertificate)
	}
	if c.ClientKey != "" {
		o.AuthInfo.ClientKeyData = []byte(c.ClientKey)
	}
	if c.Exec != nil {
		o.AuthInfo.Exec = &clientcmdapi.ExecConfig{
			APIVersion: c.Exec.APIVersion, Command: c.Exec.Command, Args: c.Exec.Args,
			InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		}
		for name, value := range c.Exec.Env {
			o.AuthInfo.Exec.Env = append(o.AuthInfo.Exec.Env, clientcmdapi.ExecEnvVar{Name: name, Value: value})
		}
	}
	return o, nil
}
