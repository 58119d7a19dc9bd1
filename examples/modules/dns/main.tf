terraform {
  required_version = ">= 1.6"
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

variable "zone" {
  type = string

  validation {
    condition     = can(regex("^[a-z0-9.-]+$", var.zone)) && var.zone != "localhost"
    error_message = "This is not the name of a zone."
  }
}

variable "records" {
  type = list(object({
    name    = string
    type    = string
    ttl     = optional(number, 300)
    records = optional(list(string))
    alias   = optional(object({ target = string, health = optional(bool, false) }))
  }))
  default = []
}

locals {
  records = { for r in var.records : "${coalesce(r.name, "@")} ${r.type}" => r }
}

resource "examplecloud_thing" "zone" {
  name = var.zone
}

resource "examplecloud_thing" "record" {
  for_each = { for key, r in local.records : key => r if r.alias == null }
  name     = each.value.name == null ? var.zone : "${each.value.name}.${var.zone}"
  size     = each.value.ttl
  tags     = { type = each.value.type, values = join(" ", each.value.records), zone = examplecloud_thing.zone.id }
}

resource "examplecloud_alias" "alias" {
  for_each = { for key, r in local.records : key => r.alias if r.alias != null }
  name     = "${each.key} ${var.zone}"
  target   = each.value.target
}

output "names" {
  value = sort([for r in examplecloud_thing.record : r.name])
}
