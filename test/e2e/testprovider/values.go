package main

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func decode(v *tfprotov6.DynamicValue, t tftypes.Type) tftypes.Value {
	out, err := v.Unmarshal(t)
	must(err)
	return out
}

func encode(v tftypes.Value, t tftypes.Type) *tfprotov6.DynamicValue {
	out, err := tfprotov6.NewDynamicValue(t, v)
	must(err)
	return &out
}

func members(v tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	if !v.IsNull() {
		must(v.As(&out))
	}
	return out
}

// texts returns the strings of an object that are known and not null.
func texts(v tftypes.Value) map[string]string {
	out := map[string]string{}
	for name, m := range members(v) {
		if m.Type().Is(tftypes.String) && m.IsKnown() && !m.IsNull() {
			var s string
			must(m.As(&s))
			out[name] = s
		}
	}
	return out
}

func rules(v tftypes.Value) []string {
	var list []tftypes.Value
	if r, ok := members(v)["rule"]; ok && r.IsKnown() && !r.IsNull() {
		must(r.As(&list))
	}
	var out []string
	for _, r := range list {
		out = append(out, texts(r)["port_range"])
	}
	return out
}

func (s *server) null() *tfprotov6.DynamicValue {
	return encode(tftypes.NewValue(s.resourceType(), nil), s.resourceType())
}

func (s *server) state(o object) *tfprotov6.DynamicValue {
	list := []tftypes.Value{}
	for _, r := range o.Rules {
		list = append(list, tftypes.NewValue(ruleType, map[string]tftypes.Value{"port_range": tftypes.NewValue(tftypes.String, r)}))
	}
	fields := map[string]tftypes.Value{"rule": tftypes.NewValue(tftypes.List{ElementType: ruleType}, list)}
	for _, name := range s.names() {
		if value, ok := o.Attributes[name]; ok {
			fields[name] = tftypes.NewValue(tftypes.String, value)
		} else {
			fields[name] = tftypes.NewValue(tftypes.String, nil)
		}
	}
	return encode(tftypes.NewValue(s.resourceType(), fields), s.resourceType())
}

// identity returns an object's identity; nil for kinds without identities.
func (s *server) identity(kind, name string) *tfprotov6.ResourceIdentityData {
	if kind != "place" {
		return nil
	}
	v := tftypes.NewValue(identityType, map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, name)})
	return &tfprotov6.ResourceIdentityData{IdentityData: encode(v, identityType)}
}
