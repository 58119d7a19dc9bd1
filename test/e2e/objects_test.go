package e2e_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// m is a JSON object.
type m = map[string]any

var (
	resource  = objecttest.New
	text      = objecttest.Text
	condition = objecttest.Condition
	isTrue    = objecttest.IsTrue
	current   = objecttest.Current
	allowed   = objecttest.Allowed
)

// terraformProvider returns a TerraformProvider for the source.
func terraformProvider(name, source string, activate ...any) *unstructured.Unstructured {
	spec := m{"source": source}
	if len(activate) > 0 {
		spec["activate"] = activate
	}
	return resource("landbridge.io/v1alpha1", "TerraformProvider", "", name, spec)
}

// install creates the TerraformProvider, if it does not exist, and waits until it is healthy.
func (c *cluster) install(t *testing.T, p *unstructured.Unstructured) {
	t.Helper()
	var err error
	eventually(t, "TerraformProviders are served", func(ctx context.Context) bool {
		err = client.IgnoreAlreadyExists(c.Create(ctx, p))
		return !meta.IsNoMatchError(err) && !kerrors.IsNotFound(err)
	})
	if err != nil {
		t.Fatal(err)
	}
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Installed", "Healthy") && current(p) })
}

// secret creates a Secret.
func (c *cluster) secret(t *testing.T, namespace, name string, data map[string]string) *corev1.Secret {
	t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, StringData: data}
	if err := c.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// stored returns the Secrets with the state of the namespace's resources. Empty ones are omitted:
// they are removed shortly after their resource.
func (c *cluster) stored(t *testing.T, namespace string) []corev1.Secret {
	t.Helper()
	list := &corev1.SecretList{}
	if err := c.List(t.Context(), list, client.InNamespace(system)); err != nil {
		t.Fatal(err)
	}
	var out []corev1.Secret
	for _, s := range list.Items {
		if strings.HasPrefix(s.Annotations["landbridge.io/owner"], namespace+"/") && s.Labels["landbridge.io/empty"] == "" {
			out = append(out, s)
		}
	}
	return out
}

// crd returns the CRD of that name, or nil.
func (c *cluster) crd(ctx context.Context, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := c.Get(ctx, client.ObjectKey{Name: name}, u); err != nil {
		return nil
	}
	return u
}

var requestCount = regexp.MustCompile(`^apiserver_request_total\{(.*)\} (\S+)$`)

// writes returns the number of writes of the resource's objects, in all namespaces, that the
// API server has served.
func (c *cluster) writes(t *testing.T, group, plural string) int {
	t.Helper()
	kube, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := kube.RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for line := range strings.Lines(string(raw)) {
		match := requestCount.FindStringSubmatch(strings.TrimSpace(line))
		if match == nil || !strings.Contains(match[1], `group="`+group+`"`) || !strings.Contains(match[1], `resource="`+plural+`"`) {
			continue
		}
		for _, verb := range []string{"POST", "PUT", "PATCH", "APPLY", "DELETE"} {
			if strings.Contains(match[1], `verb="`+verb+`"`) {
				n, err := strconv.ParseFloat(match[2], 64)
				if err != nil {
					t.Fatal(err)
				}
				total += int(n)
			}
		}
	}
	return total
}

func object(content m) *unstructured.Unstructured { return &unstructured.Unstructured{Object: content} }

func key(u *unstructured.Unstructured) client.ObjectKey { return client.ObjectKeyFromObject(u) }
