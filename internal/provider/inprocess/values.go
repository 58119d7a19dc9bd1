package inprocess

import "github.com/hashicorp/terraform-plugin-go/tfprotov6"

// null is a null of any type. Providers do not write into requests.
var null = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}

// fill replaces absent values by nulls, because SDKv2 dereferences values without checking them
// (contract § 1).
func fill(values ...**tfprotov6.DynamicValue) {
	for _, v := range values {
		if *v == nil || len((*v).MsgPack) == 0 && len((*v).JSON) == 0 {
			*v = null
		}
	}
}
