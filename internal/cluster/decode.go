// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// typeMeta is what an object says it is.
type typeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Add reads recorded objects into the snapshot: JSON or YAML, single objects, Lists,
// and several of them one after the other. Kinds that do not count are passed over.
// It holds one object at a time.
func (s *Snapshot) Add(r io.Reader) error {
	buffered := bufio.NewReaderSize(r, 1<<16)
	first, err := firstByte(buffered)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if first == '{' {
		return s.addJSON(buffered)
	}
	return s.addYAML(buffered)
}

// firstByte returns the first byte that is no white space, unread.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\n' && b != '\r' && b != '\t' && b != 0xEF && b != 0xBB && b != 0xBF {
			return b, r.UnreadByte()
		}
	}
}

func (s *Snapshot) addJSON(r io.Reader) error {
	decoder := json.NewDecoder(r)
	for {
		_, err := s.object(decoder, nil)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *Snapshot) addYAML(r io.Reader) error {
	decoder := yaml.NewDecoder(r)
	for {
		var content any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if content == nil {
			continue
		}
		text, err := json.Marshal(content)
		if err != nil {
			return fmt.Errorf("an object is none: %w", err)
		}
		if err := s.addJSON(bytes.NewReader(text)); err != nil {
			return err
		}
	}
}

// object reads one object or List from its opening brace on, token by token, so that
// a List of any length costs no more than its largest item. want, if not nil, is the
// kind of items that do not say theirs, as the items of an API server's list do. It
// returns the token of the next page.
func (s *Snapshot) object(decoder *json.Decoder, want *kind) (next string, err error) {
	token, err := decoder.Token()
	if err != nil {
		return "", err
	}
	if token != json.Delim('{') {
		return "", fmt.Errorf("here stands %v where an object starts", token)
	}
	var self typeMeta
	var untyped []json.RawMessage
	fields := map[string]json.RawMessage{}
	isList := false
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return "", err
		}
		if key == "items" {
			isList = true
			if untyped, err = s.items(decoder, want); err != nil {
				return "", err
			}
			continue
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return "", err
		}
		fields[fmt.Sprint(key)] = value
	}
	if _, err := decoder.Token(); err != nil {
		return "", err
	}
	// A value of another type leaves the field empty, as it is for an object that
	// says nothing.
	_ = json.Unmarshal(fields["apiVersion"], &self.APIVersion)
	_ = json.Unmarshal(fields["kind"], &self.Kind)
	if !isList {
		text, err := json.Marshal(fields)
		if err != nil {
			return "", err
		}
		return "", s.single(text, self)
	}
	for _, raw := range untyped {
		if err := s.item(raw, typeMeta{self.APIVersion, strings.TrimSuffix(self.Kind, "List")}); err != nil {
			return "", err
		}
	}
	var metadata struct {
		Continue string `json:"continue"`
	}
	_ = json.Unmarshal(fields["metadata"], &metadata)
	return metadata.Continue, nil
}

// items reads the items of a List, and returns those that say no kind.
func (s *Snapshot) items(decoder *json.Decoder, want *kind) (untyped []json.RawMessage, err error) {
	token, err := decoder.Token()
	if err != nil || token == nil { // "items": null
		return nil, err
	}
	if token != json.Delim('[') {
		return nil, fmt.Errorf("items is %v, want a list", token)
	}
	for decoder.More() {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, err
		}
		if want != nil {
			if err := want.take(s, raw); err != nil {
				return nil, fmt.Errorf("an item of %s: %w", want, err)
			}
			continue
		}
		self := typeOf(raw)
		if self.Kind == "" {
			untyped = append(untyped, bytes.Clone(raw))
			continue
		}
		if err := s.item(raw, self); err != nil {
			return nil, err
		}
	}
	_, err = decoder.Token()
	return untyped, err
}

// typeOf reads what an object says it is. Both keys stand at its start as a rule, so
// that the rest is not looked at.
func typeOf(raw []byte) typeMeta {
	var self typeMeta
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return self
	}
	for decoder.More() && (self.APIVersion == "" || self.Kind == "") {
		key, err := decoder.Token()
		if err != nil {
			return self
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return self
		}
		// A value of another type says nothing.
		switch key {
		case "apiVersion":
			_ = json.Unmarshal(value, &self.APIVersion)
		case "kind":
			_ = json.Unmarshal(value, &self.Kind)
		}
	}
	return self
}

// item keeps what counts of one item of a List, which may be a List itself.
func (s *Snapshot) item(raw []byte, self typeMeta) error {
	if strings.HasSuffix(self.Kind, "List") {
		_, err := s.object(json.NewDecoder(bytes.NewReader(raw)), nil)
		return err
	}
	return s.single(raw, self)
}

// single keeps what counts of an object that is no List.
func (s *Snapshot) single(raw []byte, self typeMeta) error {
	k, known := kindOf(self.APIVersion, self.Kind)
	if !known {
		return nil
	}
	if err := k.take(s, raw); err != nil {
		return fmt.Errorf("a %s is no %s: %w", self.Kind, k, err)
	}
	return nil
}

// absorb takes over what another snapshot holds.
func (s *Snapshot) absorb(o *Snapshot) {
	s.Nodes = append(s.Nodes, o.Nodes...)
	s.CiliumNodes = append(s.CiliumNodes, o.CiliumNodes...)
	s.CiliumNodeConfigs = append(s.CiliumNodeConfigs, o.CiliumNodeConfigs...)
	s.CiliumEndpoints = append(s.CiliumEndpoints, o.CiliumEndpoints...)
	s.PodIPPools = append(s.PodIPPools, o.PodIPPools...)
	s.LoadBalancerPools = append(s.LoadBalancerPools, o.LoadBalancerPools...)
	s.Pods = append(s.Pods, o.Pods...)
	s.Services = append(s.Services, o.Services...)
	s.ServiceCIDRs = append(s.ServiceCIDRs, o.ServiceCIDRs...)
	s.ConfigMaps = append(s.ConfigMaps, o.ConfigMaps...)
	s.Workloads = append(s.Workloads, o.Workloads...)
	s.Events = append(s.Events, o.Events...)
	s.Subnets = append(s.Subnets, o.Subnets...)
	s.IPs = append(s.IPs, o.IPs...)
	s.Packages = append(s.Packages, o.Packages...)
	s.Releases = append(s.Releases, o.Releases...)
	s.Volumes = append(s.Volumes, o.Volumes...)
	s.Replicas = append(s.Replicas, o.Replicas...)
	s.Engines = append(s.Engines, o.Engines...)
	s.InstanceManagers = append(s.InstanceManagers, o.InstanceManagers...)
	s.LonghornSettings = append(s.LonghornSettings, o.LonghornSettings...)
	s.VolumeAttachments = append(s.VolumeAttachments, o.VolumeAttachments...)
	s.NetworkAttachments = append(s.NetworkAttachments, o.NetworkAttachments...)
	s.NotInspected = append(s.NotInspected, o.NotInspected...)
}
