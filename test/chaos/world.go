package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/nettest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// system is the namespace of Landbridge's own objects, namespace the one of the resources.
const (
	system    = "landbridge-system"
	namespace = "chaos"
)

// forms are the installed forms of the provider, by the group of their kinds.
var forms = map[string]string{"f6": examplecloudtest.Framework6, "s2": examplecloudtest.SDKv2}

var (
	secretsGVR    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	namespacesGVR = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	eventsGVR     = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	providersGVR  = schema.GroupVersionResource{Group: "landbridge.io", Version: "v1alpha1", Resource: "terraformproviders"}
)

// world is everything except the users.
type world struct {
	dir     string // data and logs
	program string
	tofu    string // for modules, and for execution CLI
	cli     bool   // providers are executed by the command line
	cloud   *cloud
	server  *playgroundtest.Server
	port    int // of the API server
	client  dynamic.Interface
	states  *store.Secrets
	log     io.Writer
	began   time.Time

	// controllers that were started, and those that run now. Only the agenda uses them.
	incarnations int
	running      *controller
	// peers are the other replicas that share the work with the one that runs, by replicas shards.
	peers    []*controller
	replicas int

	informers dynamicinformer.DynamicSharedInformerFactory
	stores    map[schema.GroupVersionResource]cache.Store

	slots []*slot
	// stop is closed when users must stop working.
	stop chan struct{}
	// demand is the operation that the agenda requests now.
	demand atomic.Pointer[demand]
	// operations counts the operations that users began.
	operations atomic.Int64
	// allowed is the number of operations that may begin without a demand.
	allowed atomic.Int64
	// suspended is set while a controller is paused that may continue.
	suspended atomic.Bool

	mu       sync.Mutex // guards the following
	injected map[string]int
	resolved map[string]int
	secrets  map[string]bool // values that must not be shown
	unasked  []string
	others   []*slot // slots that users only attend to
	logMu    sync.Mutex
}

// resource returns the client for a form's kind.
func gvr(form string, k *kind) schema.GroupVersionResource { return gvrOf(form, k.plural) }

func gvrOf(form, plural string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: form + ".landbridge.io", Version: "v1alpha1", Resource: plural}
}

// note logs a line with the time since the beginning.
func (w *world) note(format string, args ...any) {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	fmt.Fprintf(w.log, "%8.3f  %s\n", time.Since(w.began).Seconds(), fmt.Sprintf(format, args...))
}

// count records an injected fault.
func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.injected[what]++
}

// secret records a value that must not be shown, and returns it.
func (w *world) secret(value string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[value] = true
	return value
}

// newWorld starts everything except the controller, and installs the providers.
func newWorld(ctx context.Context, o Options, dir string, log io.Writer) (*world, error) {
	w := &world{
		dir: dir, log: log, replicas: o.Replicas, cli: o.Execution == v1alpha1.ExecutionCLI,
		stop: make(chan struct{}), began: time.Now(), cloud: &cloud{dir: dir},
		injected: map[string]int{}, resolved: map[string]int{}, secrets: map[string]bool{},
		stores: map[schema.GroupVersionResource]cache.Store{},
	}
	var err error
	if w.program, err = testbin.Build(ctx, program(o.Race)); err != nil {
		return nil, err
	}
	if w.tofu, err = testbin.Build(ctx, testbin.OpenTofu); err != nil {
		return nil, err
	}
	if err := w.cloud.start(ctx); err != nil {
		return w, err
	}
	if w.port, err = nettest.FreePort(); err != nil {
		return nil, err
	}
	if err := w.startAPIServer(ctx); err != nil {
		return w, err
	}
	config := rest.CopyConfig(w.server.Config)
	config.Timeout = 10 * time.Second
	if w.client, err = dynamic.NewForConfig(config); err != nil {
		return w, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return w, err
	}
	w.states = &store.Secrets{Client: client.CoreV1().Secrets(system)}
	return w, nil
}

// poll returns the controller's poll interval, which is long enough for all resources.
func (w *world) poll() time.Duration {
	if w.cli {
		return 12 * time.Second
	}
	return 4 * time.Second
}

// close ends all processes.
func (w *world) close() {
	if w.running != nil {
		w.running.kill()
	}
	for _, p := range w.peers {
		p.kill()
	}
	if w.server != nil {
		w.server.Kill()
	}
	w.cloud.kill()
}

// install installs the providers with a first controller, and creates their configurations.
func (w *world) install(ctx context.Context) error {
	var err error
	if w.running, err = w.startController(start{}); err != nil {
		return err
	}
	if err := w.muster(); err != nil {
		return err
	}
	if err := w.makeNamespace(ctx, namespace); err != nil {
		return err
	}
	execution := string(v1alpha1.ExecutionPlugin)
	if w.cli {
		execution = string(v1alpha1.ExecutionCLI)
	}
	var types []any
	for _, k := range kinds {
		types = append(types, k.terraform)
	}
	for form, name := range forms {
		path, err := testbin.Build(ctx, examplecloudtest.ProviderProgram(name))
		if err != nil {
			return err
		}
		// All configurations are for the one cloud.
		spec := m{"activate": types, "execution": execution, "providerConfig": m{"accountFrom": []any{"endpoint"}}}
		if err := w.installProvider(ctx, form, path, spec); err != nil {
			return err
		}
	}
	if err := w.installModule(ctx); err != nil {
		return err
	}
	if err := w.writeSecret(ctx, namespace, "token", m{"token": w.secret("token-of-the-cloud-" + randomText())}); err != nil {
		return err
	}
	for form := range forms {
		u := &unstructured.Unstructured{Object: m{
			"apiVersion": form + ".landbridge.io/v1alpha1", "kind": "ClusterProviderConfig", "metadata": m{"name": "default"},
			"spec": m{"endpoint": w.cloud.url(), "tokenSecretRef": m{"namespace": namespace, "name": "token", "key": "token"}},
		}}
		if err := w.create(ctx, gvrOf(form, "clusterproviderconfigs"), u); err != nil {
			return err
		}
	}
	for _, name := range w.configurations()[1:] {
		if err := w.configuration(ctx, name); err != nil {
			return err
		}
	}
	watching, err := dynamic.NewForConfig(w.server.Config) // which is slow
	if err != nil {
		return err
	}
	w.informers = dynamicinformer.NewDynamicSharedInformerFactory(watching, 0)
	for _, x := range everything() {
		w.stores[gvr(x.form, x.kind)] = w.informers.ForResource(gvr(x.form, x.kind)).Informer().GetStore()
	}
	for r := range w.stores {
		err := w.try(ctx, func(ctx context.Context) error {
			_, err := w.client.Resource(r).List(ctx, listOptions)
			if kerrors.IsNotFound(err) {
				return errNotYet
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
	}
	w.informers.Start(ctx.Done())
	w.informers.WaitForCacheSync(ctx.Done())
	return nil
}

// installProvider installs a provider by a link to its program.
func (w *world) installProvider(ctx context.Context, name, path string, spec m) error {
	spec["source"] = filepath.Join(w.dir, "terraform-provider-"+name)
	if err := os.Symlink(path, spec["source"].(string)); err != nil {
		return err
	}
	return w.create(ctx, providersGVR, &unstructured.Unstructured{Object: m{
		"apiVersion": "landbridge.io/v1alpha1", "kind": "TerraformProvider", "metadata": m{"name": name}, "spec": spec,
	}})
}

func (w *world) makeNamespace(ctx context.Context, name string) error {
	return w.create(ctx, namespacesGVR, &unstructured.Unstructured{
		Object: m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": name}},
	})
}

// create creates an object, as soon as its kind is served.
func (w *world) create(ctx context.Context, r schema.GroupVersionResource, u *unstructured.Unstructured) error {
	return w.try(ctx, func(ctx context.Context) error {
		_, err := w.client.Resource(r).Namespace(u.GetNamespace()).Create(ctx, u, metav1.CreateOptions{FieldValidation: "Strict"})
		if kerrors.IsNotFound(err) {
			return errNotYet
		}
		if kerrors.IsAlreadyExists(err) {
			return nil // created by an attempt that returned an error
		}
		return err
	})
}

// writeSecret creates or updates a Secret.
func (w *world) writeSecret(ctx context.Context, namespace, name string, values m) error {
	u := &unstructured.Unstructured{
		Object: m{
			"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": name, "namespace": namespace},
			"stringData": values,
		},
	}
	return w.try(ctx, func(ctx context.Context) error {
		_, err := w.client.Resource(secretsGVR).Namespace(namespace).Apply(ctx, name, u, metav1.ApplyOptions{FieldManager: "chaos", Force: true})
		return err
	})
}

var (
	// errNotYet is returned when it is too early for an operation, errGivenUp when that lasted too
	// long.
	errNotYet  = errors.New("not yet")
	errGivenUp = errors.New("given up")
)

// patience is how long users try to reach the API server.
const patience = 2 * time.Minute

// try repeats a request until the API server has responded.
func (w *world) try(ctx context.Context, do func(context.Context) error) error {
	for end := time.Now().Add(patience); ; {
		err := do(ctx)
		if err == nil || !(unavailable(err) || errors.Is(err, errNotYet)) || ctx.Err() != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("for %s: %w", patience, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// unavailable reports whether an error means that the API server did not carry out a request, or
// did not confirm it.
func unavailable(err error) bool {
	var u *url.Error
	return errors.As(err, &u) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, http.ErrServerClosed) ||
		utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || errors.Is(err, syscall.EPIPE) ||
		kerrors.IsServerTimeout(err) || kerrors.IsTimeout(err) || kerrors.IsServiceUnavailable(err) || kerrors.IsTooManyRequests(err) ||
		kerrors.IsInternalError(err) || kerrors.IsConflict(err) || errors.Is(err, context.DeadlineExceeded)
}

// condition returns a condition of an object.
func condition(u *unstructured.Unstructured, kind string) (status, reason, message string, generation int64) {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, x := range list {
		if c, ok := x.(m); ok && c["type"] == kind {
			g, _ := c["observedGeneration"].(int64)
			return text(c["status"]), text(c["reason"]), crd.WholeMessage(u, kind, text(c["message"])), g
		}
	}
	return "", "", "", 0
}

// at returns the text at a path of an object; empty if there is none.
func at(u *unstructured.Unstructured, path ...string) string {
	v, ok, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	if !ok {
		return ""
	}
	return text(v)
}
