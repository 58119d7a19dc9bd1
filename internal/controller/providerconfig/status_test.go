package providerconfig_test

import (
	"fmt"
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A configuration tells whose objects are not known to be in its account, and what confirms that
// they are.
func TestAccountChanged(t *testing.T) {
	t.Parallel()
	shared, own := providerconfig.Reference{Kind: model.ClusterProviderConfigKind, Name: "a"},
		providerconfig.Reference{Kind: model.ProviderConfigKind, Namespace: "x", Name: "a"}
	users := []providerconfig.User{
		{Key: store.Key{Kind: "Thing", Namespace: "x", Name: "b"}}, {
			Key: store.Key{Kind: "Thing", Namespace: "x", Name: "c"},
		},
	}
	const begin, end = "Nothing is done for 2 of 3 resources, whose objects are not known to be in the account of this configuration: ",
		" If its arguments have changed, and it is for the same account as before for all of them, set the " +
			"annotation landbridge.io/confirm-account of this configuration to \"a@12345678\"."
	for name, test := range map[string]struct {
		ref        providerconfig.Reference
		code, want string
	}{
		"of a namespace":  {own, "a@12345678", begin + "Thing b, Thing c." + end},
		"of the cluster":  {shared, "a@12345678", begin + "2 Thing in namespace x." + end},
		"without account": {shared, "", begin + "2 Thing in namespace x."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := providerconfig.AccountChanged(test.ref, users, 3, test.code); got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A configuration that is being deleted tells what uses it. One of the cluster names no resources
// of namespaces.
func TestInUse(t *testing.T) {
	t.Parallel()
	const begin = "It is being deleted, and stays until no resource uses it any more. It is used by: "
	shared, own := providerconfig.Reference{Kind: model.ClusterProviderConfigKind, Name: "a"},
		providerconfig.Reference{Kind: model.ProviderConfigKind, Namespace: "x", Name: "a"}
	var many []providerconfig.User
	for i := range 7 {
		many = append(many, providerconfig.User{Key: store.Key{Kind: "Thing", Namespace: fmt.Sprintf("n%d", i), Name: fmt.Sprintf("t%d", i)}})
	}
	for name, test := range map[string]struct {
		ref   providerconfig.Reference
		users []providerconfig.User
		want  string
	}{
		"of a namespace": {
			own, []providerconfig.User{
				{Key: store.Key{Kind: "Thing", Namespace: "x", Name: "b"}}, {
					Key: store.Key{Kind: "Box", Namespace: "x", Name: "c"},
				},
			}, "Box c, Thing b.",
		},
		"of the cluster": {
			shared, []providerconfig.User{
				{Key: store.Key{Kind: "Thing", Namespace: "x", Name: "b"}}, {
					Key: store.Key{Kind: "Thing", Namespace: "x", Name: "c"},
				}, {Key: store.Key{Kind: "Thing", Namespace: "y", Name: "c"}},
			}, "2 Thing in namespace x, 1 Thing in namespace y.",
		},
		"many": {own, many, "Thing t0, Thing t1, Thing t2, Thing t3, Thing t4, 2 more."},
		"many, of the cluster": {
			shared, many, "1 Thing in namespace n0, 1 Thing in namespace n1, 1 Thing in namespace n2, 1 Thing in " +
				"namespace n3, 1 Thing in namespace n4, 2 more.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := providerconfig.InUse(test.ref, test.users); got != begin+test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
