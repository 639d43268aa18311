# A recording of a cluster that runs already; without snapshot_paths the cluster of
# the provider block is read, and with files a repository.
data "cidrplan_discovery" "edge" {
  name           = "edge"
  snapshot_paths = ["snapshot.yaml"]
}

# The declaration as configuration, to keep: terraform output -raw declaration
output "declaration" {
  value = data.cidrplan_discovery.edge.declaration
}

output "doubts" {
  value = data.cidrplan_discovery.edge.doubts
}
