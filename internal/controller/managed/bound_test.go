package managed_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

func text(n int) string { return strings.Repeat("x", n) }

func TestFitObject(t *testing.T) {
	cases := map[string]struct {
		object  map[string]any
		most    int
		leftOut []string
	}{
		"nothing":             {object: nil, most: 10},
		"small":               {object: map[string]any{"a": "x"}, most: 100},
		"certainly not small": {object: map[string]any{"a": text(50), "b": int64(1)}, most: 100},
		"one large":           {object: map[string]any{"id": "i-1", "large": text(200), "b": true}, most: 100, leftOut: []string{"large"}},
		"largest first": {
			object: map[string]any{"id": "i-1", "a": text(30), "b": text(80), "c": text(60)}, most: 100,
			leftOut: []string{"b", "c"},
		},
		"nested": {
			object: map[string]any{"id": "i-1", "a": map[string]any{"b": []any{text(100)}}}, most: 100,
			leftOut: []string{"a"},
		},
		"same size":  {object: map[string]any{"b": text(60), "a": text(60)}, most: 100, leftOut: []string{"a"}},
		"escaped":    {object: map[string]any{"id": "i-1", "a": strings.Repeat("\x01", 20)}, most: 100, leftOut: []string{"a"}},
		"everything": {object: map[string]any{"a": text(100)}, most: 10, leftOut: []string{"a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := len(tc.object)
			if diff := cmp.Diff(tc.leftOut, managed.FitObject(tc.object, tc.most)); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			if len(tc.object)+len(tc.leftOut) != n {
				t.Errorf("%v is left", tc.object)
			}
		})
	}
}

func values() *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Float64Range(-1e300, 1e300).AsAny(),
		rapid.Bool().AsAny(), rapid.Just[any](nil))
	list := rapid.SliceOfN(leaf, 0, 4)
	return rapid.OneOf(leaf, rapid.Custom(func(t *rapid.T) any { return list.Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(rapid.String(), leaf, 0, 4).Draw(t, "map") }))
}

// Whatever the values, the result has at most the given size, and nothing is left out that would
// fit.
func TestFitsAlways(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,8}`), values(), 0, 8).Draw(t, "object")
		most := rapid.IntRange(2, 400).Draw(t, "most")
		whole, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		leftOut := managed.FitObject(object, most)
		if b, _ := json.Marshal(object); len(b) > max(most, 2) {
			t.Fatalf("%d bytes are left of %d, at most %d are allowed", len(b), len(whole), most)
		}
		if len(leftOut) > 0 && len(whole) <= most-8 {
			t.Fatalf("%v is left out of %d bytes, where %d are allowed", leftOut, len(whole), most)
		}
	})
}

func TestShorten(t *testing.T) {
	if got := managed.Shorten("short"); got != "short" {
		t.Errorf("got %q", got)
	}
	got := managed.Shorten(strings.Repeat("ä", 20<<10))
	if len(got) > 17<<10 || !utf8.ValidString(got) || !strings.HasSuffix(got, "more bytes)") {
		t.Errorf("got %d bytes: …%s", len(got), got[len(got)-40:])
	}
}

// A condition names what is left out of the status, and the command that shows it, as long as it
// is.
func TestStatusComplete(t *testing.T) {
	k := kind(t)
	k.Scheduler = forgetful{}
	r := managed.ResourceOf(&unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "team", "name": "one"}}})
	observe := func(id string) xpv2.Condition {
		state := object(map[string]string{"id": id})
		managed.SetStatus(k, r, &scheduler.Observation{
			Instance: instance.Instance{State: state, Status: instance.Full},
			Plan:     &terraform.Plan{Action: terraform.Update, Prior: instance.Instance{State: state}, State: object(map[string]string{"id": "y"})},
		})
		return r.GetCondition(v1alpha1.TypeStatusComplete)
	}
	if c := observe("x"); c.Status != corev1.ConditionUnknown {
		t.Errorf("with nothing left out: %+v", c)
	}
	c := observe(text(1 << 20))
	if c.Status != corev1.ConditionFalse || c.Reason != v1alpha1.ReasonFieldsLeftOut {
		t.Errorf("with a large field: %+v", c)
	}
	want := "status.atProvider leaves out id, since it has at most 256 KiB. The whole state is shown by: landbridge " +
		"state show Thing one --namespace team"
	if diff := cmp.Diff(want, c.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if b, err := json.Marshal(r.Object["status"]); err != nil || len(b) > 10<<10 {
		t.Errorf("the status has %d bytes, error %v", len(b), err)
	}
	if c := observe("x"); c.Status != corev1.ConditionTrue || c.Reason != v1alpha1.ReasonNothingLeftOut {
		t.Errorf("with nothing left out again: %+v", c)
	}
}

// A condition with a long message shows a part of it, and the status has the whole one. When it is
// set again, nothing is written.
func TestLongMessage(t *testing.T) {
	long := "It failed. " + strings.Repeat("The provider says so. ", 50)
	stored := &unstructured.Unstructured{}
	stored.SetGroupVersionKind(schema.FromAPIVersionAndKind("x.io/v1", "Thing"))
	stored.SetName("x")
	writes := 0
	api := fake.NewClientBuilder().WithStatusSubresource(stored).WithObjects(stored).WithInterceptorFuncs(interceptor.Funcs{
		SubResourceUpdate: func(
			ctx context.Context, c client.Client, subResource string, obj client.Object,
			opts ...client.SubResourceUpdateOption,
		) error {
			writes++
			return c.SubResource(subResource).Update(ctx, obj, opts...)
		},
	}).Build()
	c := managed.NewResourceClient(api, stored.GroupVersionKind())
	for i, step := range []struct {
		synced xpv2.Condition
		writes int
		whole  any
	}{
		{xpv2.ReconcileError(errors.New(long)), 1, long},
		{xpv2.ReconcileError(errors.New(long)), 1, long},
		{xpv2.ReconcileError(errors.New(long + "Again.")), 2, long + "Again."},
		{xpv2.ReconcileError(errors.New("It failed.")), 3, nil},
		{xpv2.ReconcileSuccess(), 4, nil},
	} {
		r, err := c.Read(t.Context(), client.ObjectKeyFromObject(stored))
		if err != nil {
			t.Fatal(err)
		}
		r.SetConditions(step.synced)
		if got := r.GetCondition(xpv2.TypeSynced).Message; got != step.synced.Message {
			t.Errorf("step %d: while it is reconciled, the message is %q", i, got)
		}
		if err := c.UpdateStatus(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(stored), stored); err != nil {
			t.Fatal(err)
		}
		if _, _, shown := objecttest.Condition(stored, "Synced"); shown != step.synced.Message {
			t.Errorf("step %d: the whole message is %q", i, shown)
		}
		if whole := objecttest.At(stored, "status", "messages", "Synced"); whole != step.whole || writes != step.writes {
			t.Errorf("step %d: %d writes, and status.messages has %v", i, writes, whole)
		}
		for _, c := range objecttest.At(stored, "status", "conditions").([]any) {
			if message, _ := c.(m)["message"].(string); utf8.RuneCountInString(message) > 300 {
				t.Errorf("step %d: a condition shows %q", i, message)
			}
		}
	}
}
