package importer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// configMap is a manifest whose resource is a ConfigMap: every cluster has that kind.
func configMap(namespace, name string, secrets bool) importer.Manifest {
	out := aManifest(namespace, name, secrets)
	out.Resource = &unstructured.Unstructured{
		Object: m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"namespace": namespace, "name": name}},
	}
	if secrets {
		out.State.Namespace = namespace
	}
	return out
}

func TestApply(t *testing.T) {
	t.Parallel()
	server := playgroundtest.Start(t)
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	// names are the objects in a namespace.
	names := func(t *testing.T, namespace string) string {
		t.Helper()
		var all []string
		secrets, configMaps := &corev1.SecretList{}, &corev1.ConfigMapList{}
		if err := errors.Join(c.List(t.Context(), secrets, client.InNamespace(namespace)),
			c.List(t.Context(), configMaps, client.InNamespace(namespace))); err != nil {
			t.Fatal(err)
		}
		for _, x := range secrets.Items {
			all = append(all, x.Name)
		}
		for _, x := range configMaps.Items {
			if x.Name != "kube-root-ca.crt" {
				all = append(all, x.Name)
			}
		}
		return strings.Join(all, " ")
	}
	unserved := func(namespace string) importer.Manifest {
		return aManifest(namespace, "x", false)
	}
	tests := map[string]struct {
		manifests func(namespace string) []importer.Manifest
		// fail is the object that cannot be created after all.
		fail    string
		applied int
		want    string // part of the error
		after   string // the names in the namespace
	}{
		"all": {
			manifests: func(ns string) []importer.Manifest {
				return []importer.Manifest{configMap(ns, "a", true), configMap(ns, "b", false)}
			},
			applied: 2, after: "a-inputs state-a a b",
		},
		"a kind that is not served": {
			manifests: func(ns string) []importer.Manifest {
				return []importer.Manifest{configMap(ns, "a", true), unserved(ns)}
			},
			want: "thing.x: the cluster does not serve the kind Thing.x.io; activate it in spec.activate of its TerraformProvider",
		},
		"a namespace that is not there": {
			manifests: func(ns string) []importer.Manifest {
				return []importer.Manifest{configMap(ns, "a", true), configMap("nowhere", "b", false)}
			},
			want: "thing.b: the namespace nowhere does not exist; create it",
		},
		"one that is there already": {
			manifests: func(ns string) []importer.Manifest {
				return []importer.Manifest{configMap(ns, "a", true), configMap(ns, "there", false)}
			},
			want: "thing.there: there is a ConfigMap", after: "there",
		},
		"a resource that fails after all": {
			manifests: func(ns string) []importer.Manifest {
				return []importer.Manifest{configMap(ns, "a", true), configMap(ns, "b", true), configMap(ns, "c", true)}
			},
			fail: "b", applied: 1, want: "thing.b: ConfigMap", after: "a-inputs state-a a",
		},
		"a Secret that fails after all": {
			manifests: func(ns string) []importer.Manifest { return []importer.Manifest{configMap(ns, "a", true)} },
			fail:      "a-inputs", want: "thing.a: Secret",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := server.Namespace(t)
			if strings.Contains(test.after, "there") {
				if err := c.Create(t.Context(), configMap(ns, "there", false).Resource); err != nil {
					t.Fatal(err)
				}
			}
			failing := interceptor.NewClient(c, interceptor.Funcs{
				Create: func(
					ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption,
				) error {
					options := &client.CreateOptions{}
					options.ApplyOptions(opts)
					if test.fail != "" && o.GetName() == test.fail && len(options.DryRun) == 0 {
						return errors.New("the API server is gone")
					}
					return w.Create(ctx, o, opts...)
				},
			})
			n, err := importer.Apply(t.Context(), failing, test.manifests(ns))
			if n != test.applied {
				t.Errorf("%d were applied, want %d", n, test.applied)
			}
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got error %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got error %v, want one with %s", err, test.want)
			}
			if got := names(t, ns); got != test.after {
				t.Errorf("there are now %q, want %q", got, test.after)
			}
		})
	}
}
