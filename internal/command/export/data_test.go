package export_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/export"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

const imageKind = "cloud_image"

func cloud(t *testing.T) *model.Provider {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{
			"cloud_server": {Type: "cloud_server", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"id":     {Type: cty.String, Computed: true},
				"name":   {Type: cty.String, Optional: true},
				"image":  {Type: cty.String, Optional: true},
				"labels": {Type: cty.Map(cty.String), Optional: true},
			}}},
		},
		DataSources: map[string]*schema.Block{imageKind: {Attributes: map[string]*schema.Attribute{
			"id":     {Type: cty.Number, Computed: true},
			"name":   {Type: cty.String, Optional: true},
			"family": {Type: cty.String, Optional: true},
			"token":  {Type: cty.String, Optional: true, Sensitive: true},
		}}},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func object(m *model.Resource, name string, spec, at map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec, "status": map[string]any{"atProvider": at}}}
	u.SetGroupVersionKind(m.GroupVersionKind())
	u.SetNamespace("team")
	u.SetName(name)
	return u
}

func from(m *model.Resource, name, fieldPath, to string, more ...string) map[string]any {
	source := map[string]any{"apiVersion": m.GroupVersionKind().GroupVersion().String(), "kind": m.Kind, "name": name}
	if fieldPath != "" {
		source["fieldPath"] = fieldPath
	}
	for i := 0; i < len(more); i += 2 {
		source[more[i]] = more[i+1]
	}
	return map[string]any{"to": to, "from": source}
}

// Data sources to which a resource refers become data blocks, and the values from them expressions.
func TestDataSourcesAreExported(t *testing.T) {
	t.Parallel()
	p := cloud(t)
	server, image := p.Resources["cloud_server"], p.DataSources[imageKind]
	debian := object(image, "debian", map[string]any{"forProvider": map[string]any{"name": "debian-13"}},
		map[string]any{"id": int64(45), "name": "debian-13"})
	tests := map[string]struct {
		references      []any
		images          []client.Object
		resources, data string
		left            []state.Left
	}{
		"the id": {
			references: []any{from(image, "debian", "", "forProvider.image")}, images: []client.Object{debian},
			resources: "resource \"cloud_server\" \"web\" {\n  image = data.cloud_image.debian.id\n  name  = \"web\"\n}\n",
			data:      "data \"cloud_image\" \"debian\" {\n  name = \"debian-13\"\n}\n",
		},
		"a value that is transformed": {
			references: []any{
				from(image, "debian", "status.atProvider.name", "forProvider.image", "transform", "self + '-arm'"),
			}, images: []client.Object{debian},
			resources: "resource \"cloud_server\" \"web\" {\n  image      = \"debian-13-arm\"\n  name       = " +
				"\"web\"\n  depends_on = [data.cloud_image.debian]\n}\n",
			data: "data \"cloud_image\" \"debian\" {\n  name = \"debian-13\"\n}\n",
		},
		"the same text elsewhere": {
			references: []any{from(image, "debian", "status.atProvider.name", "forProvider.image")},
			images: []client.Object{
				object(image, "debian", map[string]any{"forProvider": map[string]any{"family": "web"}},
					map[string]any{"id": int64(45), "name": "web"}),
			},
			resources: "resource \"cloud_server\" \"web\" {\n  image = data.cloud_image.debian.name\n  name  = \"web\"\n}\n",
			data:      "data \"cloud_image\" \"debian\" {\n  family = \"web\"\n}\n",
		},
		"one of another, with a secret": {
			references: []any{from(image, "debian", "", "forProvider.image")},
			images: []client.Object{
				object(image, "debian", map[string]any{
					"forProvider": map[string]any{"tokenSecretRef": map[string]any{"name": "token", "key": "token"}},
					"references":  []any{from(image, "newest", "status.atProvider.family", "forProvider.family")},
				}, map[string]any{"id": int64(45)}),
				object(image, "newest", map[string]any{"forProvider": map[string]any{}}, map[string]any{"id": int64(7), "family": "trixie"}),
			},
			resources: "resource \"cloud_server\" \"web\" {\n  image = data.cloud_image.debian.id\n  name  = \"web\"\n}\n",
			data: "data \"cloud_image\" \"debian\" {\n  family = data.cloud_image.newest.family\n  token  = var.debian_token\n}\n\n" +
				"data \"cloud_image\" \"newest\" {\n}\n",
		},
		"one that does not exist": {
			references: []any{from(image, "gone", "", "forProvider.image")},
			resources:  "resource \"cloud_server\" \"web\" {\n  name = \"web\"\n}\n",
			left:       []state.Left{{Title: "image.data.cloud.landbridge.io team/gone", Reason: "it does not exist"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := object(server, "web", map[string]any{
				"forProvider": map[string]any{"name": "web"}, "references": test.references,
				"managementPolicies": []any{"*"},
			}, map[string]any{})
			scheme := runtime.NewScheme()
			if err := corev1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			token := &corev1.Secret{Data: map[string][]byte{"token": []byte("planted-token")}}
			token.Namespace, token.Name = "team", "token"
			found := instance.Instance{State: cty.ObjectVal(map[string]cty.Value{
				"id": cty.StringVal("1"), "name": cty.StringVal("web"), "image": cty.StringVal("45"), "labels": cty.NullVal(cty.Map(cty.String)),
			})}
			resources, data, left, err := export.Blocks(t.Context(), export.Options{
				Client:    fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(test.images, web, token)...).Build(),
				Providers: []*export.RequiredProvider{{Model: p, Source: "example.org/x/cloud"}}, Secrets: &redact.Redactor{},
			}, store.Key{Group: server.Group, Kind: server.Kind, Namespace: "team", Name: "web"},
				tfstate.ResourceBlock{Mode: "managed", Type: "cloud_server", Name: "web", Instances: []tfstate.Instance{{}}}, found)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{test.resources, test.data, test.left}, []any{resources, data, left}); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
