package module_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// A plan has what it changes of each object, by the smallest parts that are not in lists or sets.
func TestDifferences(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		change string
		want   []terraform.ContainedChange
	}{
		"an argument": {
			`{"before":{"a":"x","b":1},"after":{"a":"y","b":1}}`,
			[]terraform.ContainedChange{{Path: "a", Before: json.RawMessage(`"x"`), After: json.RawMessage(`"y"`)}},
		},
		"parts of objects and maps": {
			`{"before":{"a":{"b":1,"c d":2}},"after":{"a":{"b":2,"e":3}}}`,
			[]terraform.ContainedChange{
				{Path: "a.b", Before: json.RawMessage("1"), After: json.RawMessage("2")},
				{Path: `a["c d"]`, Before: json.RawMessage("2"), After: json.RawMessage("null")},
				{Path: "a.e", Before: json.RawMessage("null"), After: json.RawMessage("3")},
			},
		},
		"a list": {
			`{"before":{"a":[1,{"b":2}]},"after":{"a":[1,{"b":3}]}}`,
			[]terraform.ContainedChange{{Path: "a", Before: json.RawMessage(`[1,{"b":2}]`), After: json.RawMessage(`[1,{"b":3}]`)}},
		},
		"numbers beyond float64": {
			`{"before":{"a":9007199254740992},"after":{"a":9007199254740993}}`,
			[]terraform.ContainedChange{{Path: "a", Before: json.RawMessage("9007199254740992"), After: json.RawMessage("9007199254740993")}},
		},
		"unknown values": {
			`{"before":{"a":"x","b":[1]},"after":{"b":[null]},"after_unknown":{"a":true,"b":[true]}}`,
			[]terraform.ContainedChange{{Path: "a", Before: json.RawMessage(`"x"`)}, {Path: "b", Before: json.RawMessage("[1]")}},
		},
		"sensitive values": {
			`{"before":{"a":"x","b":[{"c":"x"}],"d":"hidden 1"},"after":{"a":"y","b":[{"c":"y"}],"d":"2"},
			  "before_sensitive":{"a":true},"after_sensitive":{"b":[{"c":true}]}}`,
			[]terraform.ContainedChange{
				{Path: "a", Before: json.RawMessage(`"x"`), After: json.RawMessage(`"y"`), Sensitive: true},
				{Path: "b", Before: json.RawMessage(`[{"c":"x"}]`), After: json.RawMessage(`[{"c":"y"}]`), Sensitive: true},
				{Path: "d", Before: json.RawMessage(`"hidden 1"`), After: json.RawMessage(`"2"`), Sensitive: true},
			},
		},
		"what replaces": {
			`{"before":{"a":{"b":1,"c":1},"d":1},"after":{"a":{"b":2,"c":2},"d":2},"replace_paths":[["a","b"]]}`,
			[]terraform.ContainedChange{
				{Path: "a.b", Before: json.RawMessage("1"), After: json.RawMessage("2"), Replaces: true},
				{Path: "a.c", Before: json.RawMessage("1"), After: json.RawMessage("2")},
				{Path: "d", Before: json.RawMessage("1"), After: json.RawMessage("2")},
			},
		},
		"nothing": {`{"before":{"a":1},"after":{"a":1}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(x.want, module.Differences(t, x.change, "hidden 1")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// texts is a module of an object whose arguments are set to what the cloud writes in another way.
const texts = `
terraform {
  required_providers {
    examplecloud = { source = "landbridge/examplecloud" }
  }
}

variable "names" { type = set(string) }
variable "size" { type = number }

resource "examplecloud_record" "text" {
  for_each = var.names
  name     = each.key
  value    = "First"
  address  = "2001:DB8::1"
}
`

func openForm(t *testing.T, e *estate, form string) provider.Server {
	t.Helper()
	_, server := examplecloudtest.Open(t, form, e.cloud, nil)
	return server
}

// What an apply has left of an object is what the next plan finds, unless it was changed since. The
// plan has both values.
func TestLeft(t *testing.T) {
	t.Parallel()
	e := newEstateOf(t, texts, commandline.Options{})
	e.cloud.Fault(t, examplecloudtest.Fault{"normalise": "case", "fields": []string{"address"}})
	x := e.executor(openForm(t, e, examplecloudtest.SDKv2))
	first := e.plan(x, instance.Instance{}, e.config(1, "a"))
	in, diags := x.Apply(t.Context(), first)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p := e.plan(x, in, e.config(1, "a"))
	if len(p.Contained) != 1 || !p.Contained[0].Action.IsReplace() {
		t.Fatalf("planned: %+v", p.Contained)
	}
	c, address := p.Contained[0], `examplecloud_record.text["a"]`
	if left := x.Left(in); c.Address != address || c.Prior["address"] == "" || left[address]["address"] != c.Prior["address"] {
		t.Errorf("left %v, and planned %+v", left, c)
	}
	if want := first.Contained[0].Planned["address"]; want == "" || c.Planned["address"] != want {
		t.Errorf("first %v, and then %v", first.Contained[0].Planned, c.Planned)
	}
	replacing := terraform.ContainedChange{
		Path: "address", Before: json.RawMessage(`"2001:db8::1"`),
		After: json.RawMessage(`"2001:DB8::1"`), Replaces: true,
	}
	if i := indexOf(c.Changes, "address"); i < 0 || !cmp.Equal(c.Changes[i], replacing) {
		t.Errorf("changes: %+v", c.Changes)
	}
	if got := c.Block(); got != "examplecloud_record.text" {
		t.Errorf("block %s", got)
	}
}

func indexOf(changes []terraform.ContainedChange, path string) int {
	for i, c := range changes {
		if c.Path == path {
			return i
		}
	}
	return -1
}

// An object that was created without an error, but not as planned, is named by the error. The
// journal tells which others were made.
func TestInconsistentObject(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	x := e.executor(&watched{
		e.server,
		func(
			ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			a, err := e.server.ApplyResourceChange(ctx, q)
			if err == nil && nameOf(q) == "a" {
				a.NewState.MsgPack = bytes.Replace(a.NewState.MsgPack, []byte("north"), []byte("south"), 1)
			}
			return a, err
		},
	})
	journal := &recording{}
	_, diags := x.ApplyJournaled(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a", "b")), journal.record)
	if !terraform.Inconsistent(diags) {
		t.Fatal(diags)
	}
	var objects []string
	for _, d := range diags.Errors() {
		objects = append(objects, d.Object)
	}
	if diff := cmp.Diff([]string{`examplecloud_datastore.rack["a"]`}, objects); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := strings.Join(x.Changed(journal.last), " "); len(strings.Fields(got)) != 2 {
		t.Errorf("changed: %s", got)
	}
}
