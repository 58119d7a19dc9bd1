package plugin_test

import (
	"path"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// TestMethods checks that tfplugin.Methods has each call of a provider.
func TestMethods(t *testing.T) {
	var known []string
	for _, m := range tfplugin.Methods() {
		name, _ := m.Name(6)
		known = append(known, path.Base(name))
	}
	for _, calls := range []reflect.Type{
		reflect.TypeFor[tfprotov6.ProviderServer](), reflect.TypeFor[tfprotov6.ListResourceServer](),
		reflect.TypeFor[tfprotov6.ActionServer](), reflect.TypeFor[tfprotov6.StateStoreServer](),
	} {
		for call := range calls.Methods() {
			if !slices.Contains(known, call.Name) {
				t.Errorf("%s is missing", call.Name)
			}
		}
	}
}
