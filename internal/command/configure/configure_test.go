package configure_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/internal/command/configure"
)

const manifests = `
apiVersion: cloud.landbridge.io/v1alpha1
kind: ClusterProviderConfig
metadata: {name: default}
---
# nothing
---
apiVersion: cloud.landbridge.io/v1alpha1
kind: ProviderConfig
metadata: {name: mine, namespace: team}
`

func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		want    []string
		err     string
	}{
		"several":        {content: manifests, want: []string{"ClusterProviderConfig default", "ProviderConfig mine"}},
		"nothing":        {content: "# nothing\n"},
		"another kind":   {content: "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n", err: "file: there is a Secret"},
		"without a name": {content: "apiVersion: a/v1\nkind: ProviderConfig\n", err: "file: a ProviderConfig has no name"},
		"not YAML":       {content: "{", err: "file: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects, err := configure.Read("file", []byte(test.content))
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.HasPrefix(err.Error(), test.err)) {
				t.Fatalf("Read returned %v, want %q", err, test.err)
			}
			var got []string
			for _, o := range objects {
				got = append(got, o.GetKind()+" "+o.GetName())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	noMatch := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "cloud.landbridge.io", Kind: "ClusterProviderConfig"}}
	for name, test := range map[string]struct {
		refusals int // of the first requests
		refusal  error
		limit    time.Duration
		want     string
		requests int
	}{
		"at once":             {limit: time.Minute, requests: 2},
		"a kind served later": {refusals: 5, refusal: noMatch, limit: time.Minute, requests: 7},
		"a kind never served": {
			refusals: 100, refusal: noMatch, limit: 9500 * time.Millisecond,
			want: "kubectl get terraformproviders", requests: 10,
		},
		"an API server restarts": {refusals: 3, refusal: errors.New("connection refused"), limit: time.Minute, requests: 5},
		"an unknown field": {
			refusals: 100,
			refusal: errors.New("failed to create typed patch object (/default; cloud.landbridge.io/v1alpha1, " +
				"Kind=ClusterProviderConfig): .spec.tokn: field not declared in schema"),
			limit: 5 * time.Minute, want: "ClusterProviderConfig /default: the kind has no field spec.tokn; correct its name", requests: 31,
		},
		"a field that the next version has": {
			refusals: 20, refusal: errors.New(".spec.tokn: field not declared in schema"),
			limit: 5 * time.Minute, requests: 22,
		},
		"a manifest is invalid": {
			refusals: 100, refusal: kerrors.NewBadRequest("no such field"), limit: time.Minute,
			want: "no such field", requests: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				objects, err := configure.Read("file", []byte(manifests))
				if err != nil {
					t.Fatal(err)
				}
				requests := 0
				c := fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithInterceptorFuncs(interceptor.Funcs{
					Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
						if requests++; requests <= test.refusals {
							return test.refusal
						}
						return nil
					},
				}).Build()
				ctx, cancel := context.WithTimeout(t.Context(), test.limit)
				defer cancel()
				var applied []string
				err = configure.Apply(ctx, c, objects, func(o *unstructured.Unstructured) { applied = append(applied, o.GetName()) })
				if test.want == "" && (err != nil || len(applied) != 2) ||
					test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("Apply returned %v, want %q; it applied %s", err, test.want, applied)
				}
				if requests != test.requests {
					t.Errorf("there were %d requests, want %d", requests, test.requests)
				}
			})
		})
	}
}
