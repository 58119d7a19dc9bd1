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

variable "bucket" {
  description = "Name; one is made up if it is null."
  type        = string
  default     = null
}

variable "bucket_prefix" {
  type    = string
  default = "bucket"
}

variable "attach_policy" {
  type    = bool
  default = false
}

variable "policy_statements" {
  type    = any
  default = []
}

variable "lifecycle_rules" {
  type = list(object({
    id         = string
    enabled    = optional(bool, true)
    expiration = object({ days = number, marker = bool })
    transition = optional(list(object({ days = number, class = string })), [])
  }))
  default = []
}

resource "random_string" "suffix" {
  count   = var.bucket == null ? 1 : 0
  length  = 6
  special = false
  upper   = false
}

locals {
  name     = var.bucket != null ? var.bucket : "${var.bucket_prefix}-${random_string.suffix[0].result}"
  policies = "${path.module}/policies"
  deny     = jsondecode(file("${local.policies}/deny.json"))
  policy   = jsonencode({ Statement = concat(tolist([local.deny]), [for s in var.policy_statements : merge({ Effect = "Allow" }, s)]) })
}

resource "examplecloud_thing" "bucket" {
  name = local.name
  tags = { rules = jsonencode([for r in var.lifecycle_rules : { id = r.id, days = try(r.expiration.days, null), moves = length(r.transition) } if r.enabled]) }
}

resource "examplecloud_ticket" "policy" {
  count = var.attach_policy ? 1 : 0
  title = examplecloud_thing.bucket.id
  body  = templatefile("${path.module}/policies/policy.tftpl", { policy = local.policy })
}

output "bucket" {
  value = examplecloud_thing.bucket.name
}

output "policy" {
  value = try(examplecloud_ticket.policy[0].body, null)
}
