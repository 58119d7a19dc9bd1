package translate

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// maxSecretKey is the maximum length of a Secret's key, in bytes.
const maxSecretKey = 253

// ConnectionDetails returns the sensitive values of a state that are known and not null. Keys are
// attribute.<path>, with Terraform's names separated by dots (attribute.kube_config.0.token) and
// without the index of singleton blocks. Strings, numbers and booleans are text, other values JSON.
func ConnectionDetails(r *model.Resource, state cty.Value) map[string][]byte {
	if !isObject(state) {
		return nil
	}
	out := map[string][]byte{}
	collectSecrets(r.Root(), state, "attribute", out)
	return out
}

// ResultDetails returns all values of the result of an ephemeral resource that are known and not
// null, which are all secret. Keys are attribute.<name>; values are as in ConnectionDetails.
func ResultDetails(r *model.Resource, result cty.Value) map[string][]byte {
	if !isObject(result) {
		return nil
	}
	out := map[string][]byte{}
	for _, f := range r.Root().Object.All {
		if x, _ := result.GetAttr(f.Name).Unmark(); !f.WriteOnly && x.IsWhollyKnown() && !x.IsNull() {
			out[secretKey("attribute."+f.Name, out)] = secretBytes(encoder{whole: true, plain: true}, f.Type, x)
		}
	}
	return out
}

func collectSecrets(t *model.Type, v cty.Value, prefix string, out map[string][]byte) {
	v, _ = v.Unmark()
	if !t.HasSecrets() || !v.IsKnown() || v.IsNull() {
		return
	}
	switch t.Kind {
	case model.Object:
		for _, f := range t.Object.All {
			x, _ := v.GetAttr(f.Name).Unmark()
			key := prefix + "." + f.Name
			switch {
			case f.WriteOnly:
			case !f.Sensitive:
				collectSecrets(f.Type, x, key, out)
			case x.IsKnown() && !x.IsNull():
				out[secretKey(key, out)] = secretBytes(encoder{whole: true, plain: true}, f.Type, x)
			}
		}
	case model.List, model.Set:
		i := 0
		for it := v.ElementIterator(); it.Next(); i++ {
			_, x := it.Element()
			key := prefix
			if !t.Singleton || i > 0 {
				key += "." + strconv.Itoa(i)
			}
			collectSecrets(t.Element, x, key, out)
		}
	case model.Map:
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			collectSecrets(t.Element, x, prefix+"."+k.AsString(), out)
		}
	}
}

func secretBytes(e encoder, t *model.Type, v cty.Value) []byte {
	switch t.Kind {
	case model.String:
		return []byte(v.AsString())
	case model.Number:
		return []byte(numberText(v))
	case model.Bool:
		return strconv.AppendBool(nil, v.True())
	case model.Dynamic:
		if v.Type() == cty.String {
			return []byte(v.AsString())
		}
	}
	// The JSON of strings, bools, numbers, lists and maps cannot fail.
	raw, _ := json.Marshal(e.value(t, v))
	return raw
}

// secretKey returns a key that is valid in a Secret and not in use.
func secretKey(key string, used map[string][]byte) string {
	key = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			return c
		}
		return '_'
	}, key)
	if len(key) > maxSecretKey {
		key = key[:maxSecretKey]
	}
	unique := key
	for i := 2; ; i++ {
		if _, taken := used[unique]; !taken {
			return unique
		}
		suffix := "." + strconv.Itoa(i)
		unique = key[:min(len(key), maxSecretKey-len(suffix))] + suffix
	}
}
