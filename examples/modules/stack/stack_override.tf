variable "region" {
  default = "us-west-1"
}

resource "examplecloud_thing" "server" {
  size = 3
}
