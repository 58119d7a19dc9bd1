package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// ParseIdentity reads an identity from the command line: NAME=VALUE,... with names in Terraform's
// spelling or that of spec.import.identity; a value that is a JSON string or list may hold
// commas. That is how translate.CanonicalIdentity writes it. A JSON object is read as it is.
func ParseIdentity(r *model.Resource, text string) (cty.Value, error) {
	in := map[string]any{}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if err := json.Unmarshal([]byte(text), &in); err != nil {
			return cty.NilVal, fmt.Errorf("it is not JSON: %w", err)
		}
		return ReadIdentity(r, in)
	}
	for rest := text; rest != ""; {
		name, after, ok := strings.Cut(rest, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return cty.NilVal, fmt.Errorf("%q is not NAME=VALUE", rest)
		}
		value, after, err := parseValue(after)
		if err != nil {
			return cty.NilVal, fmt.Errorf("%s: %w", name, err)
		}
		rest = after
		if t := r.Identity(); t != nil {
			if f := t.Object.ByTerraform(name); f != nil {
				name = f.JSONName
			}
		}
		if _, ok := in[name]; ok {
			return cty.NilVal, fmt.Errorf("%s is given twice", name)
		}
		in[name] = value
	}
	return ReadIdentity(r, in)
}

// parseValue reads a value up to the next comma, and returns the rest.
func parseValue(text string) (value any, rest string, err error) {
	if !strings.HasPrefix(text, `"`) && !strings.HasPrefix(text, "[") {
		plain, rest, _ := strings.Cut(text, ",")
		return plain, rest, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&value); err != nil {
		return nil, "", fmt.Errorf("it is not JSON: %w", err)
	}
	rest = text[d.InputOffset():]
	if rest != "" && rest[0] != ',' {
		return nil, "", fmt.Errorf("a comma is expected before %q", rest)
	}
	return value, strings.TrimPrefix(rest, ","), nil
}

// ReadIdentity reads an identity in the format of spec.import.identity.
func ReadIdentity(r *model.Resource, in map[string]any) (cty.Value, error) {
	v, diags := translate.ImportIdentity(r, in)
	if diags.HasErrors() {
		return cty.NilVal, errors.New(diags.Errors()[0].Format(r.IdentityFieldPath))
	}
	return v, nil
}
