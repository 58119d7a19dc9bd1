variable "name" {
  description = "Name of the network, and prefix of all names in it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]*$", var.name)) && length(var.name) <= 20
    error_message = "The name consists of at most 20 small letters, digits and hyphens."
  }
}

variable "cidr" {
  description = "Addresses of the network."
  type        = string
  default     = "10.0.0.0/16"

  validation {
    condition     = can(cidrhost(var.cidr, 0))
    error_message = "This is not a range of addresses."
  }
}

variable "subnets" {
  description = "Subnets by name."
  type = map(object({
    zone   = string
    cidr   = string
    public = optional(bool, false)
    tags   = optional(map(string), {})
  }))
  default = {}
}

variable "enable_gateway" {
  type    = bool
  default = true
}

variable "single_gateway" {
  type    = bool
  default = true
}

variable "tags" {
  type    = map(string)
  default = {}
}
