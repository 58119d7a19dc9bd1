terraform {
  required_version = ">= 1.6"
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

variable "name" {
  type = string
}

resource "examplecloud_thing" "this" {
  name = var.name
}

output "id" {
  value = examplecloud_thing.this.id
}
