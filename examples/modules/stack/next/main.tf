terraform {
  required_version = ">= 1.6"

  backend "s3" {
    bucket = "states"
    key    = "stack"
  }

  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

provider "examplecloud" {
  region = var.region
}

provider "examplecloud" {
  alias  = "archive"
  region = "eu-central-1"
}

variable "region" {
  type    = string
  default = "us-east-1"
}

variable "existing" {
  description = "Ids of things that exist already, by name."
  type        = map(string)
  default     = {}
}

import {
  for_each = local.existing
  to       = examplecloud_thing.adopted[each.key]
  id       = each.value
}

locals {
  existing = var.existing
}

resource "examplecloud_thing" "adopted" {
  for_each = var.existing
  name     = each.key
}

resource "examplecloud_thing" "web" {
  name = "server"
}


resource "examplecloud_thing" "archive" {
  provider = examplecloud.archive
  name     = "archive"
}

check "server" {
  assert {
    condition     = examplecloud_thing.web.size > 0
    error_message = "The server has no size."
  }
}

output "server" {
  value = examplecloud_thing.web.id
}

output "regions" {
  value = [examplecloud_thing.web.region, examplecloud_thing.archive.region]
}

output "adopted" {
  value = [for a in examplecloud_thing.adopted : a.id]
}

moved {
  from = examplecloud_thing.server
  to   = examplecloud_thing.web
}

removed {
  from = examplecloud_thing.leaving

  lifecycle {
    destroy = false
  }
}
