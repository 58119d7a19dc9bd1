// Package tfplugin is the wire form of the plugin protocols 5.11 and 6.11: messages
// generated from landbridge_tfplugin.proto, and the full gRPC name of each call.
//
// In: nothing. Out: message types and names. It makes no calls and decodes no values;
// internal/provider/plugin does.
package tfplugin

//go:generate protoc --go_out=. --go_opt=paths=source_relative landbridge_tfplugin.proto
