package cases_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

var styles = []cases.Style{cases.Hand, cases.HandNoPlan, cases.Framework5, cases.Framework6, cases.SDK}

func TestSameSeedSameCase(t *testing.T) {
	for _, style := range styles {
		for seed := range 50 {
			a, err := cases.Generate(style, seed%2 == 1, seed).Encode()
			if err != nil {
				t.Fatal(err)
			}
			b, err := cases.Generate(style, seed%2 == 1, seed).Encode()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Fatalf("%s: seed %d is two cases", style, seed)
			}
			read, err := cases.Decode(a)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := read.Encode(); err != nil || !bytes.Equal(a, c) {
				t.Fatalf("%s: seed %d does not come back as it was saved (%v)", style, seed, err)
			}
		}
	}
}

func TestSmallerCasesAreCases(t *testing.T) {
	for _, style := range styles {
		for seed := range 20 {
			smaller := cases.Generate(style, seed%2 == 1, seed).Smaller()
			if len(smaller) == 0 {
				t.Errorf("%s: seed %d cannot be made smaller", style, seed)
			}
			for _, c := range smaller {
				for i, step := range c.Steps {
					if _, err := c.ConfigValue(step); err != nil {
						t.Errorf("%s: seed %d, step %d: %s", style, seed, i, err)
					}
				}
			}
		}
	}
}

// With such keys the legacy SDK panics. The numbers are those of cases that had some.
func TestNoClashingKeysForTheLegacySDK(t *testing.T) {
	for _, seed := range []int{1_003_431} {
		c := cases.Generate(cases.SDK, false, seed)
		for i, step := range c.Steps {
			config, err := c.ConfigValue(step)
			if err != nil {
				t.Fatal(err)
			}
			_ = cty.Walk(config, func(path cty.Path, v cty.Value) (bool, error) {
				if v.IsNull() || !v.Type().IsMapType() || v.Type().ElementType() == cty.String {
					return true, nil
				}
				for key := range v.AsValueMap() {
					for other := range v.AsValueMap() {
						if strings.HasPrefix(other, key+".") {
							t.Errorf("seed %d, step %d: %#v has the keys %q and %q", seed, i, path, key, other)
						}
					}
				}
				return true, nil
			})
		}
	}
}
