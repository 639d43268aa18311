# A recording of a cluster, as the command on this page makes it. Without
# snapshot_paths the cluster of the provider block is read.
data "cidrplan_audit" "dc1" {
  snapshot_paths = ["snapshot.yaml"]
}

check "no_address_is_held_twice" {
  assert {
    condition     = data.cidrplan_audit.dc1.healthy
    error_message = data.cidrplan_audit.dc1.summary
  }
}

# A stop-gap for today, in the syntax of Kube-OVN's excludeIps.
output "exclude_today" {
  value = data.cidrplan_audit.dc1.exclude_today
}
