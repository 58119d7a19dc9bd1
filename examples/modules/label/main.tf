variable "context" {
  type = any
  default = {
    enabled    = true
    namespace  = null
    stage      = null
    attributes = []
    tags       = {}
  }
}

variable "namespace" {
  type    = string
  default = null
}

variable "stage" {
  type    = string
  default = null

  validation {
    condition     = var.stage == null || contains(["dev", "test", "prod"], var.stage)
    error_message = "The stage is dev, test or prod."
  }
}

variable "name" {
  type = string
}

variable "delimiter" {
  type        = string
  description = "What stands between the parts; a dash if it is null."
}

variable "attributes" {
  type    = list(string)
  default = []
}

variable "tags" {
  type    = map(string)
  default = {}
}

locals {
  parts = [
    var.namespace != null ? var.namespace : try(var.context.namespace, null),
    var.stage != null ? var.stage : try(var.context.stage, null),
    var.name,
  ]
  attributes = distinct(concat(try(var.context.attributes, []), var.attributes))
  id         = lower(join(var.delimiter == null ? "-" : var.delimiter, compact(concat(local.parts, local.attributes))))
}

output "id" {
  value = local.id
}

output "tags" {
  value = merge({ Name = local.id }, try(var.context.tags, {}), var.tags)
}

output "context" {
  value = { namespace = local.parts[0], stage = local.parts[1], attributes = local.attributes, tags = var.tags, enabled = true }
}
