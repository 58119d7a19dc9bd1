package references_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

type m = map[string]any

var group = schema.GroupVersion{Group: "cloud.landbridge.io", Version: "v1alpha1"}

// object returns a resource of the test's group.
func object(kind, namespace, name string, more m) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: m{}}
	for k, v := range more {
		u.Object[k] = v
	}
	metadata, _ := u.Object["metadata"].(m)
	if metadata == nil {
		metadata = m{}
	}
	u.Object["metadata"] = metadata
	u.SetGroupVersionKind(group.WithKind(kind))
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetUID(types.UID(kind + namespace + name))
	return u
}

func key(kind, namespace, name string) store.Key {
	return store.Key{Group: group.Group, Kind: kind, Namespace: namespace, Name: name}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	named := func(id string) m { return m{"metadata": m{"annotations": m{"crossplane.io/external-name": id}}} }
	deleted := named("vpc-gone")
	deleted["metadata"].(m)["deletionTimestamp"], deleted["metadata"].(m)["finalizers"] = "2026-01-01T00:00:00Z", []any{"x"}
	allowed := named("vpc-b")
	allowed["metadata"].(m)["annotations"].(m)["landbridge.io/referable-from"] = "c, a"
	closed := named("vpc-secret")
	closed["metadata"].(m)["labels"] = m{"tier": "closed"}
	owned := func(id, uid string) m {
		return m{"metadata": m{
			"annotations": m{"crossplane.io/external-name": id}, "labels": m{"tier": "x"},
			"ownerReferences": []any{m{"apiVersion": "v1", "kind": "XNetwork", "name": "n", "uid": uid, "controller": true}},
		}}
	}
	leaving := func(x m) m {
		x["metadata"].(m)["deletionTimestamp"], x["metadata"].(m)["finalizers"] = "2026-01-01T00:00:00Z", []any{"x"}
		return x
	}
	controlled := func(uid string) m {
		return m{"ownerReferences": []any{m{"apiVersion": "v1", "kind": "XNetwork", "name": "n", "uid": uid, "controller": true}}}
	}
	sibling := m{"kind": "Subnet", "selector": m{"matchControllerRef": true}}
	there := []*unstructured.Unstructured{
		object("Vpc", "a", "main", m{
			"metadata": named("vpc-1")["metadata"],
			"status":   m{"atProvider": m{"arn": "arn:1", "size": int64(3), "zones": []any{"z1", "z2"}}},
		}),
		object("Vpc", "a", "new", nil),
		object("Vpc", "a", "gone", deleted),
		object("Vpc", "b", "open", allowed),
		object("Vpc", "b", "closed", closed),
		object("Subnet", "a", "s2", owned("subnet-2", "1")),
		object("Subnet", "a", "s1", owned("subnet-1", "2")),
		object("Subnet", "a", "s0", leaving(owned("subnet-0", "1"))),
		object("Subnet", "a", "last", leaving(owned("subnet-last", "3"))),
	}
	for name, x := range map[string]struct {
		spec     m
		metadata m
		want     m // forProvider
		targets  []store.Key
		missing  []string
		awaited  []references.Where
		differs  []string
		// unwritten are the paths of what is changed in memory only, identity what becomes of
		// spec.import.identity.
		unwritten []string
		identity  m
		err       string
		mistaken  bool
	}{
		"the external name, by default": {
			spec: m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main"}}}},
			want: m{"vpcId": "vpc-1"}, targets: []store.Key{key("Vpc", "a", "main")},
		},
		"fields of the status, into lists and blocks": {
			spec: m{"forProvider": m{"name": "x"}, "references": []any{
				m{"to": "forProvider.rule[0].arn", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.arn"}},
				m{"to": "forProvider.size", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.size"}},
				m{"to": "forProvider.zone", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.zones[1]"}},
			}},
			want:    m{"name": "x", "rule": []any{m{"arn": "arn:1"}}, "size": int64(3), "zone": "z2"},
			targets: []store.Key{key("Vpc", "a", "main"), key("Vpc", "a", "main"), key("Vpc", "a", "main")},
			awaited: names(key("Vpc", "a", "main")), unwritten: []string{"spec.forProvider.rule"},
		},
		"fields of elements that are given": {
			spec: m{"forProvider": m{"rule": []any{m{"arn": "mine"}, m{}}}, "references": []any{
				m{"to": "forProvider.rule[1].arn", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.arn"}},
				m{"to": "forProvider.rule[2].arn", "from": m{"kind": "Vpc", "name": "main"}},
			}},
			want:    m{"rule": []any{m{"arn": "mine"}, m{"arn": "arn:1"}, m{"arn": "vpc-1"}}},
			targets: []store.Key{key("Vpc", "a", "main"), key("Vpc", "a", "main")},
			awaited: names(key("Vpc", "a", "main"), key("Vpc", "a", "main")), unwritten: []string{"spec.forProvider.rule"},
		},
		"the identity to import": {
			spec: m{"import": m{"identity": m{"region": "eu"}}, "references": []any{
				m{"to": "import.identity.arn", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.arn"}},
			}},
			targets: []store.Key{key("Vpc", "a", "main")}, awaited: names(key("Vpc", "a", "main")),
			unwritten: []string{"spec.import.identity"}, identity: m{"region": "eu", "arn": "arn:1"},
		},
		"the identity to import is waited for": {
			spec: m{"import": m{"identity": m{}}, "references": []any{
				m{"to": "import.identity.arn", "from": m{"kind": "Vpc", "name": "new", "fieldPath": "status.atProvider.arn"}},
			}},
			targets: []store.Key{key("Vpc", "a", "new")}, awaited: names(key("Vpc", "a", "new")), identity: m{},
			missing: []string{"spec.import.identity.arn: Vpc a/new has no status.atProvider.arn yet"},
		},
		"no field of the identity": {
			spec: m{"import": m{"identity": m{}}, "references": []any{m{"to": "import.identity.arm", "from": m{"kind": "Vpc", "name": "main"}}}},
			err:  `spec.references[0].to is "import.identity.arm": there is no field arm. The fields are listed by kubectl explain thing.spec.import.identity`, mistaken: true,
		},
		"existing value stays": {
			spec: m{"forProvider": m{"vpcId": "mine"}, "references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main"}}}},
			want: m{"vpcId": "mine"}, targets: []store.Key{key("Vpc", "a", "main")},
			differs: []string{
				"spec.forProvider.vpcId is not the value of Vpc a/main any more, or never was. Set policy.resolve " +
					"of spec.references[0] to Always, or correct the value.",
			},
		},
		"existing value is the same": {
			spec: m{"forProvider": m{"vpcId": "vpc-1"}, "references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main"}}}},
			want: m{"vpcId": "vpc-1"}, targets: []store.Key{key("Vpc", "a", "main")},
		},
		"existing value, no other yet": {
			spec: m{"forProvider": m{"vpcId": "mine"}, "references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "new"}}}},
			want: m{"vpcId": "mine"}, targets: []store.Key{key("Vpc", "a", "new")},
		},
		"existing value with a malformed path": {
			spec: m{
				"forProvider": m{"vpcId": "mine"},
				"references": []any{m{
					"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "a[b"},
				}},
			},
			want: m{"vpcId": "mine"}, targets: []store.Key{key("Vpc", "a", "main")},
		},
		"malformed field path": {
			spec: m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "a[b"}}}},
			err:  `spec.references[0].from: fieldPath is "a[b": cannot parse path "a[b": unterminated '[' at position 1`,
		},
		"transformed values": {
			spec: m{"references": []any{
				m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main", "transform": "self.split('-')[1]"}},
				m{"to": "forProvider.size", "from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.size", "transform": "self + 1"}},
				m{
					"to": "forProvider.zone", "from": m{
						"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.zones",
						"transform": "self.join('+')",
					},
				},
			}},
			want:    m{"vpcId": "1", "size": int64(4), "zone": "z1+z2"},
			targets: []store.Key{key("Vpc", "a", "main"), key("Vpc", "a", "main"), key("Vpc", "a", "main")},
		},
		"transform of a value that is missing": {
			spec: m{
				"references": []any{m{
					"to": "forProvider.vpcId", "from": m{
						"kind": "Vpc", "name": "new", "transform": "self.split('-')[1]",
					},
				}},
			},
			targets: []store.Key{key("Vpc", "a", "new")}, awaited: names(key("Vpc", "a", "new")),
			missing: []string{"spec.forProvider.vpcId: Vpc a/new has no metadata.annotations[crossplane.io/external-name] yet"},
		},
		"transform that makes no value": {
			spec: m{
				"references": []any{m{
					"to": "forProvider.vpcId", "from": m{
						"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.arn",
						"transform": "self.startsWith('x') ? self : ''",
					},
				}},
			},
			targets: []store.Key{key("Vpc", "a", "main")}, awaited: names(key("Vpc", "a", "main")),
			missing: []string{"spec.forProvider.vpcId: Vpc a/main has no status.atProvider.arn, transformed, yet"},
		},
		"transform that fails": {
			spec: m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main", "transform": "self.split('/')[3]"}}}},
			err:  `spec.references[0].from: transform is "self.split('/')[3]", which fails for the metadata.annotations[crossplane.io/external-name] of Vpc main: index out of bounds: 3`,
		},
		"transform that cannot be compiled": {
			spec:     m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main", "transform": "self.cut('/')"}}}},
			err:      `spec.references[0].from.transform is "self.cut('/')": ERROR: <input>:1:9: undeclared reference to 'cut' (in container '')`,
			mistaken: true,
		},
		"transform that cannot be compiled, beside a value": {
			spec: m{
				"forProvider": m{"vpcId": "mine"},
				"references": []any{m{
					"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main", "transform": "self.cut('/')"},
				}},
			},
			want: m{"vpcId": "mine"}, targets: []store.Key{key("Vpc", "a", "main")},
			err:      `spec.references[0].from.transform is "self.cut('/')": ERROR: <input>:1:9: undeclared reference to 'cut' (in container '')`,
			mistaken: true,
		},
		"value is the same as the transformed one": {
			spec: m{
				"forProvider": m{"vpcId": "1"}, "references": []any{m{
					"to": "forProvider.vpcId", "from": m{
						"kind": "Vpc", "name": "main", "transform": "self.split('-')[1]",
					},
				}},
			},
			want: m{"vpcId": "1"}, targets: []store.Key{key("Vpc", "a", "main")},
		},
		"to a field that the kind lacks": {
			spec: m{"references": []any{m{"to": "forProvider.vpcld", "from": m{"kind": "Vpc", "name": "main"}}}},
			err:  `spec.references[0].to is "forProvider.vpcld": there is no field vpcld. The fields are listed by kubectl explain thing.spec.forProvider`, mistaken: true,
		},
		"to a list field without an index": {
			spec: m{"references": []any{m{"to": "forProvider.rule.arn", "from": m{"kind": "Vpc", "name": "main"}}}},
			err:  `spec.references[0].to is "forProvider.rule.arn": there is no field arn: what is before it is a list. The fields are listed by kubectl explain thing.spec.forProvider`, mistaken: true,
		},
		"of a field that the kind lacks": {
			spec: m{
				"references": []any{m{
					"to":   "forProvider.vpcId",
					"from": m{"kind": "Vpc", "name": "main", "fieldPath": "status.atProvider.lacking"},
				}},
			},
			err: `spec.references[0].from: fieldPath is "status.atProvider.lacking": there is no field`, mistaken: true,
		},
		"of a field that the kind lacks, of a resource that does not exist": {
			spec: m{
				"references": []any{m{
					"to":   "forProvider.vpcId",
					"from": m{"kind": "Vpc", "name": "other", "fieldPath": "status.atProvider.lacking"},
				}},
			},
			err: `spec.references[0].from: fieldPath is "status.atProvider.lacking": there is no field`, mistaken: true,
		},
		"resolved always": {
			spec: m{"forProvider": m{"vpcId": "mine"}, "references": []any{m{
				"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "main"}, "policy": m{"resolve": "Always"},
			}}},
			want: m{"vpcId": "vpc-1"}, targets: []store.Key{key("Vpc", "a", "main")}, awaited: names(key("Vpc", "a", "main")),
		},
		"sources are missing": {
			spec: m{"references": []any{
				m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "other"}},
				m{"to": "forProvider.newId", "from": m{"kind": "Vpc", "name": "new"}},
				m{"to": "forProvider.goneId", "from": m{"kind": "Vpc", "name": "gone"}},
				m{"to": "forProvider.keyId", "from": m{"kind": "Key", "name": "k"}},
			}},
			targets: []store.Key{key("Vpc", "a", "other"), key("Vpc", "a", "new"), key("Vpc", "a", "gone"), key("Key", "a", "k")},
			awaited: names(key("Vpc", "a", "other"), key("Vpc", "a", "new"), key("Vpc", "a", "gone"), key("Key", "a", "k")),
			missing: []string{
				"spec.forProvider.vpcId: there is no Vpc a/other",
				"spec.forProvider.newId: Vpc a/new has no metadata.annotations[crossplane.io/external-name] yet",
				"spec.forProvider.goneId: Vpc a/gone is being deleted",
				"spec.forProvider.keyId: no kind Key of cloud.landbridge.io/v1alpha1 is served here yet",
			},
		},
		"missing source, optional": {
			spec: m{"references": []any{m{
				"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "other"}, "policy": m{"resolution": "Optional"},
			}}},
			targets: []store.Key{key("Vpc", "a", "other")}, awaited: names(key("Vpc", "a", "other")),
		},
		"another namespace with permission": {
			spec: m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "open", "namespace": "b"}}}},
			want: m{"vpcId": "vpc-b"}, targets: []store.Key{key("Vpc", "b", "open")},
		},
		"another namespace without permission": {
			spec:    m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "closed", "namespace": "b"}}}},
			awaited: names(key("Vpc", "b", "closed")),
			missing: []string{
				"spec.forProvider.vpcId: Vpc b/closed may not be referred to from namespace a: there is none, or " +
					"its annotation landbridge.io/referable-from does not allow it",
			},
		},
		"nothing in another namespace: same message": {
			spec:    m{"references": []any{m{"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "nothing", "namespace": "b"}}}},
			awaited: names(key("Vpc", "b", "nothing")),
			missing: []string{
				"spec.forProvider.vpcId: Vpc b/nothing may not be referred to from namespace a: there is none, or " +
					"its annotation landbridge.io/referable-from does not allow it",
			},
		},
		"existing value from another namespace without permission": {
			spec: m{
				"forProvider": m{"vpcId": "mine"},
				"references": []any{m{
					"to": "forProvider.vpcId", "from": m{"kind": "Vpc", "name": "closed", "namespace": "b"},
				}},
			},
			want:    m{"vpcId": "mine"},
			awaited: names(key("Vpc", "b", "closed")),
		},
		"kind in another namespace that is not served": {
			spec:    m{"references": []any{m{"to": "forProvider.keyId", "from": m{"kind": "Key", "name": "k", "namespace": "b"}}}},
			targets: []store.Key{key("Key", "b", "k")}, awaited: names(key("Key", "b", "k")),
			missing: []string{"spec.forProvider.keyId: no kind Key of cloud.landbridge.io/v1alpha1 is served here yet"},
		},
		"selects in another namespace without permission": {
			spec: m{
				"references": []any{m{
					"to":   "forProvider.vpcId",
					"from": m{"kind": "Vpc", "namespace": "b", "selector": m{"matchLabels": m{"tier": "closed"}}},
				}},
			},
			awaited: []references.Where{{Key: key("Vpc", "b", ""), Labels: map[string]string{"tier": "closed"}}},
			missing: []string{
				"spec.forProvider.vpcId: Vpc with labels tier=closed in namespace b may not be referred to from " +
					"namespace a: there is none, or its annotation landbridge.io/referable-from does not allow it",
			},
		},
		"selects the first by name": {
			spec: m{
				"references": []any{m{
					"to": "forProvider.subnetIds[0]", "from": m{
						"kind": "Subnet", "selector": m{"matchLabels": m{"tier": "x"}},
					},
				}},
			},
			want: m{"subnetIds": []any{"subnet-1"}}, targets: []store.Key{key("Subnet", "a", "s1")},
			awaited: append([]references.Where{{
				Key: key("Subnet", "a", ""), Labels: map[string]string{"tier": "x"},
			}}, names(key("Subnet", "a", "s1"))...),
			unwritten: []string{"spec.forProvider.subnetIds"},
		},
		"selects of the same controller": {
			metadata: m{"ownerReferences": []any{m{"apiVersion": "v1", "kind": "XNetwork", "name": "n", "uid": "1", "controller": true}}},
			spec: m{
				"references": []any{m{
					"to": "forProvider.subnetId", "from": m{
						"kind": "Subnet", "selector": m{"matchControllerRef": true},
					},
				}},
			},
			want: m{"subnetId": "subnet-2"}, targets: []store.Key{key("Subnet", "a", "s2")},
		},
		"selected one is being deleted, and its value is kept": {
			metadata: controlled("1"),
			spec:     m{"forProvider": m{"subnetId": "subnet-0"}, "references": []any{m{"to": "forProvider.subnetId", "from": sibling}}},
			want:     m{"subnetId": "subnet-0"}, targets: []store.Key{key("Subnet", "a", "s0")},
		},
		"selected ones of a list, of which one is being deleted": {
			spec: m{
				"forProvider": m{"subnetIds": []any{"mine", "subnet-0"}},
				"references": []any{m{
					"to": "forProvider.subnetIds[1]", "from": m{
						"kind": "Subnet", "selector": m{"matchLabels": m{"tier": "x"}},
					},
				}},
			},
			want: m{"subnetIds": []any{"mine", "subnet-0"}}, targets: []store.Key{key("Subnet", "a", "s0")},
		},
		"selected one is being deleted, and another one takes its place": {
			metadata: controlled("1"),
			spec: m{
				"forProvider": m{"subnetId": "subnet-0"},
				"references": []any{m{
					"to": "forProvider.subnetId", "from": sibling, "policy": m{"resolve": "Always"},
				}},
			},
			want: m{"subnetId": "subnet-2"}, targets: []store.Key{key("Subnet", "a", "s2")},
			awaited: []references.Where{{Key: key("Subnet", "a", "")}, {Key: key("Subnet", "a", "s2")}},
		},
		"selected one is being deleted, and there is no other": {
			metadata: controlled("3"),
			spec:     m{"references": []any{m{"to": "forProvider.subnetId", "from": sibling}}},
			targets:  []store.Key{key("Subnet", "a", "last")},
			awaited:  []references.Where{{Key: key("Subnet", "a", "")}, {Key: key("Subnet", "a", "last")}},
			missing:  []string{"spec.forProvider.subnetId: Subnet a/last is being deleted"},
		},
		"selects nothing": {
			spec: m{
				"references": []any{m{
					"to": "forProvider.subnetId", "from": m{
						"kind": "Subnet", "selector": m{"matchLabels": m{"tier": "y"}},
					},
				}},
			},
			awaited: []references.Where{{Key: key("Subnet", "a", ""), Labels: map[string]string{"tier": "y"}}},
			missing: []string{"spec.forProvider.subnetId: there is no Subnet with labels tier=y in namespace a"},
		},
		"destroyed before others": {
			metadata: m{"annotations": m{"landbridge.io/destroy-before": "Vpc/main, Vpc/other,other.io/v1/Key/k"}},
			spec:     m{"forProvider": m{"name": "x"}},
			want:     m{"name": "x"}, targets: []store.Key{
				key("Vpc", "a", "main"), key("Vpc", "a", "other"), {
					Group: "other.io", Kind: "Key", Namespace: "a", Name: "k",
				},
			},
		},
		"path through a string": {
			spec: m{"forProvider": m{"name": "x"}, "references": []any{m{"to": "forProvider.name.of", "from": m{"kind": "Vpc", "name": "main"}}}},
			err:  `spec.references[0].to is "forProvider.name.of": forProvider.name: not an object`, mistaken: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resolver(there)
			if x.spec["forProvider"] == nil {
				x.spec["forProvider"] = m{}
			}
			u := object("Thing", "a", "me", m{"spec": x.spec, "metadata": x.metadata})
			before := u.DeepCopy()
			refs, err := references.Of(u, things(t))
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Resolve(t.Context(), u, refs)
			if message := text(err); message != x.err {
				t.Fatalf("error %q, want %q", message, x.err)
			}
			if got := references.Mistaken(err); got != x.mistaken {
				t.Errorf("the reference has to be changed: %t", got)
			}
			if err != nil {
				return
			}
			if x.want == nil {
				x.want = before.Object["spec"].(m)["forProvider"].(m)
			}
			if diff := cmp.Diff(x.want, u.Object["spec"].(m)["forProvider"]); diff != "" {
				t.Errorf("forProvider: -want +got:\n%s", diff)
			}
			if identity, _, _ := unstructured.NestedMap(u.Object, "spec", "import", "identity"); x.identity != nil &&
				!cmp.Equal(x.identity, identity) {
				t.Errorf("identity %v, want %v", identity, x.identity)
			}
			want := references.Resolution{
				Changed: changed(t, before, u, &got, x.unwritten), Targets: x.targets, Missing: x.missing,
				Awaited: x.awaited, Differs: x.differs,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// changed reports whether anything of a resource is to be written. It checks which parts are not,
// and takes them out of the resolution.
func changed(t *testing.T, before, u *unstructured.Unstructured, got *references.Resolution, want []string) bool {
	t.Helper()
	var paths []string
	for _, part := range got.Unwritten {
		paths = append(paths, strings.Join(part.Path, "."))
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("unwritten: -want +got:\n%s", diff)
	}
	resolved := u.DeepCopy()
	restore := references.Withhold(u, got.Unwritten)
	written := !cmp.Equal(before, u)
	restore()
	if diff := cmp.Diff(resolved, u); diff != "" {
		t.Errorf("restored: -want +got:\n%s", diff)
	}
	if values := references.Values(u, got.Unwritten); (values == "") != (len(want) == 0) {
		t.Errorf("values %q", values)
	}
	got.Unwritten = nil
	return written
}

// A value that a reference has set follows the resource that it refers to, or only its replacement,
// as its policy is.
func TestFollow(t *testing.T) {
	t.Parallel()
	there := []*unstructured.Unstructured{
		object("Vpc", "a", "main", m{"metadata": m{"annotations": m{"crossplane.io/external-name": "vpc-2"}}}),
		object("Vpc", "a", "new", nil),
	}
	main := m{"kind": "Vpc", "name": "main"}
	for name, x := range map[string]struct {
		reference       m
		wrote, replaced bool
		want            string
		differs         int
	}{
		"without a policy": {reference: m{"from": main}, wrote: true, want: "vpc-2"},
		"of another hand":  {reference: m{"from": main}, want: "vpc-1", differs: 1},
		"kept by its policy": {
			reference: m{"from": main, "policy": m{"resolve": "IfNotPresent"}}, wrote: true, want: "vpc-1", differs: 1,
		},
		"kept by its policy, replaced": {
			reference: m{"from": main, "policy": m{"resolve": "IfNotPresent"}}, wrote: true,
			replaced: true, want: "vpc-2",
		},
		"of another hand, replaced":           {reference: m{"from": main}, replaced: true, want: "vpc-1", differs: 1},
		"the other resource has no value now": {reference: m{"from": m{"kind": "Vpc", "name": "new"}}, wrote: true, want: "vpc-1"},
		"there is no other resource now":      {reference: m{"from": m{"kind": "Vpc", "name": "gone"}}, wrote: true, want: "vpc-1"},
		"transformed": {
			reference: m{"from": m{"kind": "Vpc", "name": "main", "transform": "self + '!'"}},
			wrote:     true, want: "vpc-2!",
		},
		"a transform that fails keeps the value": {
			reference: m{"from": m{"kind": "Vpc", "name": "main", "transform": "self.split('-')[7]"}},
			wrote:     true, want: "vpc-1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resolver(there)
			r.Wrote = func(_ context.Context, path string) (bool, error) {
				if path != "spec.forProvider.vpcId" {
					t.Errorf("asked for %s", path)
				}
				return x.wrote, nil
			}
			r.Replaced = func(of store.Key) bool { return x.replaced && of == key("Vpc", "a", "main") }
			x.reference["to"] = "forProvider.vpcId"
			u := object("Thing", "a", "me", m{"spec": m{"forProvider": m{"vpcId": "vpc-1"}, "references": []any{x.reference}}})
			refs, err := references.Of(u, things(t))
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Resolve(t.Context(), u, refs)
			if err != nil {
				t.Fatal(err)
			}
			is, _, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "vpcId")
			if is != x.want || got.Changed != (x.want != "vpc-1") || len(got.Differs) != x.differs || len(got.Missing) > 0 {
				t.Errorf("it is %q (%+v), want %q", is, got, x.want)
			}
		})
	}
}

// A data source has no external name: its id is the value.
func TestDataSourceWithoutFieldPath(t *testing.T) {
	t.Parallel()
	from := m{"apiVersion": "data.cloud.landbridge.io/v1alpha1", "kind": "Vpc", "name": "main"}
	for name, x := range map[string]struct {
		annotations, got m
		want, err        string
		missing          []string
	}{
		"with an id": {got: m{"id": "vpc-1", "name": "n"}, want: "vpc-1"},
		"without an id": {
			got: m{"name": "n"},
			err: "spec.references[0].from: the data source Vpc main has no id in its result. Set fieldPath to a " +
				"field of it, such as status.atProvider.name",
		},
		"not read yet":          {missing: []string{"spec.forProvider.vpcId: Vpc a/main has no status.atProvider.id yet"}},
		"with an external name": {annotations: m{"crossplane.io/external-name": "given"}, got: m{"id": "vpc-1"}, want: "given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := object("Vpc", "a", "main", m{"metadata": m{"annotations": x.annotations}})
			if x.got != nil {
				target.Object["status"] = m{"atProvider": x.got}
			}
			target.SetAPIVersion(from["apiVersion"].(string))
			u := object("Thing", "a", "me", m{"spec": m{"forProvider": m{}, "references": []any{m{"to": "forProvider.vpcId", "from": from}}}})
			refs, err := references.Of(u, things(t))
			if err != nil {
				t.Fatal(err)
			}
			got, err := resolver([]*unstructured.Unstructured{target}).Resolve(t.Context(), u, refs)
			if diff := cmp.Diff(x.err, text(err)); diff != "" || references.Mistaken(err) != (x.err != "") {
				t.Fatalf("error (-want +got):\n%s", diff)
			}
			is, _, _ := unstructured.NestedString(u.Object, "spec", "forProvider", "vpcId")
			if diff := cmp.Diff(x.want, is); diff != "" {
				t.Errorf("the field (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(x.missing, got.Missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMalformedDestroyBefore(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"main", "Vpc/", "/main", "v1/Vpc/main", "a/b/c/d/e"} {
		u := object("Thing", "a", "me", m{"metadata": m{"annotations": m{"landbridge.io/destroy-before": value}}})
		_, err := references.Of(u, things(t))
		want := `the annotation landbridge.io/destroy-before has "` + value + `", where KIND/NAME or GROUP/VERSION/KIND/NAME is expected`
		if text(err) != want {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// resolver returns a Resolver of the given resources.
func resolver(there []*unstructured.Unstructured) references.Resolver {
	scheme := runtime.NewScheme()
	for _, kind := range []string{"Vpc", "Subnet", "Thing"} {
		scheme.AddKnownTypeWithName(group.WithKind(kind), &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(group.WithKind(kind+"List"), &unstructured.UnstructuredList{})
	}
	data := schema.GroupVersion{Group: "data." + group.Group, Version: group.Version}
	scheme.AddKnownTypeWithName(data.WithKind("Vpc"), &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(data.WithKind("VpcList"), &unstructured.UnstructuredList{})
	objects := make([]runtime.Object, len(there))
	for i, o := range there {
		objects[i] = o.DeepCopy()
	}
	return references.Resolver{
		Reader: fake.NewClientBuilder().WithScheme(scheme).WithRuntimeObjects(objects...).Build(),
		Served: func(gk schema.GroupKind) (string, bool) { return gk.Kind + "List", gk.Kind != "Key" },
		Lacks: func(_ schema.GroupKind, path string) error {
			if strings.HasSuffix(path, "lacking") {
				return errors.New("there is no field")
			}
			return nil
		},
	}
}

func names(keys ...store.Key) []references.Where {
	var out []references.Where
	for _, k := range keys {
		out = append(out, references.Where{Key: k})
	}
	return out
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
