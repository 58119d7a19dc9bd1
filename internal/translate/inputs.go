package translate

import (
	"errors"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Inputs is a configuration in the form of a custom resource.
type Inputs struct {
	// ForProvider is spec.forProvider.
	ForProvider map[string]any
	// Secrets are the values that it refers to, by their keys in the Secret that all references
	// name. A key is the path of the value, as in ConnectionDetails but without "attribute.".
	Secrets map[string][]byte
	// Lost are the top-level fields that spec cannot hold exactly: too large numbers, and fields
	// that the kind does not have.
	Lost []cty.Path
}

// ForProvider is the inverse of Config: it returns the inputs for a wholly known configuration.
// Sensitive values become references to keys of the Secret with the given name. Write-only values
// that are null are left out.
func ForProvider(r *model.Resource, config cty.Value, secret string) Inputs {
	e := inputs{secret: secret, values: map[string][]byte{}}
	out := Inputs{ForProvider: e.object(r.Root(), config, ""), Secrets: e.values}
	back, _ := Config(r, out.ForProvider, nil, func(s SecretKeySelector) ([]byte, error) {
		b, ok := e.values[s.Key]
		if !ok {
			return nil, errors.New("there is no such key")
		}
		return b, nil
	})
	config, _ = config.UnmarkDeep()
	for _, f := range r.Root().Object.All {
		if f.Settled {
			continue // spec cannot set it
		}
		if back.Value == cty.NilVal || !back.Value.GetAttr(f.Name).RawEquals(config.GetAttr(f.Name)) {
			out.Lost = append(out.Lost, cty.GetAttrPath(f.Name))
		}
	}
	return out
}

// inputs writes spec, and collects secret values.
type inputs struct {
	secret string
	values map[string][]byte
}

func (e *inputs) object(t *model.Type, v cty.Value, key string) map[string]any {
	out := make(map[string]any, len(t.Object.All))
	for _, f := range t.Object.All {
		x, _ := v.GetAttr(f.Name).Unmark()
		if !f.Input || x.IsNull() || f.Type.IsAbsent(x) {
			continue
		}
		below := f.Name
		if key != "" {
			below = key + "." + f.Name
		}
		if f.SecretRef != "" {
			k := secretKey(below, e.values)
			e.values[k] = secretBytes(encoder{whole: true}, f.Type, x)
			out[f.SecretRef] = map[string]any{"name": e.secret, "key": k}
			continue
		}
		if j := e.value(f.Type, x, below); j != nil {
			out[f.JSONName] = j
		}
	}
	return out
}

func (e *inputs) value(t *model.Type, v cty.Value, key string) any {
	v, _ = v.Unmark()
	if !t.HasSecrets() || v.IsNull() {
		return encoder{inputs: true}.value(t, v)
	}
	switch t.Kind {
	case model.Object:
		return e.object(t, v, key)
	case model.Map:
		out := make(map[string]any, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			out[k.AsString()] = e.value(t.Element, x, key+"."+k.AsString())
		}
		return out
	default:
		out := make([]any, 0, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			if t.Singleton {
				return e.value(t.Element, x, key)
			}
			out = append(out, e.value(t.Element, x, key+"."+strconv.Itoa(len(out))))
		}
		return out
	}
}
