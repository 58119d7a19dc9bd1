package leaktest

import (
	"os"
	"reflect"
	"runtime"
	"sync"
)

// Process counts the goroutines and the open files of this process. Files are counted on Linux
// alone.
func Process() map[string]int {
	out := map[string]int{"goroutines": runtime.NumGoroutine()}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		out["files"] = len(files)
	}
	return out
}

// Entries adds to out the numbers of entries of all maps and lists that a value leads to, by where
// they are. A sync.Map is a map if the value is addressable.
func Entries(v reflect.Value, at string, out map[string]int) {
	entries(v, at, map[uintptr]bool{}, out)
}

func entries(v reflect.Value, at string, seen map[uintptr]bool, out map[string]int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			entries(v.Elem(), at, seen, out)
		}
	case reflect.Interface:
		if !v.IsNil() {
			entries(v.Elem(), at, seen, out)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[sync.Map]() && v.CanAddr() {
			(*sync.Map)(v.Addr().UnsafePointer()).Range(func(_, value any) bool {
				out[at]++
				entries(reflect.ValueOf(value), at+"[]", seen, out)
				return true
			})
			return
		}
		for i := range v.NumField() {
			entries(v.Field(i), at+"."+v.Type().Field(i).Name, seen, out)
		}
	case reflect.Map:
		out[at] += v.Len()
		for it := v.MapRange(); it.Next(); {
			entries(it.Value(), at+"[]", seen, out)
		}
	case reflect.Slice:
		out[at] += v.Len()
		for i := range v.Len() {
			entries(v.Index(i), at+"[]", seen, out)
		}
	}
}

// Texts calls see with all texts that a value leads to, keys of maps included, and where they are.
// What leave returns true for is left out, with all that it leads to.
func Texts(v reflect.Value, at string, leave func(reflect.Type) bool, see func(at, text string)) {
	texts{leave: leave, see: see, seen: map[uintptr]bool{}}.of(v, at)
}

type texts struct {
	leave func(reflect.Type) bool
	see   func(at, text string)
	seen  map[uintptr]bool
}

func (x texts) of(v reflect.Value, at string) {
	if !v.IsValid() || x.leave(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		x.see(at, v.String())
	case reflect.Pointer:
		if !v.IsNil() && !x.seen[v.Pointer()] {
			x.seen[v.Pointer()] = true
			x.of(v.Elem(), at)
		}
	case reflect.Interface:
		x.of(v.Elem(), at)
	case reflect.Struct:
		for i := range v.NumField() {
			x.of(v.Field(i), at+"."+v.Type().Field(i).Name)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			x.of(it.Key(), at+"[]")
			x.of(it.Value(), at+"[]")
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			x.of(v.Index(i), at+"[]")
		}
	}
}
