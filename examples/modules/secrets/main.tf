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

variable "secret" {
  type      = string
  ephemeral = true
  sensitive = true
}

variable "secret_version" {
  type    = number
  default = 1
}

variable "password" {
  type      = string
  sensitive = true
  default   = null
}

ephemeral "random_password" "spare" {
  length = 24
}

resource "examplecloud_credential" "given" {
  name              = var.name
  password          = var.password
  secret_wo         = var.secret
  secret_wo_version = var.secret_version
}

resource "examplecloud_credential" "spare" {
  name              = "${var.name}-spare"
  secret_wo         = ephemeral.random_password.spare.result
  secret_wo_version = var.secret_version
}

output "digest" {
  value = examplecloud_credential.given.secret_sha256
}

output "api_key" {
  value     = examplecloud_credential.given.api_key
  sensitive = true
}
