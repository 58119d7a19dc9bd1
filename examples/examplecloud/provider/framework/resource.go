package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// base is what all resource types have in common.
type base struct {
	name   string // "thing" of examplecloud_thing
	client *client.Client
}

func (b *base) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + b.name
}

func (b *base) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData == nil {
		return // not configured yet: only the schema is wanted
	}
	c, ok := req.ProviderData.(*client.Client)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("got %T, want a client", req.ProviderData))
	}
	b.client = c
}

// fail adds an error of the cloud. That an object was created and could not be read is a warning:
// the creation has succeeded, so the object is not to be replaced, and the next read completes its
// state.
func (b *base) fail(diags *diag.Diagnostics, doing string, err error) {
	if client.Unread(err) {
		diags.AddWarning(fmt.Sprintf("examplecloud_%s not read", b.name), err.Error())
		return
	}
	diags.AddError(fmt.Sprintf("Cannot %s examplecloud_%s", doing, b.name), err.Error())
}

// known is the text of a value, "" for null and unknown.
func known(value types.String) string { return value.ValueString() }

// firstOf is the first text that is not empty.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// text is a text of the cloud; "" is null.
func text(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// optionalText is a text of the cloud, for an optional attribute: the cloud does
// not tell "" from nothing, so what was there before decides.
func optionalText(before types.String, s string) types.String {
	if s == "" && before.IsNull() {
		return types.StringNull()
	}
	return types.StringValue(s)
}
