package translate_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
)

func server(b *testing.B) (*model.Resource, map[string]any, cty.Value) {
	b.Helper()
	p, err := model.NewProvider("hcloud", schematest.Provider(b, "hcloud"), config.Provider{})
	if err != nil {
		b.Fatal(err)
	}
	r := p.Resources["hcloud_server"]
	spec := map[string]any{
		"name": "web-1", "serverType": "cx22", "image": "debian-12", "location": "fsn1", "backups": false,
		"labels": map[string]any{"team": "a", "tier": "web"}, "sshKeys": []any{"1", "2"},
		"network":   []any{map[string]any{"networkId": int64(42), "ip": "10.0.0.2"}},
		"publicNet": []any{map[string]any{"ipv4Enabled": true, "ipv6Enabled": false}},
	}
	c, diags := translate.Config(r, spec, nil, nil)
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	return r, spec, c.Value
}

func BenchmarkConfig(b *testing.B) {
	r, spec, _ := server(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := translate.Config(r, spec, nil, nil); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

func BenchmarkObservation(b *testing.B) {
	r, _, v := server(b)
	b.ReportAllocs()
	for b.Loop() {
		translate.Observation(r, v)
	}
}

func BenchmarkChanges(b *testing.B) {
	r, spec, before := server(b)
	spec["name"] = "web-2"
	c, _ := translate.Config(r, spec, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		if len(translate.Changes(r, before, c.Value)) != 1 {
			b.Fatal("one change")
		}
	}
}

func BenchmarkConnectionDetails(b *testing.B) {
	r, _, v := server(b)
	b.ReportAllocs()
	for b.Loop() {
		translate.ConnectionDetails(r, v)
	}
}
