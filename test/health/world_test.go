package health_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/test/doubletest"
)

const (
	// open needs no configuration; guarded needs a token. gone is removed, reduced loses a type,
	// and operations of stopped are interrupted.
	open, guarded, gone, reduced, stopped = "open", "guarded", "gone", "reduced", "stopped"
	// modular is that of modules.
	modular    = "modular"
	landbridge = "landbridge.io/v1alpha1"
)

// m is a JSON object.
type m = map[string]any

var (
	resource = objecttest.New
	text     = objecttest.Text
)

// doubles are the installed providers, by name.
var doubles = map[string]*doubletest.Double{}

// world is a cluster with a controller.
type world struct {
	*clustertest.Cluster
	end       func() error
	reader    *explain.Reader
	namespace string
	// name is that of objects.
	name string
}

// called returns the same world for other objects.
func (x *world) called(name string) *world {
	out := *x
	out.name = strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(name)), "-")
	return &out
}

// newWorld starts a controller with the permissions in deploy/rbac, and installs the test provider
// under several names. With a program, modules are served, and the test provider is only installed
// for them.
func newWorld(t *testing.T, program *kinds.CommandLine) *world {
	t.Helper()
	c, err := clustertest.New(playgroundtest.Start(t), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	x := &world{Cluster: c}
	if x.reader, err = explain.NewReader(c.Config, clustertest.System); err != nil {
		t.Fatal(err)
	}
	o := clustertest.Options(time.Second, filepath.Join(scratch, "cache"))
	o.LeaderElection, o.LeaseDuration = true, 15*time.Second // which explain looks at
	o.CommandLine = program
	if x.end, err = c.StartController(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.stop(t) })
	x.namespace = x.Namespace(t)
	if program != nil {
		x.install(t, modular)
		return x
	}
	for _, name := range []string{open, gone, reduced, stopped} {
		x.install(t, name)
	}
	x.install(t, guarded, "TESTPROVIDER_CONFIGURATION=yes")
	return x
}

// stop stops the controller.
func (x *world) stop(t *testing.T) {
	t.Helper()
	if err := x.end(); err != nil {
		t.Error(err)
	}
}

// install installs the test provider under a name.
func (x *world) install(t *testing.T, name string, env ...string) {
	t.Helper()
	d := doubletest.New(t, name, filepath.Join(scratch, "clouds", name), env...)
	doubles[name] = d
	p := d.Provider()
	x.MustCreate(t, p)
	x.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
}

func (*world) provider(name string, spec m) *unstructured.Unstructured {
	return resource(landbridge, "TerraformProvider", "", name, spec)
}

func apiVersion(provider string) string { return provider + ".landbridge.io/v1alpha1" }

// thing returns a resource, whose remote object has the same name. spec is added to its spec.
func (x *world) thing(provider string, spec m) *unstructured.Unstructured {
	return x.of("Thing", provider, x.name, spec)
}

func (x *world) of(kind, provider, name string, spec m) *unstructured.Unstructured {
	all := m{"forProvider": m{"name": x.name}}
	for k, v := range spec {
		if more, ok := v.(m); ok && k == "forProvider" {
			more["name"] = x.name
		}
		all[k] = v
	}
	return resource(apiVersion(provider), kind, x.namespace, name, all)
}

// order sets what the provider does with the object of a resource; see testprovider.
func (x *world) order(t *testing.T, provider, what string) {
	t.Helper()
	doubles[provider].Order(t, x.name, what)
}

// config returns a provider configuration with a token in a Secret of its name.
func (x *world) config() *unstructured.Unstructured {
	return resource(apiVersion(guarded), "ProviderConfig", x.namespace, x.name, m{"tokenSecretRef": m{"name": x.name, "key": "token"}})
}

// configured returns a resource that uses the provider configuration.
func (x *world) configured() *unstructured.Unstructured {
	return x.thing(guarded, m{"providerConfigRef": m{"kind": "ProviderConfig", "name": x.name}})
}

func (x *world) token(t *testing.T, token string) {
	t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: x.namespace, Name: x.name}, StringData: map[string]string{"token": token}}
	if err := x.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}
