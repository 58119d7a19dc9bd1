terraform {
  required_providers {
    examplecloud = {
      source                = "landbridge/examplecloud"
      configuration_aliases = [examplecloud.from, examplecloud.to]
    }
  }
}

variable "name" {
  type = string
}

resource "examplecloud_thing" "from" {
  provider = examplecloud.from
  name     = "${var.name}-from"
}

resource "examplecloud_thing" "to" {
  provider = examplecloud.to
  name     = "${var.name}-to"
}

output "regions" {
  value = "${examplecloud_thing.from.region} ${examplecloud_thing.to.region}"
}
