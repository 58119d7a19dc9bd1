package translate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func everything(t rapid.TB) *model.Provider {
	t.Helper()
	p, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func thing(t rapid.TB) *model.Resource { return everything(t).Resources["everything_thing"] }

// secrets returns the Secrets of the tests; a value must not turn up in any message.
func secrets(s translate.SecretKeySelector) ([]byte, error) {
	v, ok := map[string]string{
		"s/text": "hunter2", "s/number": " 42\n", "s/json": `{"a":"hunter2"}`,
		"s/object": `{"maxAgeDays":18446744073709551615,"token":"hunter2"}`,
		"s/wrong":  `{"maxAgeDays":"hunter2"}`, "s/terraform": `{"max_age_days":18446744073709551615,"token":"hunter2"}`,
		"s/terraform wrong": `{"max_age_days":"hunter2"}`, "s/twice": `{"max_age_days":1,"maxAgeDays":2}`, "s/binary": "\xff\xfe",
	}[s.Name+"/"+s.Key]
	if !ok {
		return nil, errors.New("there is no such Secret")
	}
	return []byte(v), nil
}

func ref(key string) map[string]any { return map[string]any{"name": "s", "key": key} }

// with returns the empty value of a block with some of its values replaced.
func with(b *schema.Block, values map[string]cty.Value) cty.Value {
	all := b.EmptyValue().AsValueMap()
	for k, v := range values {
		all[k] = v
	}
	return cty.ObjectVal(all)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	r := thing(t)
	b := r.Schema.Block
	leaf := func(block string, values map[string]cty.Value) cty.Value { return with(b.Blocks[block].Block, values) }
	nested := func(name string, values map[string]cty.Value) cty.Value {
		all := map[string]cty.Value{}
		for k, a := range b.Attributes[name].Nested.Attributes {
			all[k] = cty.NullVal(a.ImpliedType())
		}
		for k, v := range values {
			all[k] = v
		}
		return cty.ObjectVal(all)
	}
	number := cty.NumberIntVal
	endpoint := func(host, port cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"host_name": host, "port": port})
	}
	tests := map[string]struct {
		forProvider, initProvider map[string]any
		want                      map[string]cty.Value
	}{
		"nothing": {},
		"null is nothing": {
			forProvider: map[string]any{
				"name": nil, "listBlock": nil, "groupBlock": nil, "tags": nil, "passwordSecretRef": nil,
			},
		},
		"primitives": {
			forProvider: map[string]any{"name": "x", "size": int64(3), "enabled": true},
			want:        map[string]cty.Value{"name": cty.StringVal("x"), "size": number(3), "enabled": cty.True},
		},
		"a number as text": {
			forProvider: map[string]any{"size": "18446744073709551615"}, want: map[string]cty.Value{
				"size": cty.NumberUIntVal(18446744073709551615),
			},
		},
		"a fraction": {forProvider: map[string]any{"size": 0.1}, want: map[string]cty.Value{"size": cty.MustParseNumberVal("0.1")}},
		"a large integer": {
			forProvider: map[string]any{"size": int64(9007199254740993)}, want: map[string]cty.Value{
				"size": cty.MustParseNumberVal("9007199254740993"),
			},
		},
		"conversions": {
			forProvider: map[string]any{"name": int64(1), "vpc_id": 1.5, "old": true, "enabled": "false"},
			want: map[string]cty.Value{
				"name": cty.StringVal("1"), "vpc_id": cty.StringVal("1.5"), "old": cty.StringVal("true"),
				"enabled": cty.False,
			},
		},
		"names that collide": {
			forProvider: map[string]any{"vpcId": "a", "vpc_id": "b"},
			want:        map[string]cty.Value{"vpcId": cty.StringVal("a"), "vpc_id": cty.StringVal("b")},
		},
		"secret names collide": {
			forProvider: map[string]any{"secretSecretRef": "a", "secretSecretRef2": ref("text")},
			want: map[string]cty.Value{
				"secret_secret_ref": cty.StringVal("a"), "secret": cty.StringVal("hunter2"),
			},
		},
		"empty is not null": {
			forProvider: map[string]any{
				"tags": map[string]any{}, "zones": []any{}, "groups": []any{}, "listAttribute": []any{},
			}, want: map[string]cty.Value{
				"tags": cty.MapValEmpty(cty.String), "zones": cty.ListValEmpty(cty.String),
				"groups":         cty.SetValEmpty(cty.String),
				"list_attribute": cty.ListValEmpty(nested("list_attribute", nil).Type()),
			},
		},
		"null in collections": {
			forProvider: map[string]any{"tags": map[string]any{"a_b": nil}, "zones": []any{nil}},
			want: map[string]cty.Value{
				"tags":  cty.MapVal(map[string]cty.Value{"a_b": cty.NullVal(cty.String)}),
				"zones": cty.ListVal([]cty.Value{cty.NullVal(cty.String)}),
			},
		},
		"a set": {
			forProvider: map[string]any{"groups": []any{"b", "a", "b"}},
			want: map[string]cty.Value{
				"groups": cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")}),
			},
		},
		"objects without all": {
			forProvider: map[string]any{
				"endpoint": map[string]any{"hostName": "h"}, "endpoints": []any{map[string]any{"port": int64(1)}},
			}, want: map[string]cty.Value{
				"endpoint":  endpoint(cty.StringVal("h"), cty.NullVal(cty.Number)),
				"endpoints": cty.ListVal([]cty.Value{endpoint(cty.NullVal(cty.String), number(1))}),
			},
		},
		"a tuple": {
			forProvider: map[string]any{"pair": []any{"a", "1"}},
			want:        map[string]cty.Value{"pair": cty.TupleVal([]cty.Value{cty.StringVal("a"), number(1)})},
		},
		"anything": {
			forProvider: map[string]any{"anything": map[string]any{"snake_case": []any{"a", int64(1), nil}}},
			want: map[string]cty.Value{
				"anything": cty.ObjectVal(map[string]cty.Value{
					"snake_case": cty.TupleVal([]cty.Value{
						cty.StringVal("a"), number(1), cty.NullVal(cty.DynamicPseudoType),
					}),
				}),
			},
		},
		"anything of a type": {
			forProvider: map[string]any{
				"anything": map[string]any{"$type": []any{"list", "number"}, "$value": []any{"1"}},
			}, want: map[string]cty.Value{"anything": cty.ListVal([]cty.Value{number(1)})},
		},
		"secrets": {
			forProvider: map[string]any{
				"passwordSecretRef": ref("text"), "pinSecretRef": ref("number"), "passwordWoSecretRef": ref("text"),
				"settingsSecretRef": ref("json"),
			}, want: map[string]cty.Value{
				"password": cty.StringVal("hunter2"), "pin": number(42), "password_wo": cty.StringVal("hunter2"),
				"settings": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("hunter2")}),
			},
		},
		"a secret object": {
			forProvider: map[string]any{"secretAttributeSecretRef": ref("object")},
			want: map[string]cty.Value{
				"secret_attribute": nested("secret_attribute", map[string]cty.Value{
					"max_age_days": cty.NumberUIntVal(18446744073709551615), "token": cty.StringVal("hunter2"),
				}),
			},
		},
		"nested attributes": {
			forProvider: map[string]any{
				"singleAttribute": map[string]any{"maxAgeDays": int64(1)},
				"mapAttribute":    map[string]any{"k_k": map[string]any{"tokenSecretRef": ref("text")}},
			}, want: map[string]cty.Value{
				"single_attribute": nested("single_attribute", map[string]cty.Value{"max_age_days": number(1)}),
				"map_attribute": cty.MapVal(map[string]cty.Value{
					"k_k": nested("map_attribute", map[string]cty.Value{"token": cty.StringVal("hunter2")}),
				}),
			},
		},
		"blocks": {
			forProvider: map[string]any{
				"listBlock": []any{map[string]any{"label": "a"}}, "mapBlock": map[string]any{"k": map[string]any{}},
				"singleBlock": map[string]any{}, "groupBlock": map[string]any{"label": "g"},
			}, want: map[string]cty.Value{
				"list_block": cty.ListVal([]cty.Value{
					leaf("list_block", map[string]cty.Value{"label": cty.StringVal("a")}),
				}), "map_block": cty.MapVal(map[string]cty.Value{"k": leaf("map_block", nil)}),
				"single_block": leaf("single_block", nil),
				"group_block":  leaf("group_block", map[string]cty.Value{"label": cty.StringVal("g")}),
			},
		},
		"singletons": {
			forProvider: map[string]any{
				"singletonList": map[string]any{"label": "a", "deep": map[string]any{"label": "b"}},
				"singletonSet":  map[string]any{},
			}, want: map[string]cty.Value{
				"singleton_list": cty.ListVal([]cty.Value{
					leaf("singleton_list", map[string]cty.Value{
						"label": cty.StringVal("a"),
						"deep": cty.ListVal([]cty.Value{
							with(b.Blocks["singleton_list"].Blocks["deep"].Block, map[string]cty.Value{
								"label": cty.StringVal("b"),
							}),
						}),
					}),
				}), "singleton_set": cty.SetVal([]cty.Value{leaf("singleton_set", nil)}),
			},
		},
		"blocks of anything": {
			forProvider: map[string]any{
				"dynamicBlock": []any{
					map[string]any{"value": "a"}, map[string]any{"value": int64(1)}, map[string]any{},
				},
			}, want: map[string]cty.Value{
				"dynamic_block": cty.TupleVal([]cty.Value{
					cty.ObjectVal(map[string]cty.Value{"value": cty.StringVal("a")}),
					cty.ObjectVal(map[string]cty.Value{"value": number(1)}),
					cty.ObjectVal(map[string]cty.Value{"value": cty.NullVal(cty.DynamicPseudoType)}),
				}),
			},
		},
		"initProvider adds": {
			forProvider: map[string]any{"name": "x"}, initProvider: map[string]any{"name": "y", "size": int64(1)},
			want: map[string]cty.Value{"name": cty.StringVal("x"), "size": number(1)},
		},
		"initProvider under null": {
			forProvider: map[string]any{"name": nil}, initProvider: map[string]any{"name": "y"},
			want: map[string]cty.Value{"name": cty.StringVal("y")},
		},
		"initProvider in objects": {
			forProvider: map[string]any{
				"tags": map[string]any{"a": "1"}, "singletonList": map[string]any{"label": "a"}, "zones": []any{"x"},
				"passwordSecretRef": ref("text"), "anything": map[string]any{"a": "1"},
			},
			initProvider: map[string]any{
				"tags":          map[string]any{"a": "2", "b": "2"},
				"singletonList": map[string]any{"label": "b", "maxAgeDays": int64(1)}, "zones": []any{"y", "z"},
				"passwordSecretRef": ref("nowhere"), "anything": map[string]any{"b": "1"},
			},
			want: map[string]cty.Value{
				"tags": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1"), "b": cty.StringVal("2")}),
				"singleton_list": cty.ListVal([]cty.Value{
					leaf("singleton_list", map[string]cty.Value{
						"label": cty.StringVal("a"), "max_age_days": number(1),
					}),
				}),
				"zones":    cty.ListVal([]cty.Value{cty.StringVal("x")}),
				"password": cty.StringVal("hunter2"),
				"anything": cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("1")}),
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := translate.Config(r, test.forProvider, test.initProvider, secrets)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if want := with(b, test.want); !got.Value.RawEquals(want) {
				t.Errorf("got %#v\nwant %#v", got.Value, want)
			}
		})
	}
}

// nest returns lists in each other.
func nest(levels int) (out any) {
	for range levels {
		out = []any{out}
	}
	return out
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	r := thing(t)
	tests := map[string]struct {
		forProvider map[string]any
		want        string
	}{
		"unknown key": {map[string]any{"colour": "red"}, "spec.forProvider.colour: Unsupported argument: There is no such field."},
		"unknown key inside": {
			map[string]any{"listBlock": []any{map[string]any{}, map[string]any{"x": 1}}},
			"spec.forProvider.listBlock[1].x: Unsupported argument: There is no such field.",
		},
		"unknown key in object": {
			map[string]any{"endpoint": map[string]any{"host": "x"}},
			"spec.forProvider.endpoint.host: Unsupported argument: There is no such field.",
		},
		"Terraform's spelling": {
			map[string]any{"singleton_list": map[string]any{}},
			"spec.forProvider.singletonList: Unsupported argument: There is no field singleton_list. Did you " +
				"mean singletonList?",
		},
		"other case": {
			map[string]any{"NAME": "x"},
			"spec.forProvider.NAME: Unsupported argument: There is no field NAME. Did you mean name?",
		},
		"computed": {
			map[string]any{"result": "x"},
			"status.atProvider.result: Unsupported argument: It is set by the provider and cannot be given.",
		},
		"the SDK's id": {
			map[string]any{"id": "x"},
			"status.atProvider.id: Unsupported argument: It is set by the provider and cannot be given.",
		},
		"a secret in the clear": {
			map[string]any{"password": "hunter2"},
			"spec.forProvider.passwordSecretRef: Unsupported argument: It is secret: refer to a key of a Secret " +
				"with passwordSecretRef.",
		},
		"wrong type": {
			map[string]any{"size": "hunter2 is not secret here"},
			`spec.forProvider.size: Incorrect attribute value type: It must be a number, not the string "hunter2 is not secret here".`,
		},
		"wrong type in a list": {
			map[string]any{"zones": []any{"a", []any{}}},
			"spec.forProvider.zones[1]: Incorrect attribute value type: It must be a string, not a list.",
		},
		"wrong type in a map": {
			map[string]any{"tags": map[string]any{"a.b": map[string]any{}}},
			`spec.forProvider.tags["a.b"]: Incorrect attribute value type: It must be a string, not an object.`,
		},
		"equal keys of a map": {map[string]any{"tags": map[string]any{"caf\u00e9": "a", "cafe\u0301": "b"}}, `spec.forProvider.tags["café"]: Equal map keys: Another key looks the same, and is the same to the provider: the two differ only in how their characters are composed. Remove one of them.`},
		"wrong type in a set": {
			map[string]any{"setBlock": []any{map[string]any{"maxAgeDays": true}}},
			"spec.forProvider.setBlock[*].maxAgeDays: Incorrect attribute value type: It must be a " +
				"number, not a boolean.",
		},
		"wrong type deep inside": {
			map[string]any{"singletonList": map[string]any{"deep": map[string]any{"maxAgeDays": "x"}}},
			`spec.forProvider.singletonList.deep.maxAgeDays: Incorrect attribute value type: It must be a number, not the string "x".`,
		},
		"nested too deeply": {
			map[string]any{"anything": nest(201)},
			"spec.forProvider.anything: Incorrect attribute value type: It is nested more than 200 levels deep.",
		},
		"a type nested too deeply": {
			map[string]any{"anything": map[string]any{"$type": nest(200), "$value": "x"}},
			"spec.forProvider.anything: Incorrect attribute value type: It is nested more than 200 levels deep.",
		},
		"a list for a singleton": {
			map[string]any{"singletonList": []any{}},
			"spec.forProvider.singletonList: Incorrect attribute value type: It must be an object, not a list.",
		},
		"an object for a list": {
			map[string]any{"listBlock": map[string]any{}},
			"spec.forProvider.listBlock: Incorrect attribute value type: It must be a list, not an object.",
		},
		"a block that is null": {
			map[string]any{"listBlock": []any{nil}},
			"spec.forProvider.listBlock[0]: Incorrect attribute value type: It must be an object, not null.",
		},
		"too many blocks": {
			map[string]any{
				"someBlock": []any{map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}},
			}, "spec.forProvider.someBlock: Too many blocks: There may be at most 3.",
		},
		"a tuple too short": {
			map[string]any{"pair": []any{"a"}},
			"spec.forProvider.pair: Incorrect attribute value type: It must be a list of 2 elements, not of 1.",
		},
		"not even a number": {
			map[string]any{"size": "1e999999999"},
			`spec.forProvider.size: Incorrect attribute value type: It must be a number, not the string "1e999999999".`,
		},
		"half a reference": {
			map[string]any{"passwordSecretRef": map[string]any{"name": "s"}},
			"spec.forProvider.passwordSecretRef: Invalid Secret reference: It must name a Secret and a key in it, " +
				"as {name: …, key: …}.",
		},
		"no such Secret": {
			map[string]any{"passwordSecretRef": ref("nowhere")},
			"spec.forProvider.passwordSecretRef: Invalid Secret reference: there is no such Secret",
		},
		"a secret not a number": {
			map[string]any{"pinSecretRef": ref("text")},
			"spec.forProvider.pinSecretRef: Incorrect attribute value type: It must be a number, not a string.",
		},
		"a secret not JSON": {
			map[string]any{"settingsSecretRef": ref("text")},
			"spec.forProvider.settingsSecretRef: Invalid Secret reference: The key text of Secret s must hold JSON, " +
				"as the field is a map.",
		},
		"a secret mistyped": {
			map[string]any{"secretAttributeSecretRef": ref("wrong")},
			"spec.forProvider.secretAttributeSecretRef: Incorrect attribute value type: In the key wrong of Secret " +
				"s: maxAgeDays: It must be a number, not a string.",
		},
		"a secret not text": {
			map[string]any{"passwordSecretRef": ref("binary")},
			"spec.forProvider.passwordSecretRef: Incorrect attribute value type: The text is not valid UTF-8.",
		},
		"not a type": {
			map[string]any{"anything": map[string]any{"$type": "colour", "$value": 1}},
			`spec.forProvider.anything: Incorrect attribute value type: The $type is not a type, such as "number" or ["list","string"].`,
		},
		"not of the type": {
			map[string]any{"anything": map[string]any{"$type": []any{"list", "string"}, "$value": "x"}},
			"spec.forProvider.anything: Incorrect attribute value type: The $value does not have the $type.",
		},
		"several at once": {
			map[string]any{"size": "x", "zones": "y"},
			`spec.forProvider.size: Incorrect attribute value type: It must be a number, not the string "x".
spec.forProvider.zones: Incorrect attribute value type: It must be a list, not a string.`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := translate.Config(r, test.forProvider, nil, secrets)
			if got.Value != cty.NilVal {
				t.Errorf("a value in spite of the errors: %#v", got.Value)
			}
			text := translate.Message(r, diags)
			if diff := cmp.Diff(test.want, text); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if strings.Contains(text, "hunter2") && !strings.Contains(text, "not secret") {
				t.Errorf("a secret is in the message %q", text)
			}
		})
	}
}

func TestConfigSensitivePaths(t *testing.T) {
	t.Parallel()
	r := thing(t)
	got, diags := translate.Config(r, map[string]any{
		"passwordSecretRef": ref("text"),
		"listBlock":         []any{map[string]any{}, map[string]any{"tokenSecretRef": ref("text")}},
		"setBlock":          []any{map[string]any{"tokenSecretRef": ref("text")}},
		"mapAttribute":      map[string]any{"k": map[string]any{"tokenSecretRef": ref("text")}},
	}, nil, secrets)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var paths []string
	for _, p := range got.SensitivePaths {
		paths = append(paths, translate.FieldPath(r, p))
	}
	if diff := cmp.Diff([]string{"listBlock[1].token", `mapAttribute["k"].token`, "password", "setBlock"}, paths); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// What may have lost digits is told, with how it is kept exactly.
func TestConfigWarnsOfLostDigits(t *testing.T) {
	t.Parallel()
	r := thing(t)
	number := "Kubernetes keeps whole numbers exactly only up to 64 bits, and decimals up to 15 digits; this one may have been rounded. "
	for name, test := range map[string]struct {
		in   map[string]any
		want string
	}{
		"whole": {
			map[string]any{"size": 18446744073709551615.0},
			number + "With fields.size.type: string for this resource type in the TerraformProvider, it is written " +
				"as text and kept exactly.",
		},
		"decimal": {
			map[string]any{"size": 3.141592653589793},
			number + "With fields.size.type: string for this resource type in the TerraformProvider, it is written " +
				"as text and kept exactly.",
		},
		"negative": {
			map[string]any{"size": -0.1234567890123456},
			number + "With fields.size.type: string for this resource type in the TerraformProvider, it is written " +
				"as text and kept exactly.",
		},
		"text":             {map[string]any{"name": 3.141592653589793}, number + "Write it in quotes."},
		"anything":         {map[string]any{"anything": 3.141592653589793}, number + `Write it as {"$type": "number", "$value": "…"}.`},
		"short decimal":    {map[string]any{"size": 0.1}, ""},
		"15 digits":        {map[string]any{"size": 123456.789012345}, ""},
		"small":            {map[string]any{"size": 1e-300}, ""},
		"whole in 64 bits": {map[string]any{"size": int64(9223372036854775807)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := translate.Config(r, test.in, nil, nil)
			got := ""
			for _, d := range diags {
				got += d.Detail
			}
			if diff := cmp.Diff(test.want, got); diff != "" || diags.HasErrors() {
				t.Errorf("%v (-want +got):\n%s", diags.Errors(), diff)
			}
		})
	}
}

// A Secret with a nested value may have Terraform's names.
func TestSecretWithTerraformNames(t *testing.T) {
	t.Parallel()
	r := thing(t)
	want, diags := translate.Config(r, map[string]any{"secretAttributeSecretRef": ref("object")}, nil, secrets)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got, diags := translate.Config(r, map[string]any{"secretAttributeSecretRef": ref("terraform")}, nil, secrets)
	if diags.HasErrors() || !got.Value.RawEquals(want.Value) {
		t.Errorf("%v, got %#v", diags, got.Value)
	}
	for key, want := range map[string]string{
		"terraform wrong": "In the key terraform wrong of Secret s: max_age_days: It must be a number, not a string.",
		"twice":           "In the key twice of Secret s: maxAgeDays: It is given twice, also as max_age_days.",
	} {
		if _, diags := translate.Config(r, map[string]any{"secretAttributeSecretRef": ref(key)}, nil,
			secrets); len(diags) != 1 || diags[0].Detail != want {
			t.Errorf("%s: %v", key, diags)
		}
	}
}

func TestProviderConfig(t *testing.T) {
	t.Parallel()
	p := everything(t)
	got, diags := translate.ProviderConfig(p, map[string]any{
		"endpoint": "https://x", "apiTokenSecretRef": ref("text"), "retry": map[string]any{"maxAttempts": int64(3)},
	}, secrets)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := cty.ObjectVal(map[string]cty.Value{
		"endpoint": cty.StringVal("https://x"), "api_token": cty.StringVal("hunter2"),
		"retry": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"max_attempts": cty.NumberIntVal(3)})}),
	})
	if !got.RawEquals(want) {
		t.Errorf("got %#v", got)
	}
	_, diags = translate.ProviderConfig(p, map[string]any{"retry": map[string]any{"max_attempts": "x"}}, secrets)
	if len(diags) != 1 || diags[0].Format(p.UserPath) != "spec.retry.maxAttempts: Unsupported argument: There is no "+
		"field max_attempts. Did you mean maxAttempts?" {
		t.Error(diags[0].Format(p.UserPath))
	}
}
