terraform {
  required_providers {
    examplecloud = {
      source                = "landbridge/examplecloud"
      configuration_aliases = [examplecloud.replica]
    }
  }
}

variable "name" {
  type = string
}

variable "copies" {
  type    = number
  default = 1
}

resource "examplecloud_thing" "primary" {
  name = var.name
}

resource "examplecloud_thing" "replica" {
  provider = examplecloud.replica
  name     = "${var.name}-replica"
  tags     = { of = examplecloud_thing.primary.id }
}

module "copy" {
  source = "./modules/copy"
  count  = var.copies
  name   = "${var.name}-copy-${count.index}"
  providers = {
    examplecloud.from = examplecloud
    examplecloud.to   = examplecloud.replica
  }
}

output "regions" {
  value = [examplecloud_thing.primary.region, examplecloud_thing.replica.region]
}

output "copies" {
  value = [for c in module.copy : c.regions]
}
