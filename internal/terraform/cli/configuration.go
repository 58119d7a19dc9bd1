package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli/tfjson"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	configFile, stateFile = "main.tf.json", "terraform.tfstate"
	// objectName is the name of the one resource.
	objectName = "this"
	// providerAddress is the source address of the provider. Both programs add a host of their own
	// to addresses without one.
	providerAddress = "landbridge.io/attached/provider"
	// secretPrefix begins the names of local values.
	secretPrefix = "value"
)

// configuration is the content of main.tf.json.
type configuration struct {
	resource terraform.ResourceType
	meta     *schema.Block
	// wanted is the configuration of the resource; nil when there is none.
	wanted *terraform.Config
	// target is the object to import; nil for none. Its configuration is empty.
	target *terraform.ImportTarget
}

func (c configuration) encode() ([]byte, error) {
	providerName := c.providerName()
	settings := map[string]any{
		"required_providers": map[string]any{providerName: map[string]any{"source": providerAddress}},
	}
	locals := map[string]any{}
	if meta := c.resource.ProviderMeta; c.meta != nil && meta != cty.NilVal && !meta.IsNull() {
		body, more := tfjson.Body(c.meta, meta, nil, "meta")
		if len(more) > 0 {
			return nil, errors.New("provider_meta cannot contain a list, set or map in an attribute of any type")
		}
		settings["provider_meta"] = map[string]any{providerName: body}
	}
	config := map[string]any{"terraform": settings}
	var body map[string]any
	switch {
	case c.target != nil:
		body = map[string]any{"lifecycle": map[string]any{"ignore_changes": "all"}}
		config["import"] = []any{c.importBlock()}
	case c.wanted != nil:
		body, locals = tfjson.Body(c.resource.Schema.Block, c.wanted.Value, marked(c.wanted.SensitivePaths), secretPrefix)
		lifecycle, err := lifecycle(c.wanted)
		if err != nil {
			return nil, err
		}
		if len(lifecycle) > 0 {
			body["lifecycle"] = lifecycle
		}
	}
	if body != nil {
		config["resource"] = map[string]any{c.resource.Schema.Type: map[string]any{objectName: body}}
	}
	if len(locals) > 0 {
		config["locals"] = locals
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	return tfjson.ASCII(raw), nil
}

// providerName returns the provider's local name: the one that the resource type implies, since an
// import block cannot name another one.
func (c configuration) providerName() string {
	name, _, _ := strings.Cut(c.resource.Schema.Type, "_")
	return name
}

// address returns the address of the resource.
func (c configuration) address() string { return c.resource.Schema.Type + "." + objectName }

func (c configuration) importBlock() map[string]any {
	out := map[string]any{"to": c.address()}
	if c.target.Identity == cty.NilVal {
		out["id"] = tfjson.Literal(cty.StringVal(c.target.ID))
		return out
	}
	identity := map[string]any{}
	for name, v := range c.target.Identity.AsValueMap() {
		if !v.IsNull() {
			identity[name] = tfjson.Literal(v)
		}
	}
	out["identity"] = identity
	return out
}

// marked returns which attributes are sensitive. Elements of sets have no paths.
func marked(paths []cty.Path) tfjson.Marked {
	if len(paths) == 0 {
		return nil
	}
	return func(a *schema.Attribute, path cty.Path) bool {
		if a != nil && a.WriteOnly {
			return false // it is neither in states nor in plans, and a mark would be a change
		}
		for _, p := range paths {
			if p.Equals(path) {
				return true
			}
		}
		return false
	}
}

// stored returns the sensitive paths that are stored: those that are not write-only.
func stored(r *schema.Resource, paths []cty.Path) []cty.Path {
	return slices.DeleteFunc(slices.Clone(paths), func(p cty.Path) bool {
		a := r.Block.AttributeByPath(p)
		return a != nil && a.WriteOnly
	})
}

func lifecycle(c *terraform.Config) (map[string]any, error) {
	out := map[string]any{}
	if c.CreateBeforeDestroy {
		out["create_before_destroy"] = true
	}
	if c.PreventDestroy {
		out["prevent_destroy"] = true
	}
	if c.IgnoreChanges.All {
		out["ignore_changes"] = "all"
		return out, nil
	}
	var paths []string
	for _, p := range c.IgnoreChanges.Paths {
		path, err := traversal(p)
		if err != nil {
			return nil, fmt.Errorf("ignore_changes: %s: %w", diagnostic.FormatPath(p), err)
		}
		paths = append(paths, path)
	}
	if len(paths) > 0 {
		out["ignore_changes"] = paths
	}
	return out, nil
}

// traversal returns a path in the language of the program.
func traversal(p cty.Path) (string, error) {
	out := ""
	for i, step := range p {
		switch step := step.(type) {
		case cty.GetAttrStep:
			if i > 0 {
				out += "."
			}
			out += step.Name
		case cty.IndexStep:
			if !step.Key.IsKnown() || step.Key.IsNull() {
				return "", errors.New("the key of an element is unknown")
			}
			switch step.Key.Type() {
			case cty.String:
				key, err := json.Marshal(tfjson.Literal(step.Key))
				if err != nil {
					return "", err
				}
				out += "[" + string(key) + "]"
			case cty.Number:
				out += "[" + step.Key.AsBigFloat().Text('f', -1) + "]"
			default:
				return "", errors.New("elements of sets have no address")
			}
		}
	}
	return out, nil
}
