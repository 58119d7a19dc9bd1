terraform {
  required_version = ">= 1.6"
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

variable "cluster_name" {
  type = string
}

variable "cluster_version" {
  type    = number
  default = 30

  validation {
    condition     = var.cluster_version >= 28 && var.cluster_version < 40
    error_message = "Supported are the versions 28 to 39."
  }
}

variable "size_class" {
  type    = string
  default = "small"

  validation {
    condition     = contains(["small", "large"], var.size_class)
    error_message = "The size is small or large."
  }
}

variable "node_groups" {
  type = list(object({
    name     = string
    min      = optional(number, 1)
    max      = optional(number, 3)
    key_name = string
    taints   = optional(list(object({ key = string, value = string, effect = optional(string, "NoSchedule") })), [])
    labels   = optional(map(string))
  }))
  default = []
}

locals {
  sizes  = { small = 10, large = 100 }
  groups = { for g in var.node_groups : g.name => g }
}

resource "examplecloud_datastore" "control_plane" {
  name             = var.cluster_name
  hci_cluster_uuid = var.cluster_name
  capacity_gib     = local.sizes[var.size_class]
  cluster_info     = { id = var.cluster_name, name = "v${var.cluster_version}" }

  lifecycle {
    ignore_changes = [cluster_info]
    precondition {
      condition     = alltrue([for g in var.node_groups : g.min <= g.max])
      error_message = "A node group has a minimum above its maximum."
    }
  }
}

resource "examplecloud_thing" "group" {
  for_each = local.groups
  name     = "${var.cluster_name}-${each.key}"
  size     = each.value.min
  tags = merge(coalesce(each.value.labels, {}), {
    cluster = examplecloud_datastore.control_plane.id
    key     = each.value.key_name == null ? "none" : each.value.key_name
    taints  = join(",", [for t in each.value.taints : "${t.key}=${t.value}:${t.effect}"])
  })

  lifecycle {
    create_before_destroy = true
  }
}

check "groups" {
  assert {
    condition     = length(var.node_groups) > 0
    error_message = "The cluster has no nodes."
  }
}

output "cluster_id" {
  value = examplecloud_datastore.control_plane.id
}

output "node_groups" {
  value = { for name, g in examplecloud_thing.group : name => { id = g.id, tags = g.tags } }
}
