# A real one: sizes, VLANs with static addresses, reserved ranges, a pool in a
# VLAN, and the lock file that keeps what was decided.
data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"
  max_nodes    = 64
  lock_file    = "dc1.cidrplan.json"

  reserved = {
    office = ["10.2.0.0/16"]
  }

  network {
    name    = "mgmt"
    role    = "node"
    cidrs   = ["192.168.40.0/24"]
    vlan_id = 40
    gateway = "192.168.40.1"
    dhcp    = ["192.168.40.100-192.168.40.199"]
    vips    = { api = "192.168.40.10" }
  }
  network {
    name               = "storage"
    role               = "node"
    vlan_id            = 49
    ipv4_prefix_length = 24 # the plan chooses which
  }
  network {
    name        = "load_balancer"
    carved_from = "mgmt"
    cidrs       = ["192.168.40.200-192.168.40.250"]
  }

  hosts = {
    k8s-1 = 11
    k8s-2 = 12
    k8s-3 = 13
  }
}

# A guard: the run fails where the plan has a doubtful thing.
check "no_warnings" {
  assert {
    condition     = alltrue([for f in data.cidrplan_site.dc1.findings : f.severity == "info"])
    error_message = join("\n", [for f in data.cidrplan_site.dc1.findings : f.message])
  }
}

output "storage_address_of_k8s_1" {
  value = data.cidrplan_site.dc1.host_addresses["k8s-1"].storage[0]
}
