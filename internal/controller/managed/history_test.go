package managed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// TestHistoryConceals checks that no secret is in the change record: neither one of the schema, nor
// one that the provider marks, nor one of the resource's Secrets within another value or an error.
func TestHistoryConceals(t *testing.T) {
	const planted = "swordfish-4711"
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"test_thing": {Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "password": {Type: cty.String, Computed: true, Sensitive: true},
			"text": {Type: cty.String, Optional: true},
		}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	k := &managed.Kind{Model: p.Resources["test_thing"]}
	in := func(password, text string, sensitive ...cty.Path) instance.Instance {
		return instance.Instance{
			Status: instance.Full, State: object(map[string]string{"id": "x", "password": password, "text": text}),
			SensitivePaths: sensitive,
		}
	}
	refused := diagnostic.Errorf("Refused", "The password %s is refused.", planted)
	cases := map[string]struct {
		secrets       []string
		before, after instance.Instance
		diags         diagnostic.Diagnostics
		want          []history.Change
		message       string
	}{
		"a create": {
			after: in(planted, "t"),
			want: []history.Change{
				{Path: "id", After: json.RawMessage(`"x"`)}, {Path: "password", AfterSensitive: true}, {Path: "text", After: json.RawMessage(`"t"`)},
			},
		},
		"an update of a secret": {
			before: in("old", "t"), after: in(planted, "t"),
			want: []history.Change{{Path: "password", BeforeSensitive: true, AfterSensitive: true}},
		},
		"a value that the provider marks": {
			before: in("p", "t"), after: in("p", planted, cty.GetAttrPath("text")),
			want: []history.Change{{Path: "text", BeforeSensitive: true, AfterSensitive: true}},
		},
		"a secret within a value": {
			secrets: []string{planted}, before: in("p", "t"), after: in("p", "token="+planted),
			want: []history.Change{{Path: "text", Before: json.RawMessage(`"t"`), After: json.RawMessage(`"token=(sensitive value)"`)}},
		},
		"an error": {
			before: in("p", "t"), after: in(planted, "t"), diags: refused,
			want:    []history.Change{{Path: "password", BeforeSensitive: true, AfterSensitive: true}},
			message: "Refused: The password (sensitive value) is refused.",
		},
		"an error about a destroyed object": {
			before: in(planted, "t"), diags: refused, message: "Refused: The password (sensitive value) is refused.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, message := managed.Describe(k, tc.secrets, tc.before, tc.after, tc.diags)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if message != tc.message {
				t.Errorf("message %q, want %q", message, tc.message)
			}
			if all, err := json.Marshal(got); err != nil || strings.Contains(string(all)+message, planted) {
				t.Errorf("the secret is told (%v)", err)
			}
		})
	}
}
