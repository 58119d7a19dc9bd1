package providerconfig_test

import (
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
	"github.com/landbridge-io/landbridge/schema"
)

// names is how many names are used, one each half minute, and keptNames how many of them may be
// kept.
const names, keptNames = 300, 100

// kept fails if a field of a value has kept too much.
func kept(t *testing.T, of any, field string) {
	t.Helper()
	held := map[string]int{}
	leaktest.Entries(reflect.ValueOf(of).Elem().FieldByName(field), field, held)
	if n := held[field]; n == 0 || n > keptNames {
		t.Errorf("%d entries of %s after %d names", n, field, names)
	}
}

// closed ends what a resolver has running.
func closed(t *testing.T, r *providerconfig.Resolver) {
	t.Helper()
	if err := r.Pool.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Users choose the names of configurations, which need not exist if there is nothing to configure.
func TestNothingIsKeptOfNamesWithoutConfiguration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := resolver(t, false)
		defer closed(t, r)
		r.Provider.Schema.Config = &schema.Block{}
		for i := range names {
			ref := &xpv2.ProviderConfigReference{Kind: model.ClusterProviderConfigKind, Name: fmt.Sprint("c-", i)}
			if h := r.Resolve(t.Context(), ref, "team-a"); h.Diagnostics.HasErrors() {
				t.Fatal(h.Diagnostics)
			}
			time.Sleep(time.Minute / 2)
		}
		kept(t, r, "resolved")
	})
}

// Namespaces come and go.
func TestNothingIsKeptOfFormerNamespaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		selects := m{"allowedNamespaces": m{"selector": m{"matchLabels": m{"tier": "a"}}}}
		objects := []client.Object{configuration(model.ClusterProviderConfigKind, "", selects)}
		for i := range names {
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("team-", i),
				Labels: map[string]string{"tier": "a"}}})
		}
		r, _ := resolver(t, false, objects...)
		defer closed(t, r)
		ref := &xpv2.ProviderConfigReference{Kind: model.ClusterProviderConfigKind, Name: "shared"}
		for i := range names {
			if h := r.Resolve(t.Context(), ref, fmt.Sprint("team-", i)); h.Diagnostics.HasErrors() {
				t.Fatal(h.Diagnostics)
			}
			time.Sleep(time.Minute / 2)
		}
		kept(t, r.Admission, "known")
	})
}
