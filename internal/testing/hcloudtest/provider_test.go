package hcloudtest_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/hcloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/schema"
)

// cloud is the real provider, configured to work in a server of the test's own.
type cloud struct {
	*hcloudtest.Server
	engine *engine.Engine
	schema *schema.Provider
}

func newCloud(t *testing.T, o hcloudtest.Options) cloud {
	t.Helper()
	server := hcloudtest.New(t, o)
	launcher := &plugin.Launcher{Path: providertest.Binary(t, "hcloud")}
	p, err := launcher.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	known, diags := p.Schema(t.Context())
	check(t, "schema", diags)
	config := object(known.Config, map[string]cty.Value{
		"token":         cty.StringVal(server.Token),
		"endpoint":      cty.StringVal(server.Endpoint),
		"poll_interval": cty.StringVal("20ms"),
	})
	raw, err := msgpack.Marshal(config, config.Type())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: &tfprotov6.DynamicValue{MsgPack: raw},
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "configure", diagnostic.FromProtocol(answer.Diagnostics))
	return cloud{Server: server, engine: engine.New(p), schema: known}
}

// object is a block's value with these attributes and nulls for all others.
func object(b *schema.Block, attributes map[string]cty.Value) cty.Value {
	all := b.EmptyValue().AsValueMap()
	for name, value := range attributes {
		all[name] = value
	}
	return cty.ObjectVal(all)
}

func check(t *testing.T, what string, diags diagnostic.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatalf("%s: %v", what, diags)
	}
}

// apply brings an instance to a configuration, and checks that it takes this
// action to do so.
func (c cloud) apply(
	t *testing.T, in instance.Instance, resourceType string, action terraform.Action, attributes map[string]cty.Value,
) (instance.Instance, diagnostic.Diagnostics) {
	t.Helper()
	r := terraform.ResourceType{Schema: c.schema.Resources[resourceType]}
	plan, diags := c.engine.Plan(t.Context(), r, in, terraform.Config{Value: object(r.Schema.Block, attributes)})
	check(t, "plan", diags)
	if plan.Action != action {
		t.Fatalf("the plan is to %s, want %s", plan.Action, action)
	}
	if action == terraform.NoOp {
		return in, nil
	}
	return c.engine.Apply(t.Context(), plan)
}

func volume(name string, size int64) map[string]cty.Value {
	return map[string]cty.Value{
		"name": cty.StringVal(name), "size": cty.NumberIntVal(size), "location": cty.StringVal("fsn1"),
	}
}

func TestRealProviderManagesAVolume(t *testing.T) {
	const duration = 200 * time.Millisecond
	c := newCloud(t, hcloudtest.Options{ActionDuration: duration})
	r := terraform.ResourceType{Schema: c.schema.Resources["hcloud_volume"]}

	begin := time.Now()
	in, diags := c.apply(t, instance.Instance{}, "hcloud_volume", terraform.Create, volume("data", 10))
	check(t, "create", diags)
	if took := time.Since(begin); took < duration {
		t.Errorf("created after %s, though the action takes %s", took, duration)
	}
	volumes := c.Volumes()
	if len(volumes) != 1 || volumes[0].Name != "data" || volumes[0].Status != "available" {
		t.Fatalf("volumes: %+v", volumes)
	}
	if got := in.State.GetAttr("id").AsString(); got != strconv.FormatInt(volumes[0].ID, 10) {
		t.Errorf("id %s, want %d", got, volumes[0].ID)
	}
	polls := 0
	for _, request := range c.Requests() {
		if request.Path == "/actions" {
			polls++
		}
	}
	if polls == 0 {
		t.Error("the action was not polled")
	}

	in, diags = c.apply(t, in, "hcloud_volume", terraform.NoOp, volume("data", 10))
	check(t, "no change", diags)
	in, diags = c.apply(t, in, "hcloud_volume", terraform.Update, volume("renamed", 20))
	check(t, "update", diags)
	if got := c.Volumes()[0]; got.Name != "renamed" || got.Size != 20 {
		t.Errorf("after the update: %+v", got)
	}

	// Drift is seen, and so is that it is gone.
	if !c.EditVolume(volumes[0].ID, func(v *hcloudtest.Volume) { v.Name = "drifted" }) {
		t.Fatal("no such volume")
	}
	refreshed, diags := c.engine.Refresh(t.Context(), r, in)
	check(t, "refresh", diags)
	if got := refreshed.Instance.State.GetAttr("name").AsString(); got != "drifted" {
		t.Errorf("name %s after drift", got)
	}

	plan, diags := c.engine.PlanDestroy(t.Context(), r, refreshed.Instance)
	check(t, "plan destroy", diags)
	_, diags = c.engine.Apply(t.Context(), plan)
	check(t, "destroy", diags)
	if left := c.Volumes(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	refreshed, diags = c.engine.Refresh(t.Context(), r, refreshed.Instance)
	check(t, "refresh", diags)
	if refreshed.Instance.Exists() {
		t.Error("it is read though it is gone")
	}
}

// A volume whose action fails exists all the same, and must not be forgotten.
func TestRealProviderTaintsAVolumeWhoseActionFails(t *testing.T) {
	c := newCloud(t, hcloudtest.Options{})
	c.FailAction("create_volume", hcloudtest.APIError{Code: "action_failed", Message: "out of disks"})
	in, diags := c.apply(t, instance.Instance{}, "hcloud_volume", terraform.Create, volume("data", 10))
	if !diags.HasErrors() {
		t.Fatal("no error")
	}
	if len(c.Volumes()) != 1 || in.Status != instance.Tainted || !in.Exists() {
		t.Errorf("%d volumes, instance %q", len(c.Volumes()), in.Status)
	}
}

func TestRealProviderManagesAnSSHKey(t *testing.T) {
	c := newCloud(t, hcloudtest.Options{})
	r := terraform.ResourceType{Schema: c.schema.Resources["hcloud_ssh_key"]}
	key := map[string]cty.Value{"name": cty.StringVal("mine"), "public_key": cty.StringVal(publicKey)}
	in, diags := c.apply(t, instance.Instance{}, "hcloud_ssh_key", terraform.Create, key)
	check(t, "create", diags)
	key["name"] = cty.StringVal("ours")
	in, diags = c.apply(t, in, "hcloud_ssh_key", terraform.Update, key)
	check(t, "update", diags)
	if keys := c.SSHKeys(); len(keys) != 1 || keys[0].Name != "ours" || keys[0].Fingerprint != in.State.GetAttr("fingerprint").AsString() {
		t.Errorf("keys: %+v", keys)
	}
	imported, diags := c.engine.Import(t.Context(), r, terraform.ImportTarget{ID: in.State.GetAttr("id").AsString()})
	check(t, "import", diags)
	if got := imported.State.GetAttr("name").AsString(); got != "ours" {
		t.Errorf("imported name %s", got)
	}
	plan, diags := c.engine.PlanDestroy(t.Context(), r, in)
	check(t, "plan destroy", diags)
	_, diags = c.engine.Apply(t.Context(), plan)
	check(t, "destroy", diags)
	if left := c.SSHKeys(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}
