package migrate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/migrate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// FuzzDump checks that no object of a dump ends the command, and that no secret of one gets into a
// manifest.
func FuzzDump(f *testing.F) {
	const secret = "correct-horse-battery-staple"
	r := resourceType(f, config.Resource{})
	hcloud, err := model.NewProvider("hcloud", schematest.Provider(f, "hcloud"), config.Provider{})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"apiVersion":"cloud.crossplane.io/v1beta1","kind":"Thing","metadata":{"name":"a","annotations":{"crossplane.io/external-name":"x"}},"spec":{"forProvider":{"name":"x","region":"eu","disk":[{"sizeGb":1,"passPhraseSecretRef":{"name":"s","namespace":"n","key":"k"}}],"vpcIdRef":{"name":"v"},"subnetIdsSelector":{"matchLabels":{"a":"b"}}},"initProvider":{"size":2},"managementPolicies":["*"],"deletionPolicy":"Orphan","writeConnectionSecretToRef":{"name":"c","namespace":"n"},"providerConfigRef":{"name":"p","kind":"ProviderConfig"}},"status":{"atProvider":{"id":"x","arn":"arn:x"}}}`,
		`{"apiVersion":"hcloud.crossplane.io/v1beta1","kind":"ProviderConfig","metadata":{"name":"main"},"spec":{"credentials":{"source":"Secret","secretRef":{"namespace":"n","name":"s","key":"k"}},"pollInterval":"1s"}}`,
		`{"apiVersion":"cloud.crossplane.io/v1beta1","kind":"Thing","metadata":{"name":"a"},"spec":{"forProvider":{"labels":[],"rule":{},"keysSecretRef":"x"},"managementPolicies":[{}]},"status":{"atProvider":[]}}`,
		`{}`,
	} {
		f.Add([]byte(seed))
	}
	secrets := func(string, string) (map[string][]byte, error) {
		return map[string][]byte{"k": []byte(`{"token":"` + secret + `"}`), "attribute.token": []byte(secret)}, nil
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		u := &unstructured.Unstructured{}
		if u.UnmarshalJSON(raw) != nil || strings.Contains(string(raw), secret) {
			return
		}
		if migrate.IsProviderConfig(u) {
			if c, err := translated(hcloud, migrate.ProviderConfig{Unstructured: u}, nil, secrets); err == nil {
				withoutSecret(t, c.Object, secret)
			}
		}
		if !migrate.IsManaged(u) {
			return
		}
		o := migrate.Upjet{Unstructured: u, Type: r}
		_, _ = o.Place(), o.Configuration()
		_, _, _ = migrate.HandedOver(u)
		takeover, err := o.Takeover(&importer.ConfiguredProvider{}, []migrate.Upjet{o}, "team", secrets)
		if err != nil {
			return
		}
		m := importer.Manifest{Resource: &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"namespace": "team"}, "spec": map[string]any{"forProvider": takeover.Item.Declared.ForProvider},
		}}}
		takeover.Complete(&m)
		withoutSecret(t, m.Resource, secret)
	})
}

func withoutSecret(t *testing.T, u *unstructured.Unstructured, secret string) {
	t.Helper()
	if raw, err := json.Marshal(u.Object); err != nil || strings.Contains(string(raw), secret) {
		t.Errorf("%v: %s", err, raw)
	}
}
