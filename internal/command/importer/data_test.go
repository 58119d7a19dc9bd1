package importer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// images reads images: by id, or else by name.
type images struct {
	terraform.Executor
	// ids are those of names.
	ids map[string]string
}

func (x images) ReadData(_ context.Context, _ terraform.ResourceType, config cty.Value) (terraform.Data, diagnostic.Diagnostics) {
	values := config.AsValueMap()
	for name, id := range x.ids {
		byID := !values["id"].IsNull() && values["id"].AsString() == id
		if byID || values["id"].IsNull() && !values["name"].IsNull() && values["name"].AsString() == name {
			values["id"], values["size"] = cty.StringVal(id), cty.NumberIntVal(int64(len(name)))
			return terraform.Data{Value: cty.ObjectVal(values)}, nil
		}
	}
	return terraform.Data{}, diagnostic.Errorf("Not found", "There is no such image.")
}

// A manifest of a data source has the fewest arguments by which the result of the state is read.
func TestDataSources(t *testing.T) {
	t.Parallel()
	cloud, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{},
		DataSources: map[string]*schema.Block{"cloud_image": {Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Optional: true, Computed: true}, "name": {Type: cty.String, Optional: true},
			"size": {Type: cty.Number, Computed: true},
			"key":  {Type: cty.String, Optional: true, Sensitive: true},
		}}}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	for name, test := range map[string]struct {
		attributes, sensitive string
		unread                bool
		want                  m
		secret, note, left    string
	}{
		"by name": {attributes: `{"id": "i-1", "name": "debian", "size": 6, "key": null}`, want: m{"name": "debian"}},
		"by id":   {attributes: `{"id": "i-1", "name": null, "size": 6, "key": null}`, want: m{"id": "i-1"}},
		"not read": {
			attributes: `{"id": "i-1", "name": "debian", "size": 6, "key": null}`, unread: true,
			want: m{"name": "debian"}, note: "It was not read.",
		},
		"a newer one": {
			attributes: `{"id": "i-0", "name": "debian", "size": 5, "key": null}`, want: m{"name": "debian"},
			note: "It has changed since the state was written",
		},
		"a secret": {
			attributes: `{"id": "i-1", "name": "debian", "size": 6, "key": "planted"}`, secret: "planted",
			want: m{"name": "debian", "keySecretRef": m{"name": "x-inputs", "key": "key"}},
		},
		"sensitive in the state": {
			attributes: `{"id": "i-1", "name": "debian", "size": 6, "key": null}`, sensitive: `[[{"type": "get_attr", "value": "name"}]]`,
			want: m{"id": "i-1"}, note: "name is left out",
		},
		"it is gone":     {attributes: `{"id": "i-9", "name": "other", "size": 6, "key": null}`, left: "it cannot be read: "},
		"another schema": {attributes: `{"uuid": "i-1"}`, left: "the state is of another version of the provider"},
		"no result":      {attributes: `null`, left: "the state has no result of it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &importer.ConfiguredProvider{Model: cloud,
				Configuration: importer.Configuration{Kind: "ProviderConfig", Name: "own"}, Secrets: &redact.Redactor{}}
			if !test.unread {
				p.Executor = images{ids: map[string]string{"debian": "i-1"}}
			}
			if test.sensitive == "" {
				test.sensitive = "[]"
			}
			state := `{"version": 4, "resources": [{"mode": "data", "type": "cloud_image", "name": "x", "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
				"instances": [{"schema_version": 0, "attributes": ` + test.attributes + `, "sensitive_attributes": ` + test.sensitive + `}]}]}`
			estate, err := importer.ReadState([]byte(state), func(string, string) (*importer.ConfiguredProvider, error) { return p, nil }, nil)
			if err != nil || len(estate.Data) != 1 {
				t.Fatal(estate, err)
			}
			manifests, left := (&importer.Builder{Namespace: "team"}).DataSources(t.Context(), estate.Data)
			if test.left != "" {
				if len(left) != 1 || left[0].Origin != "data.cloud_image.x" || !strings.HasPrefix(left[0].Reason, test.left) {
					t.Errorf("left out: %v", left)
				}
				return
			}
			if len(manifests) != 1 || len(left) > 0 {
				t.Fatal(manifests, left)
			}
			got := manifests[0]
			want := m{
				"apiVersion": "data.cloud.landbridge.io/v1alpha1", "kind": "Image", "metadata": m{"name": "x", "namespace": "team"},
				"spec": m{"forProvider": test.want, "providerConfigRef": m{"kind": "ProviderConfig", "name": "own"}},
			}
			if diff := cmp.Diff(want, got.Resource.Object); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, test.note) ||
				test.note == "" && notes != "" || strings.Contains(notes, "planted") {
				t.Errorf("notes: %s", notes)
			}
			if test.secret != "" && (got.Inputs == nil || string(got.Inputs.Data["key"]) != test.secret) {
				t.Errorf("the Secret: %v", got.Inputs != nil)
			}
		})
	}
}
