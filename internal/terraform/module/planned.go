package module

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// planned is the part of the program's plan JSON that is needed.
type planned struct {
	ResourceChanges []struct {
		Address      string        `json:"address"`
		Module       string        `json:"module_address"`
		Name         string        `json:"name"`
		Mode         string        `json:"mode"`
		Type         string        `json:"type"`
		ProviderName string        `json:"provider_name"`
		Deposed      string        `json:"deposed"`
		ActionReason string        `json:"action_reason"`
		Change       plannedChange `json:"change"`
	} `json:"resource_changes"`
	Configuration struct {
		Providers map[string]struct {
			FullName string `json:"full_name"`
			Alias    string `json:"alias"`
			Module   string `json:"module_address"`
		} `json:"provider_config"`
		Root plannedModule `json:"root_module"`
	} `json:"configuration"`
	OutputChanges map[string]struct {
		Actions      []string        `json:"actions"`
		After        json.RawMessage `json:"after"`
		AfterUnknown json.RawMessage `json:"after_unknown"`
	} `json:"output_changes"`
}

var actions = map[string]terraform.Action{
	"create": terraform.Create, "update": terraform.Update, "delete": terraform.Delete,
	"delete create": terraform.DeleteThenCreate, "create delete": terraform.CreateThenDelete,
	"forget": "Forget",
}

// importing is the action for an object that an import block adopts and that is not changed.
const importing terraform.Action = "Import"

// plannedModule is the configuration of a module in the program's plan JSON.
type plannedModule struct {
	Resources []struct {
		Mode     string `json:"mode"`
		Type     string `json:"type"`
		Name     string `json:"name"`
		Provider string `json:"provider_config_key"`
	} `json:"resources"`
	Calls map[string]struct {
		Module plannedModule `json:"module"`
	} `json:"module_calls"`
}

// providers adds the keys of the provider configurations of all managed resources, by address
// without instance keys.
func (m plannedModule) providers(prefix string, into map[string]string) {
	for _, r := range m.Resources {
		if r.Mode == "managed" {
			into[prefix+r.Type+"."+r.Name] = r.Provider
		}
	}
	for name, c := range m.Calls {
		c.Module.providers(prefix+"module."+name+".", into)
	}
}

// provider returns the provider configuration of a resource as the state file has it.
func (p planned) provider(configured map[string]string, module, resource, source string) string {
	if module != "" {
		resource = terraform.WithoutKeys(module) + "." + resource
	}
	c, ok := p.Configuration.Providers[configured[resource]]
	if !ok || c.FullName == "" {
		return fmt.Sprintf("provider[%q]", source)
	}
	out := fmt.Sprintf("provider[%q]", c.FullName)
	if c.Module != "" {
		out = c.Module + "." + out
	}
	if c.Alias != "" {
		out += "." + c.Alias
	}
	return out
}

// contained returns the changes of resources, and their providers by address.
func (p planned) contained(secrets *redact.Redactor) (changes []terraform.Contained, providers map[string]string) {
	providers = map[string]string{}
	configured := map[string]string{}
	p.Configuration.Root.providers("", configured)
	for _, c := range p.ResourceChanges {
		action, ok := actions[strings.Join(c.Change.Actions, " ")]
		if !ok && c.Change.Importing != nil {
			action, ok = importing, true
		}
		if c.Mode != "managed" || !ok {
			continue
		}
		providers[c.Address] = p.provider(configured, c.Module, c.Type+"."+c.Name, c.ProviderName)
		address := strings.TrimPrefix(c.Address, callAddress)
		if c.Deposed != "" {
			address += " (deposed " + c.Deposed + ")"
		}
		change := terraform.Contained{Address: address, Action: action, Reason: terraform.Reason(c.ActionReason)}
		if action == terraform.Update || action.IsReplace() {
			change.Changes = c.Change.differences(secrets)
			change.Prior = fingerprints(decoded(c.Change.Before), nil)
		}
		change.Planned = fingerprints(decoded(c.Change.After), decoded(c.Change.AfterUnknown))
		changes = append(changes, change)
	}
	return changes, providers
}

// outputs returns the planned outputs, and reports whether they change.
func (p planned) outputs(before values) (after values, changed bool) {
	after = maps.Clone(before)
	if after == nil {
		after = values{}
	}
	for name, c := range p.OutputChanges {
		if len(c.Actions) == 1 && c.Actions[0] == "no-op" {
			continue
		}
		changed = true
		switch {
		case strings.Contains(string(c.AfterUnknown), "true"):
			after[name] = cty.DynamicVal
		case len(c.After) == 0 || string(c.After) == "null":
			delete(after, name)
		default:
			t, err := ctyjson.ImpliedType(c.After)
			if err != nil {
				after[name] = cty.DynamicVal
				continue
			}
			if b, ok := before[name]; ok {
				if v, err := wire.UnmarshalJSON(c.After, b.Type()); err == nil {
					after[name] = v
					continue
				}
			}
			if after[name], err = wire.UnmarshalJSON(c.After, t); err != nil {
				after[name] = cty.DynamicVal
			}
		}
	}
	return after, changed
}

// digest identifies the actions of a plan and their resources.
func digest(changes []terraform.Contained) []byte {
	lines := make([]string, len(changes))
	for i, c := range changes {
		lines[i] = c.Address + " " + string(c.Action)
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return []byte(hex.EncodeToString(sum[:]))
}

// content identifies the values of a plan.
func (p planned) content() []byte {
	var lines []string
	for _, c := range p.ResourceChanges {
		if _, ok := actions[strings.Join(c.Change.Actions, " ")]; c.Mode != "managed" || !ok {
			continue
		}
		x := c.Change
		lines = append(lines, strings.Join([]string{c.Address, c.Deposed, strings.Join(x.Actions, " "),
			string(x.Before), string(x.After), string(x.AfterUnknown), string(x.ReplacePaths)}, "\x00"))
	}
	for name, c := range p.OutputChanges {
		lines = append(lines, strings.Join([]string{
			"output", name, strings.Join(c.Actions, " "), string(c.After), string(c.AfterUnknown),
		}, "\x00"))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\x01")))
	return sum[:]
}

// parallelism returns the option with which changes of the same type are made one after the other.
// Then the order of the program's events is that of its requests of that type.
func (p planned) parallelism() string {
	seen := map[string]string{}
	for _, c := range p.ResourceChanges {
		if _, ok := actions[strings.Join(c.Change.Actions, " ")]; c.Mode != "managed" || !ok {
			continue
		}
		at := c.Address + " " + c.Deposed
		if other, ok := seen[c.Type]; ok && other != at {
			return "-parallelism=1"
		}
		seen[c.Type] = at
	}
	return "-parallelism=10"
}
