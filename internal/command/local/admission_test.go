package local_test

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// network returns the spec of a network with an element of spec.actions.
func network(action string) string {
	return `{forProvider: {name: a, ipRange: 10.0.0.0/8}, actions: [` + action + `]}`
}

// A manifest is refused if the API server of a cluster would refuse it, with the path of the field.
func TestRefusedAsByTheAPIServer(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ provider, kind, spec, path, says string }{
		"accepted": {provider: "hcloud", kind: "Network", spec: `{forProvider: {name: a, ipRange: 10.0.0.0/8, labels: {a: "1"}}}`},
		"a boolean as a string": {
			provider: "hcloud", kind: "Network", spec: `{forProvider: {name: true, ipRange: 10.0.0.0/8}}`,
			path: "spec.forProvider.name", says: "must be of type string",
		},
		"a number in a map": {
			provider: "hcloud", kind: "Network",
			spec: `{forProvider: {name: a, ipRange: 10.0.0.0/8, labels: {a: 1}}}`, path: "spec.forProvider.labels.a",
			says: "must be of type string",
		},
		"a duplicate in a set": {
			provider: "hcloud", kind: "Firewall",
			spec: `{forProvider: {name: a, rule: [{direction: in, protocol: icmp, sourceIps: [10.0.0.0/8, 10.0.0.0/8]}]}}`,
			path: "spec.forProvider.rule", says: "Duplicate value",
		},
		"an action": {
			provider: "hcloud", kind: "Network",
			spec: network(
				`{name: a, action: serverreboots.action.hcloud.landbridge.io, events: [AfterUpdate], forProvider: {serverId: 1}}`,
			),
		},
		"an action without an argument": {
			provider: "hcloud", kind: "Network",
			spec: network(`{name: a, action: serverreboots.action.hcloud.landbridge.io, events: [AfterUpdate]}`),
			path: "spec.actions[a].forProvider.serverId", says: "required",
		},
		"an argument of an action": {
			provider: "hcloud", kind: "Network",
			spec: network(
				`{name: a, action: serverreboots.action.hcloud.landbridge.io, events: [AfterUpdate], forProvider: {serverId: one}}`,
			),
			path: "spec.actions[a].forProvider.serverId", says: "must be of type",
		},
		"an action that is not there": {
			provider: "hcloud", kind: "Network", spec: network(`{name: a, action: serverstarts.action.hcloud.landbridge.io, events: [AfterUpdate]}`),
			path: "spec.actions[a].action", says: "The provider has no action serverstarts.action.hcloud.landbridge.io.",
		},
		"an action of another provider": {
			provider: "hcloud", kind: "Network", spec: network(`{name: a, action: backups.action.cloud.example.org, events: [AfterUpdate]}`),
			path: "spec.actions[a].action", says: "is not an action of this provider",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewProvider(x.provider, schematest.Provider(t, x.provider), config.Provider{})
			if err != nil {
				t.Fatal(err)
			}
			text := "apiVersion: " + p.Group + "/v1alpha1\nkind: " + x.kind + "\nmetadata: {name: a}\nspec: " + x.spec + "\n"
			m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(text)}})
			if x.says == "" {
				if messages.HasErrors() || len(m.Resources) != 1 {
					t.Error(messages)
				}
				return
			}
			for _, got := range messages {
				if strings.HasPrefix(got.Path, x.path) && strings.Contains(got.Summary+" "+got.Detail, x.says) {
					return
				}
			}
			t.Errorf("no message about %s says %q: %+v", x.path, x.says, messages)
		})
	}
}
