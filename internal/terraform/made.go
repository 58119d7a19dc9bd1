package terraform

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Made is what only a provider makes of an object and never changes, such as its id and the time of
// its creation: hashes of values, by their paths. It tells objects of the same identity apart.
// Empty if nothing is known of it.
type Made string

// MadeOf returns what a provider has made of an object.
func MadeOf(s *schema.Resource, object cty.Value) Made {
	if !instance.Present(object) {
		return ""
	}
	given := arguments(s, object)
	var out []string
	_ = cty.Walk(object, func(path cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() || !single(v) {
			return false, nil
		}
		if !v.Type().IsPrimitiveType() || len(path) == 0 {
			return true, nil
		}
		a := s.Block.AttributeByPath(path)
		name, ok := path[len(path)-1].(cty.GetAttrStep)
		if a == nil || !ok || !a.Computed || a.Sensitive || a.Optional && len(path) > 1 || !madeByProvider.MatchString(name.Name) {
			return false, nil
		}
		at, text := pathText(path), textOf(v)
		if !given.make(text) {
			at = telling + at
		}
		sum := sha256.Sum256([]byte(text))
		out = append(out, at+"="+hex.EncodeToString(sum[:8]))
		return false, nil
	})
	return Made(strings.Join(out, "\n"))
}

// Compare compares what was made of two objects of one identity. They are the same if a value is
// the same that two providers do not make alike, and different if any value differs. If neither is
// set, nothing shows it.
func (m Made) Compare(other Made) (same, different bool) {
	theirs := other.values()
	for path, value := range m.values() {
		at, tells := strings.CutPrefix(path, telling)
		is, ok := theirs[at]
		if !ok {
			is, ok = theirs[telling+at]
		}
		if ok && is != value {
			return false, true
		}
		same = same || ok && tells
	}
	return same, false
}

func (m Made) values() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(string(m)) {
		path, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		out[path] = value
	}
	return out
}

// telling precedes the path of a value that two providers do not make alike.
const telling = "!"

// madeByProvider matches the names of attributes that only a provider sets, and never changes: ids,
// and times of creation.
var madeByProvider = regexp.MustCompile(`^(id|uid|uuid|guid|arn|urn|crn|[a-z_]*(unique|object|resource|numeric)_u?id|creat(ed|ion)(_|$)[a-z_]*|create_time[a-z]*|time_created)$`)

// single reports whether a value is not one of several: their order may change.
func single(v cty.Value) bool {
	t := v.Type()
	return !t.IsSetType() && !t.IsMapType() && (!t.IsListType() || v.LengthInt() == 1)
}

func pathText(path cty.Path) string {
	var out []string
	for _, step := range path {
		switch x := step.(type) {
		case cty.GetAttrStep:
			out = append(out, x.Name)
		case cty.IndexStep:
			out = append(out, textOf(x.Key))
		}
	}
	return strings.Join(out, ".")
}

// givenTexts are values of arguments.
type givenTexts []string

// arguments returns the values of the arguments of an object.
func arguments(s *schema.Resource, v cty.Value) (out givenTexts) {
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() {
			return false, nil
		}
		if v.Type() == cty.String && len(path) > 0 && v.AsString() != "" {
			if a := s.Block.AttributeByPath(path); a == nil || a.Required || a.Optional && !a.Computed {
				out = append(out, v.AsString())
			}
		}
		return true, nil
	})
	return out
}

// leastTelling is the least length of a value that two providers do not make alike.
const leastTelling = 8

// make reports whether a value may be made of arguments, or is so short that two providers may make
// it alike.
func (t givenTexts) make(value string) bool {
	if len(value) < leastTelling {
		return true
	}
	for _, argument := range t {
		if len(argument) > 2 && strings.Contains(value, argument) {
			return true
		}
	}
	return false
}
