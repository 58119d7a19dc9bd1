package clustertest

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// System is the namespace of Landbridge's own objects.
const System = "landbridge-system"

// Cluster is a client of an API server, and what controllers need to run in it.
type Cluster struct {
	client.Client
	Config     *rest.Config
	Kubeconfig string // path
	// Log is the file that controllers append their logs to. Empty discards them.
	Log string
	// Verbosity of the log. Defaults to 10, which includes everything.
	Verbosity int
	// Bounded leaves out the optional permissions in deploy/rbac/mutations.yaml.
	Bounded bool
	// Served are the namespaces whose Secrets controllers may use. Nil is all.
	Served []string
}

// New returns the cluster of a server. It runs no controller yet.
func New(server *playgroundtest.Server, log string) (*Cluster, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	c, err := client.New(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	return &Cluster{Client: c, Config: server.Config, Kubeconfig: server.Kubeconfig, Log: log, Verbosity: 10}, nil
}

// Start starts a server of its own for one test, without a controller.
func Start(tb testing.TB, o playgroundtest.Options, log string) *Cluster {
	tb.Helper()
	c, err := New(playgroundtest.New(tb, o), log)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Namespace creates a namespace with a generated name and returns the name.
func (c *Cluster) Namespace(tb testing.TB) string {
	tb.Helper()
	ns := &corev1.Namespace{}
	ns.GenerateName = "test-"
	if err := c.Create(tb.Context(), ns); err != nil {
		tb.Fatal(err)
	}
	return ns.Name
}
