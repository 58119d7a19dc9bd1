//go:build !race

// The race detector makes this twenty times slower, so `make test` runs it without.

package generator_test

import (
	"bytes"
	"go/format"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// The limits for a provider with more than a thousand types notice what grows faster than the
// number of types, also on a busy machine. `make bench-scale` measures.
const (
	sourcesLimit = 5 * time.Minute
	crdsLimit    = time.Minute
)

func TestLargeOutputIsStableAndFormatted(t *testing.T) {
	for _, name := range schematest.Providers {
		t.Run(name, func(t *testing.T) {
			first := output(t, provide(t, name, schematest.Provider(t, name), config.Provider{}))
			second := output(t, provide(t, name, schematest.Provider(t, name), config.Provider{}))
			// Byte by byte only if they differ: megabytes are compared.
			if !cmp.Equal(first, second, cmp.Comparer(bytes.Equal)) {
				t.Errorf("-first, +second:\n%s", cmp.Diff(first, second))
			}
			for file, content := range first.Files {
				if filepath.Ext(file) != ".go" {
					continue
				}
				formatted, err := format.Source(content)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(content, formatted) {
					t.Errorf("%s: gofmt would change it:\n%s", file, cmp.Diff(string(content), string(formatted)))
				}
			}
		})
	}
}

func TestLargeProvider(t *testing.T) {
	s := schematest.Large(t)
	if len(s.Resources) < 1000 {
		t.Fatalf("it has %d types", len(s.Resources))
	}
	start := time.Now()
	out := output(t, provide(t, "large", s, config.Provider{}))
	if _, err := generator.Write(t.TempDir(), out.Files); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	sources, size := 0, 0
	for name, content := range out.Files {
		size += len(content)
		if strings.HasSuffix(filepath.Base(name), "_types.go") {
			sources++
		}
	}
	if sources != len(s.Resources)+2 {
		t.Errorf("there are %d Go files of kinds for %d types, and two of the provider's configuration", sources, len(s.Resources))
	}
	t.Logf("%d types: %d files, %d MiB in %v", len(s.Resources), len(out.Files), size>>20, took)
	if took > sourcesLimit {
		t.Errorf("it took %v, which is more than %v", took, sourcesLimit)
	}

	start = time.Now()
	p := provide(t, "large", s, config.Provider{})
	for _, r := range p.Resources {
		if _, err := crd.Resource(r); err != nil {
			t.Fatal(err)
		}
	}
	took = time.Since(start)
	t.Logf("CRDs: %v", took)
	if took > crdsLimit {
		t.Errorf("CRDs took %v, which is more than %v", took, crdsLimit)
	}
}

// Everything that is generated for a provider of schematest.LargeTypes resource types, but for
// writing it.
func BenchmarkLargeProvider(b *testing.B) {
	s := schematest.Large(b)
	b.ReportAllocs()
	for b.Loop() {
		output(b, provide(b, "large", s, config.Provider{}))
	}
}

// The CRDs of the same, model included.
func BenchmarkLargeProviderCRDs(b *testing.B) {
	s := schematest.Large(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range provide(b, "large", s, config.Provider{}).Resources {
			if _, err := crd.Resource(r); err != nil {
				b.Fatal(err)
			}
		}
	}
}
