variable "region" {
  default = "us-west-1"
}

resource "examplecloud_thing" "web" {
  size = 3
}
