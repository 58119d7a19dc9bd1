package managed_test

import (
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
)

// A resource of a kind with listRefresh is looked at by listing, at its own interval.
func TestListRefresh(t *testing.T) {
	t.Parallel()
	k := kind(t)
	k.Options.Poll = time.Minute
	u := &unstructured.Unstructured{Object: m{"metadata": m{}}}
	if refresh, _ := managed.ListRefresh(k, u); refresh != nil {
		t.Errorf("not configured, but %+v", refresh)
	}
	k.Model.Settings.ListRefresh = &model.ListRefresh{
		Arguments: map[string]model.IdentitySource{"zone": {Constant: cty.StringVal("here")}}, ReadEvery: 7,
	}
	u.SetAnnotations(map[string]string{"crossplane.io/poll-interval": "30s"})
	refresh, before := managed.ListRefresh(k, u)
	if refresh.ReadEvery != 7 || refresh.Interval != 30*time.Second {
		t.Errorf("got %+v", refresh)
	}
	arguments, missing := refresh.Arguments(cty.EmptyObjectVal)
	if missing != "" || len(arguments) != 1 || !arguments["zone"].RawEquals(cty.StringVal("here")) {
		t.Errorf("the arguments are %v, without %q", arguments, missing)
	}
	seen := map[string]bool{before: true}
	for _, annotation := range []string{"landbridge.io/reconcile-requested-at", "crossplane.io/reconcile-requested-at"} {
		u.SetAnnotations(map[string]string{annotation: "now"})
		_, asked := managed.ListRefresh(k, u)
		if seen[asked] {
			t.Errorf("%s does not ask for a look", annotation)
		}
		seen[asked] = true
	}
}
