package suggest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/suggest"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// provider returns a provider whose objects are named as those of Kubernetes.
func provider(t *testing.T, identity map[string]*schema.IdentityAttribute) *model.Provider {
	t.Helper()
	metadata := &schema.Block{Attributes: map[string]*schema.Attribute{
		"name":      {Type: cty.String, Required: true},
		"namespace": {Type: cty.String, Optional: true},
		"uid":       {Type: cty.String, Computed: true},
	}}
	p, err := model.NewProvider("kube", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"kube_map": {
		Type: "kube_map", Identity: &schema.Identity{Attributes: identity},
		Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{
				"id": {Type: cty.String, Computed: true}, "title": {Type: cty.String, Optional: true}, "size": {Type: cty.Number, Optional: true},
			},
			Blocks: map[string]*schema.NestedBlock{
				"metadata": {Nesting: schema.NestingList, MinItems: 1, MaxItems: 1, Block: metadata},
				"role": {
					Nesting: schema.NestingList, MaxItems: 1,
					Block: &schema.Block{
						Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}},
					},
				},
			},
		},
	}}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// seen is an object with an identity.
type seen struct {
	namespace, name, title string
	identity               map[string]string
	role                   string
}

func (s seen) instance(identity map[string]*schema.IdentityAttribute) instance.Instance {
	text := func(s string) cty.Value {
		if s == "" {
			return cty.NullVal(cty.String)
		}
		return cty.StringVal(s)
	}
	values := map[string]cty.Value{}
	for name := range identity {
		values[name] = text(s.identity[name])
	}
	return instance.Instance{Status: instance.Full, Identity: cty.ObjectVal(values), State: cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal("i-1"), "title": text(s.title), "size": cty.NullVal(cty.Number),
		"role": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"name": text(s.role)})}),
		"metadata": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
			"name": text(s.name), "namespace": text(s.namespace), "uid": cty.StringVal("u-" + s.name),
		})}),
	})}
}

func TestIdentities(t *testing.T) {
	required, optional := &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true},
		&schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
	kube := map[string]*schema.IdentityAttribute{"name": required, "namespace": optional, "kind": required, "api_version": required}
	of := func(namespace, name string) map[string]string {
		return map[string]string{"name": name, "namespace": namespace, "kind": "ConfigMap", "api_version": "v1"}
	}
	type mapping map[string]config.IdentityValue
	for name, test := range map[string]struct {
		identity map[string]*schema.IdentityAttribute
		objects  []seen
		want     mapping
		notes    []string
	}{
		"paths and constants": {
			kube, []seen{{"a", "x", "x", of("a", "x"), ""}, {"b", "y", "", of("b", "y"), ""}},
			mapping{"name": "metadata.name", "namespace": "metadata.namespace", "kind": "ConfigMap", "api_version": "=v1"}, nil,
		},
		"an attribute that some do not have": {
			kube, []seen{{"a", "x", "", of("a", "x"), ""}, {"", "y", "", of("", "y"), ""}},
			mapping{"name": "metadata.name", "namespace": "metadata.namespace", "kind": "ConfigMap", "api_version": "=v1"}, nil,
		},
		"one object": {
			kube, []seen{{"a", "x", "x", of("a", "x"), ""}},
			mapping{"name": "metadata.name", "namespace": "metadata.namespace", "kind": "ConfigMap", "api_version": "=v1"}, []string{
				"kube_map: name could also be title; more objects with different values would tell",
				"kube_map: the mapping is a guess, since only one object was seen; a second one would tell",
			},
		},
		"argument of the same name": {
			map[string]*schema.IdentityAttribute{"title": required}, []seen{{"a", "x", "t", map[string]string{"title": "t"}, ""}}, nil, nil,
		},
		"not known beforehand": {
			map[string]*schema.IdentityAttribute{"uid": required}, []seen{
				{"a", "x", "", map[string]string{"uid": "u-x"}, ""}, {"a", "y", "", map[string]string{"uid": "u-y"}, ""},
			}, nil, []string{"kube_map: no mapping, since the required attribute uid of the identity is neither an argument nor a constant"},
		},
		"an optional one not known beforehand": {
			map[string]*schema.IdentityAttribute{"label": required, "uid": optional}, []seen{
				{"a", "x", "", map[string]string{"label": "x", "uid": "u-x"}, ""}, {"a", "y", "", map[string]string{"label": "y", "uid": "u-y"}, ""},
			}, mapping{"label": "metadata.name"}, []string{"kube_map: uid is left out, since it is neither an argument nor a constant"},
		},
		// Its role has the same name.
		"one object, of two arguments of that name": {
			kube, []seen{{"a", "x", "", of("a", "x"), "x"}},
			mapping{"name": "metadata.name", "namespace": "metadata.namespace", "kind": "ConfigMap", "api_version": "=v1"}, []string{
				"kube_map: name could also be role.name; more objects with different values would tell",
				"kube_map: the mapping is a guess, since only one object was seen; a second one would tell",
			},
		},
		"two arguments of that name, and nothing beside them": {
			map[string]*schema.IdentityAttribute{"name": required}, []seen{{"", "x", "", map[string]string{"name": "x"}, "x"}}, nil,
			[]string{
				"kube_map: no mapping, since the required attribute name of the identity could be metadata.name or " +
					"role.name; more objects with different values would tell",
			},
		},
		"two arguments of that name, and two objects": {
			map[string]*schema.IdentityAttribute{"name": required}, []seen{
				{"", "x", "", map[string]string{"name": "x"}, "x"}, {"", "y", "", map[string]string{"name": "y"}, "x"},
			}, mapping{"name": "metadata.name"}, nil,
		},
		"two arguments of other names": {
			map[string]*schema.IdentityAttribute{"label": required}, []seen{{"", "x", "x", map[string]string{"label": "x"}, ""}}, nil,
			[]string{
				"kube_map: no mapping, since the required attribute label of the identity could be metadata.name or " +
					"title; more objects with different values would tell",
			},
		},
		"an optional one of two arguments": {
			map[string]*schema.IdentityAttribute{"namespace": required, "label": optional}, []seen{{
				"a", "x", "x", map[string]string{"namespace": "a", "label": "x"}, "x",
			}},
			mapping{"label": "metadata.name", "namespace": "metadata.namespace"}, []string{
				"kube_map: label could also be title or role.name; more objects with different values would tell",
				"kube_map: the mapping is a guess, since only one object was seen; a second one would tell",
			},
		},
		"a computed attribute, of one object": {
			map[string]*schema.IdentityAttribute{"name": required, "number": required},
			[]seen{{"a", "x", "", map[string]string{"name": "x", "number": "i-1"}, ""}}, nil,
			[]string{
				"kube_map: no mapping, since the required attribute number of the identity is the computed " +
					"attribute id, which is not known before a create",
			},
		},
		"a computed attribute inside, of one object": {
			map[string]*schema.IdentityAttribute{"name": required, "number": optional}, []seen{{
				"a", "x", "", map[string]string{"name": "x", "number": "u-x"}, "",
			}},
			mapping{"name": "metadata.name"}, []string{
				"kube_map: number is left out, since it is the computed attribute metadata.uid, which is not known before a create",
				"kube_map: the mapping is a guess, since only one object was seen; a second one would tell",
			},
		},
		"only constants": {
			map[string]*schema.IdentityAttribute{"kind": required, "api_version": required}, []seen{{"a", "x", "", of("a", "x"), ""}}, nil,
			[]string{"kube_map: no mapping, since it would be the same for every object"},
		},
		"a required one that none has": {
			kube, []seen{{"a", "x", "", map[string]string{"name": "x"}, ""}}, nil,
			[]string{"kube_map: no mapping, since no object has the required attribute api_version of the identity"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []instance.Instance{{}} // without an object
			for _, s := range test.objects {
				objects = append(objects, s.instance(test.identity))
			}
			got := suggest.Identities(provider(t, test.identity), map[string][]instance.Instance{"kube_map": objects, "kube_other": objects})
			if diff := cmp.Diff(test.want, mapping(got.Configuration.Resources["kube_map"].Identity)); diff != "" {
				t.Errorf("mapping (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.notes, got.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
