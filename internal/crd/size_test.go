package crd_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// measure returns the size of the CRD of a resource type with some fields omitted.
func measure(t *testing.T, b *schema.Block, omit ...string) (_ *crd.Size, bytes int) {
	t.Helper()
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: b}}}
	p, err := model.NewProvider("test", s, config.Provider{Resources: map[string]config.Resource{"test_thing": {Omit: omit}}})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Resources["test_thing"]
	d, leftOut, err := crd.Fit(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	size, err := crd.Measure(r, d, leftOut)
	if err != nil {
		t.Fatal(err)
	}
	return size, len(raw)
}

// nested returns a resource type as deep as the largest there are: what is large is inside of
// something required, and has two large branches.
func nested(width int) *schema.Block {
	leaf := func() *schema.Block {
		b := &schema.Block{Attributes: map[string]*schema.Attribute{}}
		for i := range width {
			b.Attributes[fmt.Sprintf("a_rather_long_name_%d", i)] = &schema.Attribute{Type: cty.Map(cty.String), Optional: true}
		}
		return b
	}
	in := func(blocks map[string]*schema.Block) *schema.Block {
		out := &schema.Block{Blocks: map[string]*schema.NestedBlock{}}
		for name, b := range blocks {
			out.Blocks[name] = &schema.NestedBlock{Nesting: schema.NestingList, Block: b}
		}
		return out
	}
	site := in(map[string]*schema.Block{
		"application_stack": in(map[string]*schema.Block{"python": leaf(), "java": leaf()}),
		"cors":              in(map[string]*schema.Block{"rule": leaf()}),
	})
	out := in(map[string]*schema.Block{"site_config": site})
	out.Blocks["site_config"].MinItems = 1
	out.Attributes = map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}}
	return out
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	if size, bytes := measure(t, nested(10)); size != nil {
		t.Errorf("%d bytes: %s", bytes, size)
	}
	size, bytes := measure(t, nested(300))
	if size == nil {
		t.Fatalf("%d bytes, and nothing is said", bytes)
	}
	text := size.String()
	for _, want := range []string{
		fmt.Sprintf("the CRD things.test.landbridge.io has %d KiB", bytes>>10), "kubectl apply", "256 KiB",
		"--server-side", "site_config.application_stack.java (",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in: %s", want, text)
		}
	}
	if size.LeftOut != "" {
		t.Errorf("left out: %s", size.LeftOut)
	}
	// What it says can be omitted, and then the CRD is smaller by about as much as it says.
	first := size.Largest[0]
	omitted, smaller := measure(t, nested(300), first.Path)
	if got := bytes - smaller; got < first.Bytes || got > first.Bytes+first.Bytes/10 {
		t.Errorf("omitting %s saves %d bytes instead of %d", first.Path, got, first.Bytes)
	}
	if omitted != nil && slices.ContainsFunc(omitted.Largest, func(s crd.Subtree) bool { return s.Path == first.Path }) {
		t.Errorf("%s is omitted, and told of", first.Path)
	}

	size, _ = measure(t, deep(4, 5))
	if size == nil || !strings.Contains(size.LeftOut, "all descriptions of fields") ||
		!strings.Contains(size.String(), "which were left out because") {
		t.Errorf("%v", size)
	}
}

func TestRealCRDsAreSmall(t *testing.T) {
	t.Parallel()
	for _, name := range schematest.Providers {
		for _, r := range provider(t, name, schematest.Provider(t, name)).Resources {
			d, leftOut, err := crd.Fit(r)
			if err != nil {
				t.Fatal(err)
			}
			if size, err := crd.Measure(r, d, leftOut); err != nil || size != nil {
				t.Errorf("%s: %v, %v", r.Type, size, err)
			}
		}
	}
}
