terraform {
  required_providers {
    random = { source = "registry.terraform.io/hashicorp/random" }
    local  = { source = "registry.terraform.io/hashicorp/local" }
    time   = { source = "registry.terraform.io/hashicorp/time" }
  }
}
variable "dir" { type = string }
resource "random_string" "token" {
  length  = 12
  special = false
}
resource "random_password" "db" {
  length = 20
}
resource "random_pet" "server" {
  for_each = toset(["web", "db.one", "DB_One"])
  keepers  = { role = each.key }
}
resource "random_integer" "port" {
  count = 2
  min   = 1000
  max   = 2000
}
resource "random_shuffle" "zones" {
  input        = ["a", "b", "c"]
  result_count = 2
}
module "network" {
  source = "./network"
  for_each = { eu = "10.0.0.0", us = "10.1.0.0" }
  dir    = var.dir
  range  = each.value
}
resource "local_file" "motd" {
  filename = "${var.dir}/motd"
  content  = "welcome ${random_string.token.result}"
}
resource "local_sensitive_file" "key" {
  filename = "${var.dir}/key"
  content  = random_password.db.result
}
data "local_file" "motd" {
  filename = local_file.motd.filename
}
resource "time_static" "made" {}
