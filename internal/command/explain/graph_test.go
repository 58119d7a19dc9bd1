package explain_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/graph"
)

// TestGraph checks the graph of a resource that waits for another one, and of the Secret of a
// configuration.
func TestGraph(t *testing.T) {
	t.Parallel()
	w := retrying("ReferenceNotResolved", "there is no Thing team-a/network")(newWorld(t)).set(thing, "Ready False Creating").
		put(thing, []any{map[string]any{
			"to": "forProvider.value", "from": map[string]any{"kind": "Thing", "name": "network"},
		}}, "spec", "references")
	const (
		db       = "thing.open.landbridge.io/db -n team-a"
		network  = "thing.open.landbridge.io/network -n team-a"
		provider = "terraformprovider.landbridge.io/open"
		settings = "clusterproviderconfig.open.landbridge.io/default"
		token    = "secret/token -n team-a"
	)
	want := graph.Graph{
		Nodes: []graph.Node{
			{ID: settings, Title: "ClusterProviderConfig default", Text: "Ready", State: graph.Ready},
			{ID: token, Title: "Secret team-a/token", State: graph.Ready},
			{ID: provider, Title: "TerraformProvider open", Text: "Ready", State: graph.Ready},
			{ID: db, Title: "Thing team-a/db", Text: "Waiting, ReferenceNotResolved", State: graph.Waiting, Subject: true},
			{ID: network, Title: "Thing team-a/network", Text: "Missing", State: graph.Failed},
		},
		Edges: []graph.Edge{
			{From: settings, To: token, Label: "spec.tokenSecretRef"},
			{From: settings, To: provider},
			{From: db, To: settings, Label: "spec.providerConfigRef"},
			{From: db, To: provider},
			{From: db, To: network, Label: "spec.forProvider.value"},
		},
	}
	if diff := cmp.Diff(want, w.Graph()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A data source uses the configurations of its provider, whose group is another one.
func TestGraphOfDataSource(t *testing.T) {
	t.Parallel()
	for name, types := range map[string]map[string]string{
		"as its CRD tells":   {"Image.data.open.landbridge.io": "data.open_image"},
		"as the group tells": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.Types = types
			u := w.Objects[thing]
			u.SetAPIVersion("data.open.landbridge.io/v1alpha1")
			u.SetKind("Image")
			want := graph.Edge{
				From: "image.data.open.landbridge.io/db -n team-a",
				To:   "clusterproviderconfig.open.landbridge.io/default", Label: "spec.providerConfigRef",
			}
			if got := w.about(thing).Graph().Edges; !slices.Contains(got, want) {
				t.Errorf("no edge %v in %v", want, got)
			}
		})
	}
}
