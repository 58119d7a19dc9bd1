package translate

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/zclconf/go-cty/cty"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/landbridge-io/landbridge/internal/model"
)

// presented returns a primitive value in the type of its field in Kubernetes. ok is false if the
// value cannot have that type: it is left out rather than changed. The decoder does the inverse,
// since it converts primitive types as Terraform does.
func presented(t *model.Type, v cty.Value) (out any, ok bool) {
	switch {
	case t.Kind == model.Number && t.As == model.String:
		return numberText(v), true
	case t.Kind == model.Number: // Integer
		return integer(v)
	case t.Kind == model.Bool:
		return strconv.FormatBool(v.True()), true
	}
	s := v.AsString()
	switch t.As {
	case model.Bool:
		return s == "true", s == "true" || s == "false"
	case model.JSON:
		var out any
		if utiljson.Unmarshal([]byte(s), &out) != nil || out == nil {
			return nil, false
		}
		return out, true
	}
	n, ok := numberFromText(s)
	if !ok || numberText(n) != s { // a round trip would change it
		return nil, false
	}
	if t.As == model.Integer {
		return integer(n)
	}
	return numberToJSON(n)
}

func integer(v cty.Value) (any, bool) {
	n, exact := numberToJSON(v)
	i, ok := n.(int64)
	if !exact || !ok {
		return nil, false
	}
	return i, true
}

// jsonText returns the text of a JSON value: compact, with sorted keys.
func (d *decoder) jsonText(t *model.Type, in any) cty.Value {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(in); err != nil {
		return d.errorf(t, incorrectType, "It is no JSON.")
	}
	return cty.StringVal(string(bytes.TrimRight(b.Bytes(), "\n")))
}
