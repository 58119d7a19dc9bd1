variable "region" {
  default = "us-west-2"
}

resource "examplecloud_thing" "web" {
  size = 3
}
