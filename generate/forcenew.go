package generate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// sdkv2 is the package of providers on the legacy SDK. Its types are read by reflection: this
// module does not depend on the SDK, whose version is up to the provider.
const sdkv2 = "github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

// forceNew returns the paths of the arguments that the schemas of providers mark as ForceNew, by
// resource type.
func forceNew(providers []any) (map[string][]string, error) {
	out := map[string][]string{}
	for _, p := range providers {
		v := reflect.ValueOf(p)
		if t := reflect.TypeOf(p); t == nil || t.Kind() != reflect.Pointer || t.Elem().PkgPath() != sdkv2 ||
			t.Elem().Name() != "Provider" || v.IsNil() {
			return nil, fmt.Errorf("generate.Program: SDKv2 has a %T, where a *schema.Provider of %s is needed", p, sdkv2)
		}
		for each := v.Elem().FieldByName("ResourcesMap").MapRange(); each.Next(); {
			if paths := forcing(each.Value(), ""); len(paths) > 0 {
				slices.Sort(paths)
				out[each.Key().String()] = paths
			}
		}
	}
	return out, nil
}

// forcing returns the paths of a *schema.Resource, each after a prefix.
func forcing(resource reflect.Value, prefix string) []string {
	var out []string
	for name, s := range attributes(resource) {
		if s.FieldByName("ForceNew").Bool() {
			out = append(out, prefix+name)
		}
		if nested := s.FieldByName("Elem").Elem(); nested.IsValid() && nested.Type() == resource.Type() && !nested.IsNil() {
			out = append(out, forcing(nested, prefix+name+".")...)
		}
	}
	return out
}

// attributes returns the schemas of a *schema.Resource, which may be made by a function.
func attributes(resource reflect.Value) map[string]reflect.Value {
	all := resource.Elem().FieldByName("Schema")
	if f := resource.Elem().FieldByName("SchemaFunc"); f.IsValid() && !f.IsNil() {
		all = f.Call(nil)[0]
	}
	return maps.Collect(func(yield func(string, reflect.Value) bool) {
		for each := all.MapRange(); each.Next() && yield(each.Key().String(), each.Value().Elem()); {
		}
	})
}
