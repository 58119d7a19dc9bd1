package module_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// FuzzInstance checks that damaged instances do not panic: what is stored of a module is in a
// Secret, which others can write.
func FuzzInstance(f *testing.F) {
	f.Add(
		[]byte(`{"version":4,"outputs":{"a":{"value":1,"type":"number"}},"resources":[{"module":"module.x","mode":"managed","type":"t","name":"n","provider":"p","instances":[{"attributes":{"id":"1"}}]}]}`),
		[]byte(`[{"configuration":"a/b","type":"t","identity":"{}"},{"type":"u","id":"1"}]`),
		[]byte(`{"changes":[{"resource":{"addr":"t.n"},"kind":"Create","answered":true,"state":"gA==","object":{"type":"t"}},{"kind":"Delete"}]}`),
	)
	f.Add([]byte(`{"outputs":{"a":null},"resources":[{"instances":[null]}]}`), []byte(`[null]`), []byte(`{"changes":[{"kind":"Create"}]}`))
	f.Fuzz(func(_ *testing.T, state, objects, journal []byte) { module.Damaged(state, objects, journal) })
}

// FuzzPlan checks that no plan of a program causes a panic.
func FuzzPlan(f *testing.F) {
	f.Add([]byte(`{"resource_changes":[{"address":"module.x.t.n[\"a\"]","module_address":"module.x","type":"t","name":"n","mode":"managed","change":{"actions":["create"],"after":{},"importing":{}}}],"output_changes":{"o":{"actions":["update"],"after":[1]}},"configuration":{"root_module":{"module_calls":{"x":{"module":{"resources":[{"mode":"managed","type":"t","name":"n"}]}}}}}}`))
	f.Add([]byte(`{"resource_changes":[{}],"output_changes":{"o":{}}}`))
	f.Fuzz(func(_ *testing.T, plan []byte) { module.ReadPlan(plan) })
}

// FuzzAdopt checks that no state file causes a panic.
func FuzzAdopt(f *testing.F) {
	f.Add([]byte(`{"version":4,"resources":[{"module":"module.net[\"a\"]","mode":"managed","type":"t","name":"n","provider":"module.net.provider[\"x\"].y","instances":[{"attributes":{"id":"1"},"dependencies":["module.net.t.m"]}]}]}`), `module.net["a"]`)
	f.Add([]byte(`{"version":4,"resources":[{"provider":"provider[\"","instances":[{"deposed":"1"}]}]}`), "")
	f.Fuzz(func(_ *testing.T, state []byte, address string) { _, _ = module.Adopt(state, address) })
}
