// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// RecordCommand records all that is read, in one file. The kinds that a cluster does
// not have are left out by --ignore-not-found of the shell loop around it.
const RecordCommand = `for kind in ` + recordKinds + `; do kubectl get "$kind" --all-namespaces -o json 2>/dev/null; done > snapshot.json`

const recordKinds = "nodes pods services configmaps events daemonsets.apps deployments.apps servicecidrs.networking.k8s.io volumeattachments.storage.k8s.io " +
	"ciliumnodes.cilium.io ciliumnodeconfigs.cilium.io ciliumendpoints.cilium.io ciliumpodippools.cilium.io ciliumloadbalancerippools.cilium.io ipaddresspools.metallb.io " +
	"subnets.kubeovn.io ips.kubeovn.io packages.cozystack.io helmreleases.helm.toolkit.fluxcd.io kustomizations.kustomize.toolkit.fluxcd.io " +
	"volumes.longhorn.io replicas.longhorn.io engines.longhorn.io instancemanagers.longhorn.io settings.longhorn.io network-attachment-definitions.k8s.cni.cncf.io"

// ReadRecorded reads recorded files into a snapshot. A folder stands for the JSON and
// YAML files in it. It fails with all that cannot be read.
func ReadRecorded(paths []string) (*Snapshot, error) {
	s := &Snapshot{}
	var errs []error
	files, err := expand(paths)
	if err != nil {
		errs = append(errs, err)
	}
	for _, file := range files {
		if err := s.addFile(file); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	s.gaps()
	s.sort()
	return s, errors.Join(errs...)
}

func (s *Snapshot) addFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(s.Add(f), f.Close())
}

// expand replaces folders by their files, in the order of names.
func expand(paths []string) ([]string, error) {
	var out []string
	var errs []error
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !info.IsDir() {
			out = append(out, path)
			continue
		}
		err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && slices.Contains([]string{".json", ".yaml", ".yml"}, strings.ToLower(filepath.Ext(file))) {
				out = append(out, file)
			}
			return err
		})
		errs = append(errs, err)
	}
	return out, errors.Join(errs...)
}

// gaps notes what a recording should hold and does not: every cluster has nodes and
// pods, and where Cilium or Kube-OVN runs, their objects are there.
func (s *Snapshot) gaps() {
	missing := func(kind, because string) {
		s.NotInspected = append(s.NotInspected, Gap{Kind: kind, Reason: "the recording holds none, but " + because, Hint: "record it as well: kubectl get " + kind + " --all-namespaces -o json"})
	}
	if len(s.Nodes) == 0 {
		missing("nodes", "every cluster has nodes")
	}
	if len(s.Pods) == 0 {
		missing("pods", "every cluster has pods")
	}
	if _, runs := s.ConfigMap("cilium-config"); runs && len(s.CiliumNodes) == 0 {
		missing("ciliumnodes.cilium.io", "Cilium is configured")
	}
	if len(s.CiliumNodes) > 0 {
		if _, recorded := s.ConfigMap("cilium-config"); !recorded {
			missing("configmaps", "Cilium runs, and cilium-config says in which mode")
		}
	}
	if len(s.IPs) > 0 && len(s.Subnets) == 0 {
		missing("subnets.kubeovn.io", "Kube-OVN holds addresses")
	}
	if len(s.Subnets) > 0 && len(s.IPs) == 0 {
		missing("ips.kubeovn.io", "Kube-OVN has Subnets")
	}
}

// ConfigMap returns the ConfigMap of this name, in whatever namespace it stands.
func (s *Snapshot) ConfigMap(name string) (ConfigMap, bool) {
	for _, c := range s.ConfigMaps {
		if c.Name.Name == name {
			return c, true
		}
	}
	return ConfigMap{}, false
}
