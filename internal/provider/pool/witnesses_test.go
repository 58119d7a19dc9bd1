package pool_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// tenants are resources that share a provider configuration, of which each namespace has some.
type tenants struct {
	*testing.T
	pool *pool.Pool
	key  pool.Key
	l    *counting
}

// reads has a resource read its object, whose type says what the cloud answers.
func (x tenants) reads(namespace string, n int, typ string) {
	x.Helper()
	lease, f := x.pool.TryAcquire(provider.WithUser(x.Context(), provider.User{Namespace: namespace, Resource: fmt.Sprint(n)}), x.key)
	if f != nil {
		x.Fatal(f)
	}
	defer lease.Release()
	if _, err := read(lease.Server(), typ); err != nil {
		x.Fatal(err)
	}
}

func (x tenants) paused() bool { return x.pool.Failure(x.key) != nil }

// A configuration is paused for all when several of those that use it say so, and not for what one
// namespace says.
func TestVerdictsNeedWitnesses(t *testing.T) {
	for name, verdict := range map[string]string{
		"throttled": tooMany, "credentials": "refuse:invalid credentials", "endpoint": "refuse:connection refused",
	} {
		// Fewer than three calls in a row are no outage.
		outage := verdict != tooMany
		for scenario, c := range map[string]struct {
			// users are namespaces with two resources each that have used the configuration.
			users []string
			// says are the namespaces whose resources, each another one, get the error.
			says []string
			want bool
		}{
			"one namespace of two":       {[]string{"a", "b"}, []string{"a", "a", "a", "a", "a", "a"}, false},
			"both":                       {[]string{"a", "b"}, []string{"a", "a", "b"}, true},
			"two of three":               {[]string{"a", "b", "c"}, []string{"a", "a", "c"}, true},
			"the only namespace":         {[]string{"a"}, []string{"a", "a", "a"}, true},
			"a resource that is alone":   {nil, []string{"a", "a", "a"}, true},
			"more namespaces than known": {[]string{"a", "b", "c", "d"}, []string{"d", "d", "d", "d"}, false},
		} {
			t.Run(name+", "+scenario, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := newCounting()
					x := tenants{t, newPool(t, pool.Options{}), pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")}), l}
					for _, namespace := range c.users {
						x.reads(namespace, 0, "echo")
						x.reads(namespace, 1, "echo")
					}
					for i, namespace := range c.says {
						n := i
						if c.users == nil {
							n = 0
						}
						if !x.paused() {
							x.reads(namespace, n, verdict)
						}
					}
					if x.paused() != c.want {
						t.Errorf("paused: %v", x.paused())
					}
					if outage && x.pool.Paused(x.key) != c.want {
						t.Errorf("Paused is %v", x.pool.Paused(x.key))
					}
				})
			})
		}
	}
}

// One resource of the only namespace does not pause the others, however often it fails, and neither
// do resources that quote themselves.
func TestOneResourceIsNoWitness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newCounting()
		x := tenants{t, newPool(t, pool.Options{}), pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")}), l}
		x.reads("a", 1, "echo")
		for range 20 {
			x.reads("a", 2, tooMany)
			x.reads("a", 2, "refuse:connection refused")
			time.Sleep(time.Minute)
		}
		if x.paused() {
			t.Errorf("it is paused: %v", x.pool.Failure(x.key))
		}
		for _, words := range []string{"Too Many Requests; retry after 900 seconds", "invalid credentials"} {
			v := cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(words)})
			b, err := ctymsgpack.Marshal(v, v.Type())
			if err != nil {
				t.Fatal(err)
			}
			state := &tfprotov6.DynamicValue{MsgPack: b}
			for i := range 6 {
				ctx := provider.WithUser(t.Context(), provider.User{Namespace: fmt.Sprint(i), Resource: "x"})
				lease, diags := x.pool.Acquire(ctx, x.key)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				a, err := lease.Server().ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: "refuse:" + words, CurrentState: state})
				lease.Release()
				if err != nil || len(a.Diagnostics) == 0 {
					t.Fatal(a, err)
				}
			}
		}
		if x.paused() {
			t.Errorf("it is paused by quotations: %v", x.pool.Failure(x.key))
		}
	})
}
