package plugin_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// TestVectors are the contract's test vectors for a provider's process. V124 is in package pool.
func TestVectors(t *testing.T) {
	t.Run("the newest common protocol is spoken (V116)", func(t *testing.T) {
		for mode, want := range map[string]int{testprovider.Good5: 5, testprovider.Good: 6, testprovider.Both: 6} {
			l, _ := launcher(t, mode)
			if got := launch(t, l).ProtocolVersion(); got != want {
				t.Errorf("%s: negotiated %d, want %d", mode, got, want)
			}
		}
	})
	t.Run("a null state is sent as one (V117)", func(t *testing.T) {
		for _, mode := range []string{testprovider.Walk5, testprovider.Walk} {
			l, record := launcher(t, mode)
			s := launch(t, l)
			if _, err := s.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: "x"}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
				TypeName: "x", PriorState: &tfprotov6.DynamicValue{},
			}); err != nil {
				t.Fatal(err)
			}
			records, err := testprovider.Records(record)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records[len(records)-2:] {
				var got map[string]any
				if err := json.Unmarshal(r.Request, &got); err != nil {
					t.Fatal(err)
				}
				for _, field := range []string{
					"PriorState", "Config", "ProviderMeta",
					map[string]string{
						"PlanResourceChange": "ProposedNewState", "ApplyResourceChange": "PlannedState",
					}[r.Method],
				} {
					value, _ := got[field].(map[string]any)
					if value["MsgPack"] != base64.StdEncoding.EncodeToString([]byte{0xc0}) {
						t.Errorf("%s: %s is %v, want c0", r.Method, field, got[field])
					}
				}
			}
		}
	})
	t.Run("an absent state is null (V118)", func(t *testing.T) {
		l, _ := launcher(t, testprovider.Good)
		a, err := read(t.Context(), launch(t, l), "absent")
		if err != nil || a.NewState != nil {
			t.Errorf("got %v %v, want an absent state to stay absent, which decodes as null", a, err)
		}
	})
	t.Run("an unknown value of another kind is unknown (V119)", func(t *testing.T) {
		l, _ := launcher(t, testprovider.Good)
		a, err := read(t.Context(), launch(t, l), "ext99")
		if err != nil {
			t.Fatal(err)
		}
		v, err := ctymsgpack.Unmarshal(a.NewState.MsgPack, cty.String)
		if err != nil || !v.RawEquals(cty.UnknownVal(cty.String)) {
			t.Errorf("got %#v %v, want a plain unknown", v, err)
		}
	})
	t.Run("a large schema is read (V120)", func(t *testing.T) {
		l, _ := launcher(t, testprovider.BigSchema)
		s, diags := launch(t, l).Schema(t.Context())
		if diags.HasErrors() || len(s.Config.Description.Text) != 20<<20 {
			t.Errorf("got %v and a description of %d bytes", diags, len(s.Config.Description.Text))
		}
	})
	t.Run("what a provider prints is drained (V121)", func(t *testing.T) {
		for _, mode := range []string{testprovider.Chatty, testprovider.Flood} {
			l, _ := launcher(t, mode)
			s := launch(t, l)
			for range 200 {
				if _, err := read(t.Context(), s, "echo"); err != nil {
					t.Fatalf("%s: %s", mode, err)
				}
			}
		}
	})
	t.Run("a provider that demands it is asked for its schema each time (V122)", func(t *testing.T) {
		for mode, want := range map[string]int{testprovider.AlwaysAsk: 3, testprovider.Good: 1} {
			l, record := launcher(t, mode)
			for range 3 {
				s, diags := launch(t, l).Schema(t.Context())
				if diags.HasErrors() || s.Resources["test_thing"] == nil {
					t.Fatalf("%s: %v", mode, diags)
				}
			}
			records, err := testprovider.Records(record)
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			for _, r := range records {
				if r.Method == "GetProviderSchema" {
					asked++
				}
			}
			if asked != want {
				t.Errorf("%s: three processes were asked %d times for their schema, want %d", mode, asked, want)
			}
		}
	})
	t.Run("the SDK's private bytes are passed on (V123)", func(t *testing.T) {
		// The private bytes of an SDKv2 resource with timeouts, byte for byte through create,
		// read and delete.
		private := []byte(`{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":60000000000,"delete":120000000000},"schema_version":"1"}`)
		l, record := launcher(t, testprovider.Good)
		s := launch(t, l)
		a, err := s.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "echo", Private: private})
		if err != nil || !slices.Equal(a.Private, private) {
			t.Fatalf("read: got %s %v", a.Private, err)
		}
		if _, err := s.ApplyResourceChange(t.Context(),
			&tfprotov6.ApplyResourceChangeRequest{TypeName: "echo", PlannedPrivate: a.Private}); err != nil {
			t.Fatal(err)
		}
		records, err := testprovider.Records(record)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ PlannedPrivate []byte }
		if err := json.Unmarshal(records[len(records)-1].Request, &got); err != nil || !slices.Equal(got.PlannedPrivate, private) {
			t.Errorf("delete: the provider got %s %v", got.PlannedPrivate, err)
		}
	})
}

// TestInvalidSchema checks that a schema that violates Terraform's rules is reported.
func TestInvalidSchema(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.InvalidSchema)
	if _, diags := launch(t, l).Schema(context.Background()); !diags.HasSummary("Invalid provider schema") {
		t.Errorf("got %v", diags)
	}
}

// TestSchemaOverTheWire checks that the schema of both protocols is the one that was sent.
func TestSchemaOverTheWire(t *testing.T) {
	l5, _ := launcher(t, testprovider.Good5)
	l6, _ := launcher(t, testprovider.Good)
	s5, diags5 := launch(t, l5).Schema(t.Context())
	s6, diags6 := launch(t, l6).Schema(t.Context())
	if diags5.HasErrors() || diags6.HasErrors() {
		t.Fatal(diags5, diags6)
	}
	a, _ := json.Marshal(s5)
	b, _ := json.Marshal(s6)
	if diff := cmp.Diff(strings.Replace(string(a), `"protocol":5`, `"protocol":6`, 1), string(b)); diff != "" {
		t.Error(diff)
	}
	if !s6.Config.Attributes["token"].Sensitive || !s6.Capabilities.PlanDestroy || s6.Resources["test_thing"].Version != 1 {
		t.Errorf("got %s", b)
	}
}

func BenchmarkCall(b *testing.B) {
	l, _ := launcher(b, testprovider.Good)
	l.Env = testprovider.Env(testprovider.Good, "")
	s := launch(b, l)
	r := &tfprotov6.ReadResourceRequest{
		TypeName: "echo", CurrentState: &tfprotov6.DynamicValue{MsgPack: []byte("\x82\xa2id\xa1x\xa4name\xa1y")},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ReadResource(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(s.(*plugin.Server).Usage().CPU.Nanoseconds())/float64(b.N), "provider-ns/op")
}

func BenchmarkLaunch(b *testing.B) {
	l, _ := launcher(b, testprovider.Good)
	l.Env = testprovider.Env(testprovider.Good, "")
	for b.Loop() {
		s, err := l.Launch(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTerraformVersion checks that a launcher's version of Terraform wins, and makes another key.
func TestTerraformVersion(t *testing.T) {
	for version, want := range map[string]string{"": "1.12.0", "1.9.8": "1.9.8"} {
		l, record := launcher(t, testprovider.Good)
		l.TerraformVersion = version
		config := tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
		if _, err := launch(t, l).ConfigureProvider(t.Context(),
			&tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.12.0", Config: &config}); err != nil {
			t.Fatal(err)
		}
		records, err := testprovider.Records(record)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ TerraformVersion string }
		if err := json.Unmarshal(records[len(records)-1].Request, &got); err != nil || got.TerraformVersion != want {
			t.Errorf("%q: the provider is told %q %v, want %q", version, got.TerraformVersion, err, want)
		}
		other := &plugin.Launcher{Path: l.Path, Env: l.Env}
		if same := l.Key() == other.Key(); same != (version == "") {
			t.Errorf("%q: the key is the default's: %t", version, same)
		}
	}
}
