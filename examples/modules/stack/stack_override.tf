variable "region" {
  default = "us-west-2"
}

resource "examplecloud_thing" "server" {
  size = 3
}
