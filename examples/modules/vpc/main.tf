terraform {
  required_version = ">= 1.6"
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

locals {
  zones   = distinct([for s in var.subnets : s.zone])
  public  = { for name, s in var.subnets : name => s if s.public }
  private = { for name, s in var.subnets : name => s if !s.public }
}

resource "examplecloud_thing" "vpc" {
  name = var.name
  tags = merge(var.tags, { cidr = var.cidr })
}

resource "examplecloud_thing" "public" {
  for_each = local.public
  name     = "${var.name}-${each.key}"
  tags     = merge(var.tags, each.value.tags, { cidr = coalesce(each.value.cidr, cidrsubnet(var.cidr, 8, 200)), vpc = examplecloud_thing.vpc.id })
}

resource "examplecloud_thing" "private" {
  for_each = local.private
  name     = "${var.name}-${each.key}"
  tags     = merge(var.tags, each.value.tags, { cidr = coalesce(each.value.cidr, cidrsubnet(var.cidr, 8, 201)), vpc = examplecloud_thing.vpc.id })
}

resource "examplecloud_thing" "gateway" {
  count      = var.enable_gateway ? (var.single_gateway ? 1 : length(local.zones)) : 0
  name       = "${var.name}-gateway-${count.index}"
  depends_on = [examplecloud_thing.public]
}
