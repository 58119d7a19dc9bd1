package crd_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// All CRDs of a provider of 29 resource types, model included.
func BenchmarkProvider(b *testing.B) {
	s := schematest.Provider(b, "hcloud")
	b.ReportAllocs()
	for b.Loop() {
		p, err := model.NewProvider("hcloud", s, config.Provider{})
		if err != nil {
			b.Fatal(err)
		}
		crd.ProviderConfig(p)
		for _, r := range p.Resources {
			if _, err := crd.Resource(r); err != nil {
				b.Fatal(err)
			}
		}
	}
}
