variable "environment" {
  type = string
}

variable "apps" {
  type = map(object({
    replicas = optional(number, 1)
    domain   = optional(string)
  }))
  default = {}
}

module "network" {
  source = "./modules/network"
  name   = var.environment
}

module "app" {
  source   = "./modules/app"
  for_each = var.apps

  name     = "${var.environment}-${each.key}"
  replicas = each.value.replicas
  domain   = each.value.domain
  network  = module.network.id

  depends_on = [module.network]
}

output "apps" {
  value = { for name, a in module.app : name => a.ids }
}

output "domains" {
  value = { for name, a in module.app : name => a.domain }
}
