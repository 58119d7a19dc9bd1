package scheduler_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// talking is a provider that says what it does.
type talking struct {
	*cloud
	tell func(string)
}

func (x *talking) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	x.tell = provider.Progress(ctx)
	return x.cloud.Apply(ctx, p)
}

func TestProgress(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		x := &talking{cloud: h.cloud}
		h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) { return x, func() {}, nil }
		h.cloud.block = make(chan struct{})
		h.observe()
		h.apply()
		synctest.Wait()
		says := func(text, want string) {
			t.Helper()
			x.tell(text)
			o := h.observe()
			if o.Progress != want || o.Operation == nil {
				t.Errorf("the progress is %q of operation %v, want %q", o.Progress, o.Operation, want)
			}
		}
		wakes := func(want int) {
			t.Helper()
			synctest.Wait()
			if got := strings.Count(strings.Join(h.log.take(), "\n"), "wake"); got != want {
				t.Errorf("woken %d times, want %d", got, want)
			}
		}
		if o := h.observe(); o.Progress != "" {
			t.Errorf("the progress is %q before anything was said", o.Progress)
		}
		h.log.take()
		says("one", "one")
		says("two", "two")
		wakes(0)
		time.Sleep(2 * time.Second)
		wakes(1)
		says("two", "two")
		time.Sleep(time.Minute)
		wakes(0)
		says("three", "three")
		time.Sleep(time.Minute)
		wakes(1)
		close(h.cloud.block)
		synctest.Wait()
		x.tell("too late")
		if o := h.observe(); o.Progress != "" || o.Operation != nil {
			t.Errorf("the progress is %q of operation %v when it is over", o.Progress, o.Operation)
		}
	})
}

// What could quote a secret that is not known yet is left out.
func TestProgressOfSecrets(t *testing.T) {
	str := func(a schema.Attribute) *schema.Attribute {
		a.Type = cty.String
		return &a
	}
	block := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"name":     str(schema.Attribute{Required: true}),
			"password": str(schema.Attribute{Optional: true, Computed: true, Sensitive: true}),
			"id":       str(schema.Attribute{Computed: true}),
		},
		Blocks: map[string]*schema.NestedBlock{"user": {Nesting: schema.NestingList, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"token": str(schema.Attribute{Computed: true, Sensitive: true})},
		}}},
	}
	user := cty.Object(map[string]cty.Type{"token": cty.String})
	unknown, known, null := cty.UnknownVal(cty.String), cty.StringVal("x"), cty.NullVal(cty.String)
	users := func(tokens ...cty.Value) cty.Value {
		if len(tokens) == 0 {
			return cty.ListValEmpty(user)
		}
		var all []cty.Value
		for _, token := range tokens {
			all = append(all, cty.ObjectVal(map[string]cty.Value{"token": token}))
		}
		return cty.ListVal(all)
	}
	state := func(name, password, id, user cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"name": name, "password": password, "id": id, "user": user})
	}
	cases := map[string]struct {
		action    terraform.Action
		state     cty.Value
		sensitive []cty.Path
		want      bool
	}{
		"it is given":                {terraform.Create, state(known, known, unknown, users()), nil, false},
		"there is none":              {terraform.Update, state(known, null, known, users(known)), nil, false},
		"it is generated":            {terraform.Create, state(known, unknown, unknown, users()), nil, true},
		"it is generated in a block": {terraform.Create, state(known, known, unknown, users(known, unknown)), nil, true},
		"it may be in a block":       {terraform.Create, state(known, known, unknown, cty.UnknownVal(cty.List(user))), nil, true},
		"its place is sensitive":     {terraform.Create, state(known, known, unknown, users()), []cty.Path{cty.GetAttrPath("id")}, true},
		"it is destroyed":            {terraform.Delete, cty.NullVal(block.ImpliedType()), nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := terraform.Plan{
				Resource: terraform.ResourceType{Schema: &schema.Resource{Block: block}},
				Action:   tc.action, State: tc.state, SensitivePaths: tc.sensitive,
			}
			if got := journal.MakesSecrets(p); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
