package desired_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

func TestReadPolicies(t *testing.T) {
	observe := desired.Policies{ReplaceTainted: true}
	for name, tc := range map[string]struct {
		spec   m
		want   desired.Policies
		never  bool
		late   bool
		paused bool
	}{
		"default":       {spec: nil, want: desired.FullControl(), late: true},
		"all":           {spec: m{"managementPolicies": []any{"*"}}, want: desired.FullControl(), late: true},
		"none":          {spec: m{"managementPolicies": []any{}}, want: observe, paused: true},
		"only observed": {spec: m{"managementPolicies": []any{"Observe"}}, want: observe},
		"imported":      {spec: m{"managementPolicies": []any{"Observe", "LateInitialize"}}, want: observe, late: true},
		"without Delete": {
			spec: m{"managementPolicies": []any{"Observe", "Create", "Update"}},
			want: desired.Policies{Manage: true, Create: true, Update: true, ReplaceTainted: true},
		},
		"without Create": {
			spec: m{"managementPolicies": []any{"Observe", "Update"}},
			want: desired.Policies{Manage: true, Update: true, ReplaceTainted: true},
		},
		"without Update": {
			spec: m{"managementPolicies": []any{"Observe", "Create", "Delete"}},
			want: desired.Policies{Manage: true, Create: true, Delete: true, Replace: true, ReplaceTainted: true},
		},
		"only Delete": {
			spec: m{"managementPolicies": []any{"Observe", "Delete"}},
			want: desired.Policies{Manage: true, Delete: true, ReplaceTainted: true},
		},
		"never replaced": {
			spec: m{"lifecycle": m{"replacePolicy": "Never"}}, never: true, late: true,
			want: desired.Policies{Manage: true, Create: true, Update: true, Delete: true, ReplaceTainted: true},
		},
		"replaced automatically": {
			spec: m{"lifecycle": m{"replacePolicy": "Automatic", "taintPolicy": "Replace"}},
			want: desired.FullControl(), late: true,
		},
		"protected": {
			spec: m{"lifecycle": m{"deletionProtection": true}}, late: true,
			want: desired.Policies{Manage: true, Create: true, Update: true, Delete: true, Replace: true, ReplaceTainted: true, Protected: true},
		},
		"created unchecked": {
			spec: m{"lifecycle": m{"existenceCheck": "Never"}}, late: true,
			want: desired.Policies{
				Manage: true, Create: true, CreateUnchecked: true, Update: true, Delete: true, Replace: true,
				ReplaceTainted: true,
			},
		},
		"kept when tainted": {
			spec: m{"lifecycle": m{"taintPolicy": "Keep"}}, late: true,
			want: desired.Policies{Manage: true, Create: true, Update: true, Delete: true, Replace: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(identified(t), desired.CustomResource{Spec: tc.spec})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tc.want, spec.Policies); diff != "" {
				t.Errorf("policies (-want +got):\n%s", diff)
			}
			if spec.ReplaceNever != tc.never || spec.LateInitialize != tc.late || spec.Paused != tc.paused {
				t.Errorf("got ReplaceNever %t, LateInitialize %t, Paused %t", spec.ReplaceNever, spec.LateInitialize, spec.Paused)
			}
		})
	}
}

func TestReadAnnotations(t *testing.T) {
	for name, tc := range map[string]struct {
		annotations map[string]string
		want        desired.Tokens
		paused      bool
		unread      bool
	}{
		"none":       {},
		"unread":     {annotations: map[string]string{"landbridge.io/delete-without-refresh": "true"}, unread: true},
		"not unread": {annotations: map[string]string{"landbridge.io/delete-without-refresh": "false"}},
		"paused":     {annotations: map[string]string{"crossplane.io/paused": "true"}, paused: true},
		"not paused": {annotations: map[string]string{"crossplane.io/paused": "false"}},
		"tokens": {
			annotations: map[string]string{
				"landbridge.io/taint": "1", "landbridge.io/untaint": "2", "landbridge.io/retry": "3", "landbridge.io/confirm-create": "4",
				"landbridge.io/interrupt": "5",
			},
			want: desired.Tokens{Taint: "1", Untaint: "2", Retry: "3", ConfirmCreate: "4", Interrupt: "5"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(identified(t), desired.CustomResource{Annotations: tc.annotations})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tc.want, spec.Tokens); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
			if spec.Paused != tc.paused || spec.DeleteWithoutRefresh != tc.unread {
				t.Errorf("got paused: %t, deleted without refresh: %t", spec.Paused, spec.DeleteWithoutRefresh)
			}
		})
	}
}

func TestReadImport(t *testing.T) {
	plain, one := identified(t), identified(t, "name!", "region")
	for name, tc := range map[string]struct {
		model   *model.Resource
		in      any
		want    *terraform.ImportTarget
		invalid string
	}{
		"none":                  {model: one},
		"an id":                 {model: one, in: m{"id": "i-1"}, want: byID("i-1")},
		"an identity":           {model: one, in: m{"identity": m{"name": "a"}}, want: byIdentity(map[string]string{"name": "a", "region": ""})},
		"neither":               {model: one, in: m{}, invalid: "Give exactly one of spec.import.id and spec.import.identity."},
		"an empty id":           {model: one, in: m{"id": ""}, invalid: "Give exactly one of spec.import.id and spec.import.identity."},
		"a part of an identity": {model: one, in: m{"identity": m{"region": "r"}}, invalid: "spec.import.identity.name: "},
		"an unknown attribute":  {model: one, in: m{"identity": m{"name": "a", "arn": "b"}}, invalid: "spec.import.identity.arn: "},
		"no identity schema": {
			model: plain, in: m{"identity": m{"name": "a"}},
			invalid: "test_thing has no identity. Use spec.import.id instead.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(tc.model, desired.CustomResource{Spec: m{"import": tc.in}})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tc.want, spec.Import.Target, sameValues); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
			if got := spec.Import.Invalid.String(); (got == "") != (tc.invalid == "") || !strings.Contains(got, tc.invalid) {
				t.Errorf("got %q, want %q", got, tc.invalid)
			}
			if got, want := spec.Import.Asked(), tc.in != nil; got != want {
				t.Errorf("got asked: %t", got)
			}
		})
	}
}

func TestReadTimeouts(t *testing.T) {
	for name, tc := range map[string]struct {
		in   m
		want desired.Timeouts
		err  string
	}{
		"none": {},
		"some": {in: m{"create": "1h30m", "delete": "5s"}, want: desired.Timeouts{Create: 90 * time.Minute, Delete: 5 * time.Second}},
		"invalid": {
			in: m{"create": "1h", "update": "soon"}, want: desired.Timeouts{Create: time.Hour},
			err: `spec.lifecycle.timeouts.update is "soon". Give a duration such as 30m or 1h30m.`,
		},
		"negative": {in: m{"delete": "-1s"}, err: `spec.lifecycle.timeouts.delete is "-1s".`},
	} {
		t.Run(name, func(t *testing.T) {
			kind := resource(t, &schema.Resource{Block: &schema.Block{}}, config.Resource{
				Timeouts: &config.Timeouts{Update: &metav1.Duration{Duration: time.Minute}},
			})
			spec, diags := desired.Read(kind, desired.CustomResource{Spec: m{"lifecycle": m{"timeouts": tc.in}}})
			if got := diags.String(); (got == "") != (tc.err == "") || !strings.Contains(got, tc.err) {
				t.Errorf("got %q, want %q", got, tc.err)
			}
			if diff := cmp.Diff(tc.want, spec.Timeouts); diff != "" {
				t.Errorf("timeouts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(desired.Timeouts{Update: time.Minute}, spec.DefaultTimeouts); diff != "" {
				t.Errorf("default timeouts (-want +got):\n%s", diff)
			}
		})
	}
}

// An argument that is the external name is the annotation's value, else what was observed, else
// the name of the resource.
func TestReadArgumentOfExternalName(t *testing.T) {
	kind := resource(t, &schema.Resource{Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"name": {Type: cty.String, Required: true},
	}}}, config.Resource{ExternalName: &config.ExternalName{Argument: "name"}})
	for name, tc := range map[string]struct {
		resource desired.CustomResource
		want     string
	}{
		"neither": {want: "db"},
		"the annotation": {
			resource: desired.CustomResource{
				Annotations: map[string]string{"crossplane.io/external-name": "a"}, AtProvider: m{"name": "b"},
			}, want: "a",
		},
		"what was observed": {resource: desired.CustomResource{AtProvider: m{"name": "b"}}, want: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.resource.Namespace, tc.resource.Name = "team", "db"
			spec, diags := desired.Read(kind, tc.resource)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			c, diags := spec.Configuration(nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := c.Value.GetAttr("name").AsString(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func described(t *testing.T) *model.Resource {
	t.Helper()
	return resource(t, &schema.Resource{Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Required: true},
		"size": {Type: cty.Number, Optional: true}, "password": {Type: cty.String, Optional: true, Sensitive: true},
	}}}, config.Resource{})
}

func TestDescribed(t *testing.T) {
	observe := []any{"Observe"}
	for name, tc := range map[string]struct {
		spec m
		want bool
	}{
		"managed":                      {spec: m{}, want: true},
		"only updated":                 {spec: m{"managementPolicies": []any{"Observe", "Update"}}, want: true},
		"observed and incomplete":      {spec: m{"managementPolicies": observe, "forProvider": m{"size": int64(1)}}},
		"observed and complete":        {spec: m{"managementPolicies": observe, "forProvider": m{"name": "a"}}, want: true},
		"observed, complete initially": {spec: m{"managementPolicies": observe, "initProvider": m{"name": "a"}}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(described(t), desired.CustomResource{Spec: tc.spec})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if got := spec.Described(); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	secrets := func(s translate.SecretKeySelector) ([]byte, error) {
		if s.Name != "s" || s.Key != "k" {
			return nil, errors.New("there is no such Secret")
		}
		return []byte("hunter2"), nil
	}
	value := func(name, password string, size cty.Value) cty.Value {
		v := cty.NullVal(cty.String)
		if password != "" {
			v = cty.StringVal(password)
		}
		return cty.ObjectVal(map[string]cty.Value{"id": cty.NullVal(cty.String), "name": cty.StringVal(name), "size": size, "password": v})
	}
	for name, tc := range map[string]struct {
		spec m
		want *terraform.Config
		err  string
	}{
		"plain": {
			spec: m{"forProvider": m{"name": "a"}},
			want: &terraform.Config{Value: value("a", "", cty.NullVal(cty.Number))},
		},
		"everything": {
			spec: m{
				"forProvider":  m{"name": "a", "passwordSecretRef": m{"name": "s", "key": "k"}},
				"initProvider": m{"size": int64(3)},
				"lifecycle":    m{"createBeforeDestroy": true, "ignoreChanges": []any{"name", "*"}},
			},
			want: &terraform.Config{
				Value: value("a", "hunter2", cty.NumberIntVal(3)), CreateBeforeDestroy: true,
				IgnoreChanges: terraform.IgnoreChanges{All: true, Paths: []cty.Path{cty.GetAttrPath("size"), cty.GetAttrPath("name")}},
			},
		},
		"all errors": {
			spec: m{"forProvider": m{"name": "a", "passwordSecretRef": m{"name": "x", "key": "k"}}, "lifecycle": m{"ignoreChanges": []any{"nme"}}},
			err:  "there is no such Secret|there is no field nme",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(described(t), desired.CustomResource{Spec: tc.spec})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			got, diags := spec.Configuration(secrets)
			for _, want := range strings.Split(tc.err, "|") {
				if text := diags.String(); (text == "") != (want == "") || !strings.Contains(text, want) {
					t.Errorf("got %q, want %q", text, want)
				}
			}
			if diff := cmp.Diff(tc.want, got, sameValues, cmpopts.IgnoreFields(terraform.Config{}, "SensitivePaths"),
				cmp.Comparer(cty.Path.Equals)); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadUnknownImportID(t *testing.T) {
	kind := resource(t, &schema.Resource{Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"id": {Type: cty.String, Computed: true}, "zone": {Type: cty.String, Optional: true},
	}}}, config.Resource{ExternalName: &config.ExternalName{ImportID: "{{ .parameters.zone }}/{{ .externalName }}"}})
	annotations := map[string]string{"crossplane.io/external-name": "a"}
	spec, diags := desired.Read(kind, desired.CustomResource{Annotations: annotations, Spec: m{"forProvider": m{"zone": "z"}}})
	if diags.HasErrors() || spec.Known == nil || spec.Known.Target.ID != "z/a" {
		t.Errorf("got %+v, %v", spec.Known, diags)
	}
	spec, diags = desired.Read(kind, desired.CustomResource{Annotations: annotations})
	if spec.Known != nil || !strings.Contains(diags.String(),
		`The annotation crossplane.io/external-name is "a", which cannot be imported: `) {
		t.Errorf("got %+v, %v", spec.Known, diags)
	}
}

func TestReadCreateAttempts(t *testing.T) {
	for name, tc := range map[string]struct {
		lifecycle m
		want      int64
	}{
		"default":  {nil, 3},
		"given":    {m{"createAttempts": int64(5)}, 5},
		"manifest": {m{"createAttempts": 1.0}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			spec, diags := desired.Read(identified(t), desired.CustomResource{Spec: m{"lifecycle": tc.lifecycle}})
			if diags.HasErrors() || spec.CreateAttempts != tc.want {
				t.Errorf("got %d, %v", spec.CreateAttempts, diags)
			}
		})
	}
}

func TestReadCreationGracePeriod(t *testing.T) {
	minute, second, none := time.Minute, time.Second, time.Duration(0)
	for name, tc := range map[string]struct {
		lifecycle  m
		configured *time.Duration
		want       *time.Duration
		wrong      bool
	}{
		"of the controller": {},
		"of the kind":       {configured: &minute, want: &minute},
		"of the resource":   {lifecycle: m{"creationGracePeriod": "1s"}, configured: &minute, want: &second},
		"none":              {lifecycle: m{"creationGracePeriod": "0s"}, configured: &minute, want: &none},
		"not a duration":    {lifecycle: m{"creationGracePeriod": "soon"}, configured: &minute, want: &minute, wrong: true},
		"negative":          {lifecycle: m{"creationGracePeriod": "-1s"}, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			kind := identified(t)
			kind.Settings.CreationGracePeriod = tc.configured
			spec, diags := desired.Read(kind, desired.CustomResource{Spec: m{"lifecycle": tc.lifecycle}})
			if diff := cmp.Diff(tc.want, spec.CreationGracePeriod); diff != "" || diags.HasErrors() != tc.wrong {
				t.Errorf("%s%v", diff, diags)
			}
			if tc.wrong && !strings.Contains(diags.String(), "spec.lifecycle.creationGracePeriod is ") {
				t.Errorf("got %v", diags)
			}
		})
	}
}
