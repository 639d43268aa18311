// SPDX-License-Identifier: MPL-2.0

package cluster

import "slices"

type volumeWire struct {
	Metadata meta `json:"metadata"`
	Status   struct {
		State         string `json:"state"`
		Robustness    string `json:"robustness"`
		CurrentNodeID string `json:"currentNodeID"`
	} `json:"status"`
}

func keepVolume(s *Snapshot, w volumeWire) {
	s.Volumes = append(s.Volumes, Volume{Name: w.Metadata.named(), State: w.Status.State, Robustness: w.Status.Robustness, Node: w.Status.CurrentNodeID})
}

type instanceWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		VolumeName  string `json:"volumeName"`
		NodeID      string `json:"nodeID"`
		DesireState string `json:"desireState"`
		FailedAt    string `json:"failedAt"`
		HealthyAt   string `json:"healthyAt"`
	} `json:"spec"`
	Status struct {
		CurrentState        string `json:"currentState"`
		InstanceManagerName string `json:"instanceManagerName"`
		IP                  string `json:"ip"`
		StorageIP           string `json:"storageIP"`
		Port                int    `json:"port"`
	} `json:"status"`
}

func keepReplica(s *Snapshot, w instanceWire) {
	s.Replicas = append(s.Replicas, Replica{
		Name: w.Metadata.named(), Volume: w.Spec.VolumeName, Node: w.Spec.NodeID, Desired: w.Spec.DesireState, Current: w.Status.CurrentState,
		FailedAt: w.Spec.FailedAt, HealthyAt: w.Spec.HealthyAt, InstanceManager: w.Status.InstanceManagerName, IP: w.Status.IP, StorageIP: w.Status.StorageIP,
	})
}

func keepEngine(s *Snapshot, w instanceWire) {
	s.Engines = append(s.Engines, Engine{
		Name: w.Metadata.named(), Volume: w.Spec.VolumeName, Node: w.Spec.NodeID, Desired: w.Spec.DesireState, Current: w.Status.CurrentState,
		InstanceManager: w.Status.InstanceManagerName, IP: w.Status.IP, Port: w.Status.Port,
	})
}

type instanceManagerWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		NodeID string `json:"nodeID"`
	} `json:"spec"`
	Status struct {
		CurrentState string `json:"currentState"`
		IP           string `json:"ip"`
	} `json:"status"`
}

func keepInstanceManager(s *Snapshot, w instanceManagerWire) {
	s.InstanceManagers = append(s.InstanceManagers, InstanceManager{Name: w.Metadata.named(), Node: w.Spec.NodeID, Current: w.Status.CurrentState, IP: w.Status.IP})
}

type settingWire struct {
	Metadata meta   `json:"metadata"`
	Value    string `json:"value"`
}

// keepSetting keeps the settings that decide about recovery and addresses. Others may
// hold credentials.
func keepSetting(s *Snapshot, w settingWire) {
	if slices.Contains([]string{"auto-salvage", "storage-network"}, w.Metadata.Name) {
		s.LonghornSettings = append(s.LonghornSettings, Setting{Name: w.Metadata.named(), Value: w.Value})
	}
}
