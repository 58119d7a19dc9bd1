package tenancy_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/doubletest"
)

const (
	system = clustertest.System
	// open needs no configuration; guarded needs a token.
	open, guarded = "open", "guarded"
	// attacker is who attacks in most attacks.
	attacker = "mallory, with the role edit in one namespace,"
)

// m is a JSON object.
type m = map[string]any

var (
	eventually = waittest.Eventually
	resource   = objecttest.New
	text       = objecttest.Text
	isTrue     = objecttest.IsTrue
)

// tenant is a user with the roles edit and landbridge-configure in one namespace, unless an attack
// is about others.
type tenant struct {
	client.Client
	config    *rest.Config
	namespace string
}

// doubles are the installed providers, by name.
var doubles = map[string]*doubletest.Double{}

// world is a cluster with a controller, a victim and an attacker.
type world struct {
	*clustertest.Cluster
	victim, mallory tenant
	// cloud has the objects of the provider listed.
	cloud *examplecloudtest.Cloud
	// webhook is the port of the webhook for plans.
	webhook int
	// name is the beginning of the names of objects.
	name string
}

// everyone has the controller.
var everyone struct{ stop func() error }

// called returns the same world for other objects.
func (x *world) called(name string) *world {
	out := *x
	out.name = objectName(name)
	return &out
}

// user binds a user to the roles of a tenant in a new namespace.
func (x *world) user(t *testing.T, name string) tenant {
	t.Helper()
	return x.bound(t, name, x.Namespace(t), "edit", "landbridge-configure")
}

// bound binds a user to roles in a namespace.
func (x *world) bound(t *testing.T, name, ns string, roles ...string) tenant {
	t.Helper()
	config := x.As(t, name, ns, roles...)
	own, err := client.New(config, client.Options{Scheme: x.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return tenant{own, config, ns}
}

// newWorld starts a controller with the permissions in deploy/rbac, and installs three providers.
// The role edit includes their kinds.
func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	c.Bounded = true
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	o := clustertest.Options(time.Second, filepath.Join(scratch, "cache"), providertest.Mirror(t, "random"))
	// The attacks are those of many tenants at once, of whom several use all processes that their
	// namespace may have. So there may be more of them than by default, 100, and as many for each.
	o.Pool.MaxServers, o.Pool.MaxServersPerNamespace = 200, 20
	o.CommandLine = &kinds.CommandLine{Program: tofu, Dir: scratch}
	o.Admission = &admission.Options{
		Port: clustertest.FreePort(t), Service: crd.Service{Namespace: system, Name: "landbridge"}, Host: "localhost",
	}
	if everyone.stop, err = c.StartController(o); err != nil {
		t.Fatal(err)
	}
	x := &world{Cluster: c, webhook: o.Admission.Port}
	x.installListed(t)
	x.install(t, open, nil)
	x.install(t, guarded, nil, "TESTPROVIDER_CONFIGURATION=yes")
	x.install(t, frail, m{"limits": m{"memory": "96Mi"}}, "TESTPROVIDER_CONFIGURATION=yes")
	x.install(t, braked, m{"destroyBrake": m{"destroysPerMinute": int64(mostDestroys)}})
	x.MustCreate(t, resource("landbridge.io/v1alpha1", "TerraformProvider", "", "random", m{
		"source": "hashicorp/random", "activate": []any{"random_pet", "random_integer"},
	}))
	x.victim, x.mallory = x.user(t, "victim"), x.user(t, "mallory")
	for _, by := range []tenant{x.victim, x.mallory} {
		for _, provider := range []string{open, guarded, frail, braked} {
			probe := x.place(by, "probe", nil)
			probe.SetAPIVersion(apiVersion(provider))
			eventually(t, "the role includes the kinds", func(ctx context.Context) bool {
				return by.Create(ctx, probe.DeepCopy(), client.DryRunAll) == nil
			})
		}
	}
	return x
}

// install installs the test provider under a name, with more of its spec.
func (x *world) install(t *testing.T, name string, more m, env ...string) {
	t.Helper()
	d := doubletest.New(t, name, filepath.Join(scratch, "clouds", name), env...)
	doubles[name] = d
	p := d.Provider()
	spec(p)["admission"] = "DryRun"
	maps.Copy(spec(p), more)
	x.MustCreate(t, p)
	x.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
}

// configuredWith reports whether the provider was configured with a token.
func configuredWith(token string) bool {
	return doubles[guarded].Calls("configure with "+token) > 0
}

// remote returns the attributes of a remote object.
func remote(kind, name string) (map[string]string, bool) {
	o, ok := doubles[open].Object(kind, name)
	return o.Attributes, ok
}

func apiVersion(provider string) string { return provider + ".landbridge.io/v1alpha1" }

// place returns a resource with an identity. Its remote object has the same name, unless the
// arguments have another one.
func (x *world) place(by tenant, name string, arguments m) *unstructured.Unstructured {
	return x.of("Place", by, name, arguments)
}

func (x *world) of(kind string, by tenant, name string, arguments m) *unstructured.Unstructured {
	all := m{"name": name}
	for k, v := range arguments {
		all[k] = v
	}
	return resource(apiVersion(open), kind, by.namespace, name, m{"forProvider": all})
}

// spec returns the spec of a resource.
func spec(u *unstructured.Unstructured) m { return u.Object["spec"].(m) }

// create creates an object as a tenant.
func (by tenant) create(t *testing.T, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	if err := by.Create(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	return u
}

// owned creates a resource of the victim and waits until it is ready.
func (x *world) owned(t *testing.T, kind string) *unstructured.Unstructured {
	t.Helper()
	u := x.victim.create(t, x.of(kind, x.victim, x.name, m{"value": "confidential"}))
	x.WaitReady(t, u)
	return u
}

// either waits until one of two things is the case and reports whether it is the first.
func (x *world) either(t *testing.T, u *unstructured.Unstructured, succeeded, refused func() bool) bool {
	t.Helper()
	x.WaitFor(t, u, "decided", func() bool { return succeeded() || refused() })
	return succeeded()
}

// becomesReady waits until a resource is ready, or is not for one of the reasons, and reports
// whether it is.
func (x *world) becomesReady(t *testing.T, u *unstructured.Unstructured, reasons ...string) bool {
	t.Helper()
	return x.either(t, u, func() bool { return isTrue(u, "Ready", "Synced") }, func() bool { return refusedFor(u, reasons...) })
}

// refusedFor reports whether a resource is not synced for one of the reasons.
func refusedFor(u *unstructured.Unstructured, reasons ...string) bool {
	status, got, _ := objecttest.Condition(u, "Synced")
	for _, reason := range reasons {
		if status == "False" && got == reason {
			return true
		}
	}
	return false
}

func message(u *unstructured.Unstructured) string {
	_, _, said := objecttest.Condition(u, "Synced")
	return said
}

// reveals reports whether the status of a resource, or its events, have something that only the
// victim knows.
func (x *world) reveals(t *testing.T, u *unstructured.Unstructured, words ...string) bool {
	t.Helper()
	told := fmt.Sprint(u.Object["status"])
	events := &corev1.EventList{}
	if err := x.List(t.Context(), events, client.InNamespace(u.GetNamespace()),
		client.MatchingFields{"involvedObject.uid": string(u.GetUID())}); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		told += e.Message
	}
	for _, word := range words {
		if strings.Contains(told, word) {
			return true
		}
	}
	return false
}

// secret creates a Secret as a tenant.
func (by tenant) secret(t *testing.T, name string, data map[string]string) {
	t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: by.namespace, Name: name}, StringData: data}
	if err := by.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}
