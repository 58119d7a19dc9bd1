package generate

import (
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// sdkv2 is the package of providers on the legacy SDK. Its types are read by reflection: this
// module does not depend on the SDK, whose version is up to the provider.
const sdkv2 = "github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

// servers are the types of providers' servers.
var servers = []reflect.Type{reflect.TypeFor[tfprotov5.ProviderServer](), reflect.TypeFor[tfprotov6.ProviderServer]()}

// forceNew returns the paths of the arguments that the schemas of a provider on the legacy SDK mark
// as ForceNew, by resource type.
func forceNew(server any) map[string][]string {
	out := map[string][]string{}
	for _, p := range legacyProviders(reflect.ValueOf(server), map[uintptr]bool{}) {
		for each := p.Elem().FieldByName("ResourcesMap").MapRange(); each.Next(); {
			if paths := forcing(each.Value(), ""); len(paths) > 0 {
				slices.Sort(paths)
				out[each.Key().String()] = paths
			}
		}
	}
	return out
}

// legacyProviders returns the *schema.Provider values of a server, and of the servers that it
// consists of, such as those of a mux. They are in fields that are not exported.
func legacyProviders(v reflect.Value, seen map[uintptr]bool) (out []reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		return legacyProviders(v.Elem(), seen)
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return nil
		}
		seen[v.Pointer()] = true
		if t := v.Type().Elem(); t.PkgPath() == sdkv2 && t.Name() == "Provider" {
			return []reflect.Value{reflect.NewAt(t, v.UnsafePointer())}
		}
		if isServer(v.Type()) {
			return parts(v.Elem(), seen)
		}
	case reflect.Struct:
		if isServer(v.Type()) {
			return parts(v, seen)
		}
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, legacyProviders(v.Index(i), seen)...)
		}
	}
	return out
}

// parts is legacyProviders of the fields of a server.
func parts(server reflect.Value, seen map[uintptr]bool) (out []reflect.Value) {
	if server.Kind() != reflect.Struct {
		return nil
	}
	for i := range server.NumField() {
		out = append(out, legacyProviders(server.Field(i), seen)...)
	}
	return out
}

func isServer(t reflect.Type) bool { return slices.ContainsFunc(servers, t.Implements) }

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
