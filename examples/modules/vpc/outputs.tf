output "vpc_id" {
  description = "Id of the network."
  value       = examplecloud_thing.vpc.id
}

output "public_subnets" {
  value = { for name, s in examplecloud_thing.public : name => s.id }
}

output "private_subnets" {
  value = { for name, s in examplecloud_thing.private : name => s.id }
}

output "gateways" {
  value = examplecloud_thing.gateway[*].id
}
