// Command testprovider is a Terraform provider for end-to-end tests that misbehaves on request.
//
// Its name is that of its file, terraform-provider-NAME or terraform-provider-NAME_vVERSION. It has
// the resource types NAME_thing, and NAME_place, which has an identity; and others like NAME_thing
// if the environment names them. The environment variables in main.go and files in the directory
// DIR control it:
//
//	DIR/objects/TYPE.NAME   a remote object, as JSON; may be edited or removed. Those of an account are in DIR/objects/ACCOUNT
//	DIR/calls               the calls, one "METHOD TYPE NAME" per line
//	DIR/orders/NAME         what the next apply of the object NAME does, see orders.go
//	DIR/orders/read.NAME    what the next read of it does
package main
