package references

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// Placeholders stand for values that are known after another resource was applied. JSON has no
// unknown values, so they are strings in the spec, or numbers where the field is one, and unknown
// values in the configuration.
type Placeholders struct {
	prefix string
	values map[string]bool
}

// NewPlaceholders returns placeholders that occur nowhere else.
func NewPlaceholders() *Placeholders {
	return &Placeholders{prefix: string(uuid.NewUUID()), values: map[string]bool{}}
}

// Of returns the placeholder for a value of a resource.
func (p *Placeholders) Of(u *unstructured.Unstructured) any {
	s := fmt.Sprintf("%s/%s/%s/%s", p.prefix, u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName())
	p.values[s] = true
	return s
}

// In returns a configuration with unknown values in the places of placeholders.
func (p *Placeholders) In(config cty.Value) (cty.Value, error) {
	if len(p.values) == 0 {
		return config, nil
	}
	var numbers []cty.Value
	for text := range p.values {
		numbers = append(numbers, cty.NumberIntVal(numberFor(text)))
	}
	stands := func(v cty.Value) bool {
		switch {
		case !v.IsKnown() || v.IsNull():
			return false
		case v.Type() == cty.Number:
			return slices.ContainsFunc(numbers, v.RawEquals)
		}
		return v.Type() == cty.String && p.values[v.AsString()]
	}
	return cty.Transform(config, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if plain, marks := v.Unmark(); stands(plain) {
			return cty.UnknownVal(plain.Type()).WithMarks(marks), nil
		}
		return v, nil
	})
}

// Conceal returns a text without placeholders.
func (p *Placeholders) Conceal(text string) string {
	for value := range p.values {
		text = strings.ReplaceAll(text, value, translate.KnownAfterApply)
		text = strings.ReplaceAll(text, strconv.FormatInt(numberFor(value), 10), translate.KnownAfterApply)
	}
	return text
}

// numberFor returns the number that stands for a placeholder in a field of numbers: one of 2^49,
// which floating-point numbers hold, too.
func numberFor(placeholder string) int64 {
	h := sha256.Sum256([]byte(placeholder))
	return -1<<50 - int64(binary.BigEndian.Uint64(h[:])>>15)
}
