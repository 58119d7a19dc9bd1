package tenancy_test

import (
	"strings"
	"testing"
)

// load are attacks by sizes and numbers.
var load = map[string]attack{
	"a large spec": {
		attacker: attacker, means: "creates a resource with a value of a megabyte", refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.large(t)
			x.owned(t, "Place") // it fails if it is not ready in time
			return false
		},
		// They do reach the provider.
		control: func(t *testing.T, x *world) bool {
			x.large(t)
			o, ok := remote("place", x.name+"-large")
			return ok && len(o["value"]) == size
		},
	},
	"many resources": {
		attacker: attacker, means: "creates 200 resources that cannot be reconciled", refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.flood(t)
			x.owned(t, "Place")
			return false
		},
		control: func(t *testing.T, x *world) bool { return x.flood(t) },
	},
}

const size = 1 << 20

// large creates a large resource of mallory's, and waits until it is ready.
func (x *world) large(t *testing.T) {
	t.Helper()
	x.WaitReady(t, x.mallory.create(t, x.place(x.mallory, x.name+"-large", m{"value": strings.Repeat("x", size)})))
}

// flood creates resources with invalid arguments, and reports whether they reach the controller.
func (x *world) flood(t *testing.T) bool {
	t.Helper()
	const n = 200
	last := x.place(x.mallory, x.name+"-last", m{"value": "invalid"})
	for i := range n - 1 {
		x.mallory.create(t, x.place(x.mallory, x.name+"-"+strings.Repeat("i", i%50)+"-"+string(rune('a'+i/50)), m{"value": "invalid"}))
	}
	x.mallory.create(t, last)
	return !x.becomesReady(t, last, "InvalidConfiguration", "ReconcileError")
}
