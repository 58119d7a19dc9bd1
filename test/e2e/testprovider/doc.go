// Command testprovider is a Terraform provider for end-to-end tests: one that does as it is
// told, including what no provider should do.
//
// Its name is that of its file, terraform-provider-NAME or terraform-provider-NAME_vVERSION;
// it has the resource types NAME_thing, and NAME_place, which has an identity. It is told what
// to do by the environment variables below, and by files in the directory DIR:
//
//	DIR/objects/TYPE.NAME   a remote object, as JSON; may be edited or removed
//	DIR/calls               what was called, one "METHOD TYPE NAME" a line
//	DIR/orders/NAME         what the next apply of the object NAME does, see orders.go
//	DIR/orders/read.NAME    what the next read of it does
package main
