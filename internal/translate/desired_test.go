package translate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func bucket() *schema.Block {
	str := func() *schema.Attribute { return &schema.Attribute{Type: cty.String, Optional: true} }
	return &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Required: true}, "region": str(), "policy": str(),
			"size": {Type: cty.Number, Optional: true, Computed: true}, "force": {Type: cty.Bool, Optional: true},
			"port":  {Type: cty.String, Optional: true, Computed: true},
			"token": {Type: cty.String, Computed: true, Sensitive: true},
			"tags":  {Type: cty.Map(cty.String), Optional: true, Computed: true}, "hosts": {Type: cty.List(cty.String), Computed: true},
		},
		Blocks: map[string]*schema.NestedBlock{"site": {Nesting: schema.NestingList, MaxItems: 1, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"zone": str()},
		}}},
	}
}

func TestDesired(t *testing.T) {
	t.Parallel()
	str := cty.StringVal
	tags := func(kv ...string) cty.Value {
		m := map[string]cty.Value{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = str(kv[i+1])
		}
		return cty.MapVal(m)
	}
	about := translate.Subject{Namespace: "team", Name: "logs", ProviderConfigKind: "ClusterProviderConfig", ProviderConfigName: "default"}
	for name, test := range map[string]struct {
		config                    config.Resource
		externalName              string
		forProvider, initProvider map[string]any
		want                      map[string]cty.Value
		err                       string
	}{
		"nothing configured": {
			forProvider: map[string]any{"name": "a", "size": int64(1)},
			want:        map[string]cty.Value{"name": str("a"), "size": cty.NumberIntVal(1)},
		},
		"the name is the resource's": {
			config: config.Resource{ExternalName: &config.ExternalName{Argument: "name"}},
			want:   map[string]cty.Value{"name": str("logs")},
		},
		"the name is the annotation's": {
			config:       config.Resource{ExternalName: &config.ExternalName{Argument: "name", Default: "x"}},
			externalName: "given",
			want:         map[string]cty.Value{"name": str("given")},
		},
		"the name is made": {
			config: config.Resource{
				ExternalName: &config.ExternalName{
					Argument: "name",
					Default: "{{ .metadata.namespace }}-{{ .metadata.name }}.{{ .parameters.site.zone }}-{{ " +
						".parameters.size }}",
				},
			},
			forProvider:  map[string]any{"site": map[string]any{"zone": "z1"}, "size": int64(7)},
			initProvider: map[string]any{"size": int64(8)},
			want: map[string]cty.Value{
				"name": str("team-logs.z1-7"), "size": cty.NumberIntVal(7),
				"site": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"zone": str("z1")})}),
			},
		},
		"the name cannot be made": {
			config: config.Resource{ExternalName: &config.ExternalName{Argument: "name", Default: "{{ .parameters.region }}"}},
			err:    "the external name is made of fields of spec.forProvider that are not given",
		},
		"the name cannot be given": {
			config:      config.Resource{ExternalName: &config.ExternalName{Argument: "name"}},
			forProvider: map[string]any{"name": "a"},
			err:         "It is settled by the configuration",
		},
		"values": {
			config: config.Resource{
				Add: map[string]config.AddedField{"place": {}, "huge": {Type: config.FieldBoolean}},
				Fields: map[string]config.Field{
					"name": {Value: "n"}, "region": {Value: "{{ .parameters.place }}-1"},
					"policy": {Value: "{{ .parameters.size }}"}, "force": {Value: "{{ .parameters.huge }}"},
				},
			},
			forProvider: map[string]any{"place": "eu", "huge": true},
			want:        map[string]cty.Value{"name": str("n"), "region": str("eu-1"), "force": cty.True},
		},
		"a value that is none": {
			config: config.Resource{
				Add: map[string]config.AddedField{"huge": {}}, Fields: map[string]config.Field{
					"force": {Value: "{{ .parameters.huge }}"},
				},
			},
			forProvider: map[string]any{"huge": "very"},
			err:         `It must be true or false, not the string "very"`,
		},
		"tags": {
			config: config.Resource{
				DefaultTags: &config.DefaultTags{
					Tags: map[string]config.Template{
						"stage": "test", "crossplane-name": "{{ .metadata.namespace }}/{{ .metadata.name }}",
						"zone": "{{ .parameters.site.zone }}",
					},
				},
			},
			forProvider: map[string]any{"tags": map[string]any{"stage": "mine", "own": "1"}},
			want: map[string]cty.Value{
				"tags": tags("crossplane-kind", "thing.test.landbridge.io", "crossplane-name", "team/logs",
					"crossplane-namespace", "team",
					"crossplane-providerconfig", "default", "crossplane-providerconfig-kind", "ClusterProviderConfig",
					"stage", "mine", "own", "1"),
			},
		},
		"only our tags, and none": {
			config: config.Resource{
				DefaultTags: &config.DefaultTags{
					OnlyTags: true, Tags: map[string]config.Template{"zone": "{{ .parameters.site.zone }}"},
				},
			},
			want: map[string]cty.Value{},
		},
		"types": {
			config: config.Resource{
				Fields: map[string]config.Field{
					"policy": {Type: config.FieldJSON}, "port": {Type: config.FieldInteger},
					"size": {Type: config.FieldString}, "force": {Type: config.FieldString},
				},
			},
			forProvider: map[string]any{
				"policy": map[string]any{"b": []any{int64(1), 2.5}, "a": "<&>"}, "port": int64(8080),
				"size": "12345678901234567890123", "force": "true",
			},
			want: map[string]cty.Value{
				"policy": str(`{"a":"<&>","b":[1,2.5]}`), "port": str("8080"),
				"size": cty.MustParseNumberVal("12345678901234567890123"), "force": cty.True,
			},
		},
		"a function": {
			config: config.Resource{
				Add:         map[string]config.AddedField{"suffix": {}},
				DefaultTags: &config.DefaultTags{OnlyTags: true, Tags: map[string]config.Template{"a": "b"}},
				Functions: &config.Functions{Configure: func(s config.Subject, v cty.Value) (cty.Value, error) {
					m := v.AsValueMap()
					m["region"] = str(s.Namespace + s.Name + s.ExternalName + s.Parameters["suffix"].(string) + m["tags"].AsValueMap()["a"].AsString())
					return cty.ObjectVal(m), nil
				}},
			},
			externalName: "x", forProvider: map[string]any{"suffix": "y"},
			want: map[string]cty.Value{"region": str("teamlogsxyb"), "tags": tags("a", "b")},
		},
		"a function that fails": {
			config: config.Resource{
				Functions: &config.Functions{
					Configure: func(config.Subject, cty.Value) (cty.Value, error) {
						return cty.NilVal, errors.New("no")
					},
				},
			},
			err: "no.",
		},
		"a function that returns something else": {
			config: config.Resource{
				Functions: &config.Functions{
					Configure: func(config.Subject, cty.Value) (cty.Value, error) { return cty.True, nil },
				},
			},
			err: "returned something else than a test_thing",
		},
		"a function that does not know": {
			config: config.Resource{
				Functions: &config.Functions{
					Configure: func(_ config.Subject, v cty.Value) (cty.Value, error) {
						return cty.UnknownVal(v.Type()), nil
					},
				},
			},
			err: "must return a value that is wholly known",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resource(t, bucket(), test.config)
			s := about
			s.ExternalName, s.ForProvider, s.InitProvider = test.externalName, test.forProvider, test.initProvider
			got, diags := translate.Desired(r, s, nil)
			if test.err != "" {
				if text := translate.Message(r, diags); !strings.Contains(text, test.err) {
					t.Errorf("got %s, want %s", text, test.err)
				}
				return
			}
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if want := with(bucket(), test.want); !got.Value.RawEquals(want) {
				t.Errorf("got %#v\nwant %#v", got.Value, want)
			}
		})
	}
}

// Names go to ids and come back from them.
func TestExternalNamesAreFoundAgain(t *testing.T) {
	t.Parallel()
	state := with(bucket(), map[string]cty.Value{"id": cty.StringVal("eu/n-1"), "name": cty.StringVal("n"), "region": cty.StringVal("eu")})
	for name, test := range map[string]struct {
		config   config.Resource
		name, id string
	}{
		"nothing configured": {name: "eu/n-1", id: "eu/n-1"},
		"attribute":          {config: config.Resource{ExternalName: &config.ExternalName{Attribute: "name"}}, name: "n", id: "n"},
		"argument": {
			config: config.Resource{
				ExternalName: &config.ExternalName{
					Argument: "name", ImportID: "{{ .parameters.region }}:{{ .externalName }}",
				},
			}, name: "n", id: "eu:n",
		},
		"part of the id": {
			config: config.Resource{
				ExternalName: &config.ExternalName{ImportID: "{{ .parameters.region }}/{{ .externalName }}"},
			}, name: "n-1", id: "eu/n-1",
		},
		"not part of the id": {
			config: config.Resource{ExternalName: &config.ExternalName{ImportID: "us/{{ .externalName }}"}},
			name:   "eu/n-1", id: "us/eu/n-1",
		},
		"functions": {config: config.Resource{Functions: &config.Functions{
			ExternalName: func(state, _ cty.Value) (string, error) { return "f-" + state.GetAttr("name").AsString(), nil },
			ImportID: func(s config.Subject) (string, error) {
				return s.ExternalName + "@" + s.Parameters["region"].(string), nil
			},
		}}, name: "f-n", id: "f-n@eu"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resource(t, bucket(), test.config)
			got := translate.ExternalName(r, state, cty.NilVal)
			if got != test.name {
				t.Errorf("got name %s, want %s", got, test.name)
			}
			id, err := translate.ImportID(r, translate.Subject{ExternalName: got, ForProvider: map[string]any{"region": "eu"}})
			if err != nil || id != test.id {
				t.Errorf("got id %s, %v, want %s", id, err, test.id)
			}
		})
	}
	r := resource(t, bucket(), config.Resource{ExternalName: &config.ExternalName{ImportID: "{{ .parameters.region }}/{{ .externalName }}"}})
	if id, err := translate.ImportID(r, translate.Subject{ExternalName: "n"}); err == nil {
		t.Errorf("the region is not known, and the id is %s", id)
	}
}

func TestExtraConnectionDetails(t *testing.T) {
	t.Parallel()
	r := resource(t, bucket(), config.Resource{
		ConnectionDetails: map[string]config.Template{
			"endpoint": "https://{{ .attributes.name }}.{{ .attributes.region }}:{{ .attributes.port }}",
			"user":     "{{ .externalName }}", "hosts": "{{ .attributes.hosts }}",
			"password": "{{ .attributes.token }}", "zone": "{{ .attributes.site.zone }}",
			"missing": "{{ .attributes.policy }}", "from": "{{ .metadata.name }}",
		},
		Functions: &config.Functions{ConnectionDetails: func(v cty.Value) (map[string][]byte, error) {
			return map[string][]byte{"more": []byte(v.GetAttr("id").AsString())}, nil
		}},
	})
	str := cty.StringVal
	got, err := translate.ExtraConnectionDetails(r, translate.Subject{Name: "logs", ExternalName: "x"}, with(bucket(), map[string]cty.Value{
		"id": str("i"), "name": str("n"), "region": str("eu"), "port": str("80"), "token": str("hunter2"),
		"hosts": cty.ListVal([]cty.Value{str("a"), str("b")}),
		"site":  cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"zone": str("z1")})}),
	}))
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for k, v := range got {
		text[k] = string(v)
	}
	want := map[string]string{
		"endpoint": "https://n.eu:80", "user": "x", "hosts": `["a","b"]`, "password": "hunter2", "zone": "z1",
		"from": "logs", "more": "i",
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestConfiguredObservation(t *testing.T) {
	t.Parallel()
	r := resource(t, bucket(), config.Resource{
		Fields: map[string]config.Field{
			"name": {Name: "title"}, "size": {Type: config.FieldString}, "port": {Type: config.FieldNumber},
			"policy": {Type: config.FieldJSON}, "region": {Sensitive: true},
		},
		Functions: &config.Functions{Observe: func(v cty.Value) cty.Value {
			m := v.AsValueMap()
			m["id"] = cty.StringVal("observed")
			return cty.ObjectVal(m)
		}},
	})
	state := func(port, policy string) cty.Value {
		return with(bucket(), map[string]cty.Value{
			"id": cty.StringVal("i"), "name": cty.StringVal("n"), "size": cty.NumberFloatVal(1.5),
			"port": cty.StringVal(port), "policy": cty.StringVal(policy), "region": cty.StringVal("hunter2"),
		})
	}
	want := map[string]any{"id": "observed", "title": "n", "size": "1.5", "port": int64(80), "policy": map[string]any{"a": int64(1)}}
	if diff := cmp.Diff(want, translate.Observation(r, state("80", `{ "a": 1 }`))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	// What is none of the type is left out, and shown in plans as it is.
	want = map[string]any{"id": "observed", "title": "n", "size": "1.5"}
	if diff := cmp.Diff(want, translate.Observation(r, state("080", "{"))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	changes := translate.Changes(r, state("80", "{}"), state("080", "{}"))
	if diff := cmp.Diff([]translate.Change{{Path: "port", Before: int64(80), After: "080"}}, changes); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got := string(translate.ConnectionDetails(r, state("80", "{}"))["attribute.region"]); got != "hunter2" {
		t.Errorf("region is %q in the connection details", got)
	}
}

func TestLateInitializeIgnores(t *testing.T) {
	t.Parallel()
	yes := true
	r := resource(t, bucket(), config.Resource{
		LateInitialize: &config.LateInitialize{Enabled: &yes, Ignore: []string{"size"}},
		DefaultTags:    &config.DefaultTags{}, Fields: map[string]config.Field{"port": {Type: config.FieldInteger}},
	})
	state := func(port string) cty.Value {
		return with(bucket(), map[string]cty.Value{
			"size": cty.NumberIntVal(1), "port": cty.StringVal(port),
			"tags": cty.MapVal(map[string]cty.Value{"crossplane-name": cty.StringVal("x")}),
		})
	}
	got, changed := translate.LateInitialize(r, nil, nil, state("80"))
	if diff := cmp.Diff(map[string]any{"port": int64(80)}, got); diff != "" || !changed {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got, changed = translate.LateInitialize(r, got, nil, state("80")); changed {
		t.Errorf("it is changed again: %v", got)
	}
	if got, changed = translate.LateInitialize(r, nil, nil, state("080")); changed {
		t.Errorf("what spec cannot hold is written: %v", got)
	}
}
