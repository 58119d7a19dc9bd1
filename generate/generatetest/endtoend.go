package generatetest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/testing/nettest"
)

// EndToEndOptions are the options of EndToEnd.
type EndToEndOptions struct {
	// Program is the path of the repository's program. The provider's binary is in the same
	// directory, unless the provider is linked into the program.
	Program string
	// CRDs and Examples are directories.
	CRDs, Examples string
	// Manifests is a directory of manifests, applied file by file in the order of their names.
	// After each file the test waits for its resources. At the end it deletes all objects in
	// reverse order. There may be no files.
	Manifests string
	// Timeout limits each wait. Defaults to 2m.
	Timeout time.Duration
}

// fieldOwner is the field manager.
const fieldOwner = client.FieldOwner("end-to-end")

// EndToEnd installs the CRDs in a cluster, runs the program, lets the API server validate all
// examples, and then applies the manifests. If $PLAYGROUND is the path of the playground's program,
// the cluster is a playground, else that of $KUBECONFIG. $PROGRAM_FLAGS has further flags of the
// program, such as --provider-write-path for a provider that writes files.
func EndToEnd(t *testing.T, o EndToEndOptions) {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	steps, err := filepath.Glob(filepath.Join(o.Manifests, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	port, err := nettest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, c := cluster(t)
	e := &endToEnd{EndToEndOptions: o, client: c, kinds: map[string]bool{}}
	e.install(t)
	e.process = startProgram(t, o.Program, append([]string{
		"--kubeconfig", kubeconfig, "--leader-elect=false", "--metrics-address=0", "--health-address=0", "--poll=5s",
		fmt.Sprintf("--webhook-port=%d", port),
	}, strings.Fields(os.Getenv(flagsVariable))...)...)

	examples := readManifests(t, o.Examples)
	for _, file := range slices.Sorted(maps.Keys(examples)) {
		for _, u := range examples[file] {
			e.apply(t, file, u, client.DryRunAll)
		}
	}
	var made []*unstructured.Unstructured
	for _, file := range steps {
		objects, err := readManifest(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range objects {
			e.apply(t, file, u)
			if !slices.ContainsFunc(made, func(m *unstructured.Unstructured) bool {
				return m.GroupVersionKind() == u.GroupVersionKind() && client.ObjectKeyFromObject(m) == client.ObjectKeyFromObject(u)
			}) {
				made = append(made, u)
			}
		}
		for _, u := range objects {
			if e.kinds[u.GroupVersionKind().GroupKind().String()] {
				e.wait(t, describe(u)+" of "+filepath.Base(file)+" to be as it says", u, reached)
			}
		}
		t.Logf("%s: %d objects", filepath.Base(file), len(objects))
	}
	for _, u := range slices.Backward(made) {
		if err := c.Delete(t.Context(), u); client.IgnoreNotFound(err) != nil {
			t.Fatalf("%s: %v", describe(u), err)
		}
		e.wait(t, describe(u)+" to be gone", u, nil)
	}
}

type endToEnd struct {
	EndToEndOptions
	client  client.Client
	process *process
	// kinds has all kinds; the value is set for managed resources.
	kinds map[string]bool
}

// install applies the CRDs, and waits until they are served.
func (e *endToEnd) install(t *testing.T) {
	t.Helper()
	all := readCRDs(t, e.CRDs)
	for kind, d := range all {
		e.kinds[kind.GroupKind().String()] = resourceType(d) != ""
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{Object: content}
		unstructured.RemoveNestedField(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		e.apply(t, d.Name, u)
	}
	for kind := range all {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		e.until(t, "the kind "+kind.Kind+" to be served", func(ctx context.Context) error {
			return e.client.List(ctx, list, client.Limit(1))
		})
	}
}

func (e *endToEnd) apply(t *testing.T, file string, u *unstructured.Unstructured, options ...client.ApplyOption) {
	t.Helper()
	e.until(t, file+": "+describe(u)+" to be taken by the API server", func(ctx context.Context) error {
		err := e.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), append(options, fieldOwner, client.ForceOwnership)...)
		if kerrors.IsInvalid(err) || kerrors.IsBadRequest(err) {
			t.Fatalf("%s: %v", file, err)
		}
		return err
	})
}

// wait waits until an object fulfils the condition or, without a condition, until it is gone.
func (e *endToEnd) wait(t *testing.T, what string, u *unstructured.Unstructured, is func(*unstructured.Unstructured) error) {
	t.Helper()
	e.until(t, what, func(ctx context.Context) error {
		now := &unstructured.Unstructured{}
		now.SetGroupVersionKind(u.GroupVersionKind())
		err := e.client.Get(ctx, client.ObjectKeyFromObject(u), now)
		switch {
		case is == nil && kerrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		case is == nil:
			return fmt.Errorf("it is there: %v", now.Object["status"])
		}
		return is(now)
	})
}

// until repeats try until it succeeds.
func (e *endToEnd) until(t *testing.T, what string, try func(context.Context) error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(e.Timeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if e.process != nil {
			select {
			case <-e.process.exited:
				t.Fatal("the program has ended")
			default:
			}
		}
		if err = try(t.Context()); err == nil {
			return
		}
	}
	t.Fatalf("waited %s for %s: %v", e.Timeout, what, err)
}

// reached returns an error if a resource does not match its spec yet.
func reached(u *unstructured.Unstructured) error {
	status := struct {
		Status managed.ResourceStatus `json:"status"`
	}{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &status); err != nil {
		return err
	}
	s := &status.Status
	for _, kind := range []xpv2.ConditionType{xpv2.TypeReady, xpv2.TypeSynced} {
		if c := s.GetCondition(kind); c.Status != "True" || c.ObservedGeneration < u.GetGeneration() {
			return fmt.Errorf("%s is %s for generation %d of %d: %s: %s", kind, c.Status, c.ObservedGeneration,
				u.GetGeneration(), c.Reason, c.Message)
		}
	}
	if s.Operation != nil {
		return fmt.Errorf("a %s is under way", s.Operation.Kind)
	}
	if s.Plan != nil {
		return fmt.Errorf("a %s is planned", s.Plan.Action)
	}
	return nil
}

func describe(u *unstructured.Unstructured) string {
	if u.GetNamespace() == "" {
		return u.GetKind() + " " + u.GetName()
	}
	return u.GetKind() + " " + u.GetNamespace() + "/" + u.GetName()
}
