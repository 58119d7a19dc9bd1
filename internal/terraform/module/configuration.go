package module

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

const (
	configFile, variablesFile = "main.tf.json", "terraform.tfvars.json"
	stateFile, planFile       = "terraform.tfstate", "plan"
	// callName is the name of the one module block, callAddress the prefix of addresses within it.
	callName, callAddress = "this", "module.this."
)

// values are the values of a module's variables.
type values map[string]cty.Value

// given returns the variables that are set in a configuration or a state.
func (m *Module) given(object cty.Value) values {
	out := values{}
	if object == cty.NilVal || object.IsNull() {
		return out
	}
	for name := range m.Variables {
		if v := object.GetAttr(name); !v.IsNull() {
			out[name] = v
		}
	}
	return out
}

// configuration returns a configuration that calls the module, and passes variables and outputs
// through. Each argument is on a line of its own, so that diagnostics can be assigned to it.
func (m *Module) configuration(given values, sensitive func(string) bool) ([]byte, error) {
	call, variables, outputs := m.block(), map[string]any{}, map[string]any{}
	needed := m.needed()
	for name, v := range m.Variables {
		if _, ok := given[name]; !ok && v.Default {
			if needed[name] {
				b, err := ctyjson.Marshal(v.DefaultValue, v.DefaultValue.Type())
				if err != nil {
					return nil, fmt.Errorf("the default of the variable %s: %w", name, err)
				}
				variables[name] = map[string]any{"default": json.RawMessage(b)}
			}
			continue
		}
		variable := map[string]any{}
		if v.Sensitive || sensitive(name) {
			variable["sensitive"] = true
		}
		if _, ok := given[name]; !ok {
			variable["default"] = nil // the module rejects it
		}
		variables[name], call[name] = variable, argument(name)
	}
	for name, o := range m.Outputs {
		output := map[string]any{"value": fmt.Sprintf("${module.%s.%s}", callName, name)}
		if o.Sensitive {
			output["sensitive"] = true
		}
		outputs[name] = output
	}
	required := map[string]any{}
	for name, source := range m.Providers {
		required[name] = map[string]any{"source": source}
	}
	config := map[string]any{
		"terraform": map[string]any{"required_providers": required},
		"module":    map[string]any{callName: call},
	}
	if blocks, passed := m.passed(); len(blocks) > 0 {
		config["provider"], call["providers"] = blocks, passed
	}
	if len(variables) > 0 {
		config["variable"] = variables
	}
	if len(outputs) > 0 {
		config["output"] = outputs
	}
	return json.MarshalIndent(config, "", " ")
}

// passed returns the provider blocks of the root module and the providers argument of the call; nil
// if the module has no configurations from its caller.
func (m *Module) passed() (blocks map[string][]any, passed map[string]any) {
	var aliases []string
	for _, name := range m.Configurations {
		if !slices.Contains(m.Blocks, name) {
			aliases = append(aliases, name)
		}
	}
	if len(aliases) == 0 {
		return nil, nil
	}
	blocks, passed = map[string][]any{}, map[string]any{}
	for name := range m.Providers {
		if m.Required[name] {
			blocks[name], passed[name] = []any{map[string]any{}}, name
		}
	}
	for _, name := range aliases {
		local := localName(name)
		blocks[local] = append(blocks[local], map[string]any{"alias": strings.TrimPrefix(name, local+"."), configurationArgument: name})
		passed[name] = name
	}
	return blocks, passed
}

func argument(name string) string { return fmt.Sprintf("${var.%s}", name) }

// encode returns the values as a variables file.
func (v values) encode() ([]byte, error) {
	out := map[string]json.RawMessage{}
	for name, x := range v {
		b, err := ctyjson.Marshal(x, x.Type())
		if err != nil {
			return nil, fmt.Errorf("the variable %s: %w", name, err)
		}
		out[name] = b
	}
	return json.Marshal(out)
}
