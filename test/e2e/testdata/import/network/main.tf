terraform {
  required_providers {
    random = { source = "registry.terraform.io/hashicorp/random" }
    local  = { source = "registry.terraform.io/hashicorp/local" }
  }
}
variable "dir" {}
variable "range" {}
resource "random_id" "subnet" {
  count       = 2
  byte_length = 4
  prefix      = "${var.range}-"
}
