package behaviour_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

var _ = register(map[string]func(*testing.T, *column){
	"discover":       discovered,
	"import-command": importCommand,
})

// landbridge runs the program with the column's provider, and returns what it prints.
func (c *column) landbridge(t *testing.T, args ...string) []byte {
	t.Helper()
	program, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	programs, err := mirror()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append(args, "--kubeconfig", c.Kubeconfig, "--terraform-provider", c.name,
		"--provider-mirror", programs, "-n", c.name)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) || err != nil {
		t.Fatalf("landbridge %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.Bytes()
}

func discovered(t *testing.T, c *column) {
	own := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t), "region": "us-west-2"}})
	c.WaitReady(t, own)
	unowned := c.thing(t, "us-west-2")
	var list struct {
		Objects []struct {
			DisplayName string `json:"displayName"`
			Identity    m      `json:"identity"`
			ManagedBy   []m    `json:"managedBy"`
		} `json:"objects"`
	}
	out := c.landbridge(t, "discover", "examplecloud_thing", "--set", "name="+nameOf(t), "-o", "json")
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	got := map[string][]m{}
	for _, object := range list.Objects {
		if object.DisplayName != nameOf(t) || object.Identity["region"] != "us-west-2" {
			t.Errorf("listed %v", object)
		}
		got[object.Identity["id"].(string)] = object.ManagedBy
	}
	want := map[string][]m{
		text(own, "status", "identity", "id"): {{"kind": "Thing", "namespace": c.name, "name": own.GetName()}},
		unowned.ID:                            {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c.untouched(t, unowned.ID)
}

func importCommand(t *testing.T, c *column) {
	object := made(t, c.world, api.Things, api.Thing{Name: nameOf(t), Region: "us-west-2", Size: 8, Tags: map[string]string{"a": "b"}})
	out := c.landbridge(t, "import", "examplecloud_thing", "--unmanaged", "--set", "name="+nameOf(t))
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(out, &u.Object); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	identity := m{"id": object.ID, "region": "us-west-2"}
	if diff := cmp.Diff(identity, at(u, "spec", "import", "identity")); diff != "" {
		t.Errorf("spec.import.identity: %s", diff)
	}
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, identity)
}
