package testprovider

import (
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// convert converts a message between the protocols by the names of its fields. Fields that the
// other protocol does not have must be empty.
func convert[T any](in any) *T {
	v := reflect.ValueOf(in)
	if v.IsNil() {
		return nil
	}
	out := new(T)
	convertValue(reflect.ValueOf(out).Elem(), v.Elem())
	return out
}

// lower converts an answer; errors are returned as they are.
func lower[T any](in any, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return convert[T](in), nil
}

func convertValue(out, in reflect.Value) {
	if in.Type().AssignableTo(out.Type()) {
		out.Set(in)
		return
	}
	switch in.Kind() {
	case reflect.Pointer:
		if !in.IsNil() {
			out.Set(reflect.New(out.Type().Elem()))
			convertValue(out.Elem(), in.Elem())
		}
	case reflect.Slice:
		if !in.IsNil() {
			out.Set(reflect.MakeSlice(out.Type(), in.Len(), in.Len()))
			for i := range in.Len() {
				convertValue(out.Index(i), in.Index(i))
			}
		}
	case reflect.Map:
		if !in.IsNil() {
			out.Set(reflect.MakeMap(out.Type()))
			for _, key := range in.MapKeys() {
				value := reflect.New(out.Type().Elem()).Elem()
				convertValue(value, in.MapIndex(key))
				out.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		for i := range in.NumField() {
			name := in.Type().Field(i).Name
			to := out.FieldByName(name)
			if !to.IsValid() {
				if !in.Field(i).IsZero() && in.Field(i).Len() > 0 {
					panic(fmt.Sprintf("testprovider: %s has no %s", out.Type(), name))
				}
				continue
			}
			convertValue(to, in.Field(i))
		}
	case reflect.Interface:
		switch event := in.Interface().(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			out.Set(reflect.ValueOf(tfprotov5.ProgressInvokeActionEventType{Message: event.Message}))
		case tfprotov6.CompletedInvokeActionEventType:
			out.Set(reflect.ValueOf(*convert[tfprotov5.CompletedInvokeActionEventType](&event)))
		default:
			panic(fmt.Sprintf("testprovider: cannot convert %s", in.Type()))
		}
	case reflect.Func:
		// The server creates streams.
	default:
		out.Set(in.Convert(out.Type()))
	}
}
