terraform {
  required_version = ">= 1.6"
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
    random = {
      source  = "hashicorp/random"
      version = ">= 3.5"
    }
  }
}

variable "name" {
  type = string
}

variable "replicas" {
  type = number
}

variable "domain" {
  type     = string
  nullable = true
}

variable "network" {
  type = string
}

resource "random_pet" "domain" {
  count = var.domain == null ? 1 : 0
}

resource "examplecloud_thing" "replica" {
  count = var.replicas
  name  = "${var.name}-${count.index}"
  tags  = { network = var.network, domain = local.domain }
}

locals {
  domain = var.domain == null ? random_pet.domain[0].id : var.domain
}

output "ids" {
  value = examplecloud_thing.replica[*].id
}

output "domain" {
  value = local.domain
}
