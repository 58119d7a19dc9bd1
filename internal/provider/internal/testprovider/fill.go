package testprovider

import (
	"fmt"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Fill returns a message in which every field that the protocol has is set. The same seed returns
// the same message.
func Fill[T any](protocol int, seed string) *T {
	return FillType(reflect.TypeFor[T](), protocol, seed).Interface().(*T)
}

// FillType is Fill for a reflect.Type.
func FillType(t reflect.Type, protocol int, seed string) reflect.Value {
	f := filler{protocol: protocol, seed: seed}
	v := reflect.New(t)
	f.fill(v.Elem(), 0)
	return v
}

type filler struct {
	protocol int
	seed     string
	n        int
}

// maxDepth bounds the depth of messages, because schemas contain schemas.
const maxDepth = 9

func (f *filler) text() string {
	f.n++
	return fmt.Sprintf("%s-%d", f.seed, f.n)
}

func (f *filler) fill(v reflect.Value, depth int) {
	switch x := v.Addr().Interface().(type) {
	case *tftypes.Type:
		*x = tftypes.List{ElementType: tftypes.Object{AttributeTypes: map[string]tftypes.Type{f.text(): tftypes.Number}}}
		return
	case **tftypes.AttributePath:
		*x = tftypes.NewAttributePath().WithAttributeName(f.text()).WithElementKeyInt(3).WithElementKeyString(f.text())
		return
	case *time.Time:
		*x = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
		return
	case *tfprotov6.DynamicValue:
		x.MsgPack = []byte("\xa8" + f.text()) // never decoded
		return
	case *tfprotov6.ValidateProviderConfigResponse:
		if f.protocol == 5 {
			x.PreparedConfig = Fill[tfprotov6.DynamicValue](f.protocol, f.text())
		}
		x.Diagnostics = []*tfprotov6.Diagnostic{Fill[tfprotov6.Diagnostic](f.protocol, f.text())}
		return
	case *tfprotov6.InvokeActionEventType:
		*x = tfprotov6.ProgressInvokeActionEventType{Message: f.text()}
		return
	case *tfprotov6.DiagnosticSeverity:
		*x = tfprotov6.DiagnosticSeverityWarning
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		switch v.Type() {
		case reflect.TypeFor[tfprotov6.StringKind]():
			v.SetInt(1)
		case reflect.TypeFor[tfprotov6.DeferredReason](), reflect.TypeFor[tfprotov6.SchemaNestedBlockNestingMode](),
			reflect.TypeFor[tfprotov6.SchemaObjectNestingMode]():
			v.SetInt(2)
		default:
			f.n++
			v.SetInt(int64(1000 + f.n))
		}
	case reflect.Pointer:
		if depth > maxDepth {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(f.text()))
			return
		}
		if depth > maxDepth {
			return
		}
		s := reflect.MakeSlice(v.Type(), 2, 2)
		for i := range 2 {
			f.fill(s.Index(i), depth+1)
		}
		v.Set(s)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth+1)
			f.fill(value, depth+1)
			m.SetMapIndex(key, value)
		}
		v.Set(m)
	case reflect.Struct:
		for i := range v.NumField() {
			if f.protocol == 5 && !in5(v.Type(), v.Type().Field(i).Name) {
				continue
			}
			f.fill(v.Field(i), depth+1)
		}
	case reflect.Func:
		// The server creates streams.
	default:
		panic(fmt.Sprintf("testprovider: cannot fill %s", v.Type()))
	}
}

// in5 reports whether protocol 5 has a field.
func in5(t reflect.Type, field string) bool {
	switch field {
	case "NestedType", "StateStores", "StateStoreSchemas":
		return false
	}
	return t != nil
}
