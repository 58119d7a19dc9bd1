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

variable "path" {
  type    = string
  default = "/"
}

variable "users" {
  type    = set(string)
  default = []
}

variable "groups" {
  type = map(object({
    members  = set(string)
    policies = optional(set(string), [])
  }))
  default = {}
}

variable "password_length" {
  type    = number
  default = 20
}

locals {
  memberships = merge([for group, g in var.groups : { for m in g.members : "${group}/${m}" => { group = group, member = m } }]...)
}

resource "random_password" "initial" {
  for_each = var.users
  length   = var.password_length
}

resource "examplecloud_credential" "user" {
  for_each = var.users
  name     = "${var.path}${each.value}"
  password = random_password.initial[each.key].result
}

resource "examplecloud_thing" "group" {
  for_each = var.groups
  name     = each.key
  tags     = { for p in each.value.policies : p => "attached" }
}

resource "examplecloud_thing" "membership" {
  for_each = local.memberships
  name     = each.key
  tags     = { group = examplecloud_thing.group[each.value.group].id, user = examplecloud_credential.user[each.value.member].id }
}

output "users" {
  value = { for name, u in examplecloud_credential.user : name => u.id }
}

output "api_keys" {
  value     = { for name, u in examplecloud_credential.user : name => u.api_key }
  sensitive = true
}
