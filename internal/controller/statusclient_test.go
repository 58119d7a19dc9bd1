package controller_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The API server answers the update of a status with metadata alone.
func TestStatusClient(t *testing.T) {
	server := playgroundtest.Start(t)
	answered := &bytes.Buffer{}
	config := rest.CopyConfig(server.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && strings.HasSuffix(r.URL.Path, "/status") {
				resp.Body = teed{io.TeeReader(resp.Body, answered), resp.Body}
			}
			return resp, err
		})
	})
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	c, err := controller.NewClient(config, client.Options{HTTPClient: httpClient})
	if err != nil {
		t.Fatal(err)
	}
	crd, err := v1alpha1.ModuleCustomResourceDefinition()
	if err != nil {
		t.Fatal(err)
	}
	extensions, err := apiextensionsclient.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := extensions.ApiextensionsV1().CustomResourceDefinitions().
		Create(t.Context(), crd, metav1.CreateOptions{}); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	u := objecttest.New("landbridge.io/v1alpha1", "TerraformModule", "", "a", map[string]any{
		"source": map[string]any{"directory": "/source-of-the-module"}, "kind": "Thing", "group": "example.org",
	})
	waittest.Eventually(t, "modules are served", func(ctx context.Context) bool {
		err = c.Create(ctx, u)
		return !meta.IsNoMatchError(err) && !kerrors.IsNotFound(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	created := u.DeepCopy()
	set := func(u *unstructured.Unstructured, generation int64) error {
		if err := unstructured.SetNestedField(u.Object, generation, "status", "observedGeneration"); err != nil {
			t.Fatal(err)
		}
		return c.Status().Update(t.Context(), u)
	}
	for generation := range int64(3) {
		if err := set(u, generation+1); err != nil {
			t.Fatal(err)
		}
	}
	if got := answered.String(); got == "" || strings.Contains(got, "source-of-the-module") {
		t.Errorf("The API server answers with more than metadata: %q", got)
	}
	read := objecttest.New("landbridge.io/v1alpha1", "TerraformModule", "", "a", nil)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), read); err != nil {
		t.Fatal(err)
	}
	if objecttest.At(read, "status", "observedGeneration") != int64(3) || read.GetResourceVersion() != u.GetResourceVersion() {
		t.Errorf("status %v in version %s, want the third in version %s", read.Object["status"],
			read.GetResourceVersion(), u.GetResourceVersion())
	}
	if err := set(created, 4); !kerrors.IsConflict(err) {
		t.Errorf("the update of an old version fails with %v, want a conflict", err)
	}
	read.SetName("missing")
	if err := set(read, 4); !kerrors.IsNotFound(err) {
		t.Errorf("the update of a missing object fails with %v", err)
	}
}

type teed struct {
	io.Reader
	io.Closer
}
