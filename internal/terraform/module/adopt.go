package module

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
)

// adoptedVersion is the version of Terraform that an adopted state names: programs refuse states of
// newer versions than their own, though the format is the same.
const adoptedVersion = "1.0.0"

// indexes are the index keys of an address.
var indexes = regexp.MustCompile(`\[(?:\d+|"(?:[^"\\]|\\.)*")\]`)

// Adopt returns an instance of a module with the objects that a state has of it, such as of a call
// in a configuration of Terraform. address is that of the module in the state, with its index keys,
// such as module.net["eu"]; empty for the root module. The state is raw: variables and outputs are
// not known before the next plan.
func Adopt(file []byte, address string) (instance.Instance, error) {
	state, err := tfstate.Read(file, nil)
	if err != nil {
		return instance.Instance{}, err
	}
	out := tfstate.State{TerraformVersion: adoptedVersion, Serial: 1, Lineage: state.Lineage}
	var others []string
	managed := 0
	for _, r := range state.Resources {
		if !inModule(r.Module, address) {
			others = append(others, r.Module)
			continue
		}
		if r.Mode == "managed" {
			managed += len(r.Instances)
		}
		out.Resources = append(out.Resources, adopted(r, address))
	}
	if managed == 0 {
		return instance.Instance{}, missing(address, others)
	}
	b, err := tfstate.Write(out, nil)
	if err != nil {
		return instance.Instance{}, err
	}
	mem := memory{}
	if mem.State, err = compress(b); err != nil {
		return instance.Instance{}, err
	}
	return instance.Instance{RawState: []byte("{}"), Private: mem.private(), Status: instance.Full}, nil
}

func missing(address string, others []string) error {
	if address == "" {
		return errors.New("the state has no managed resources")
	}
	slices.Sort(others)
	others = slices.DeleteFunc(slices.Compact(others), func(s string) bool { return s == "" })
	if len(others) == 0 {
		return fmt.Errorf("the state has no managed resources in %s, nor in any other module", address)
	}
	return fmt.Errorf("the state has no managed resources in %s. It has some in %s", address, strings.Join(others, ", "))
}

// inModule reports whether a module is the one of an address, or in it.
func inModule(module, address string) bool {
	return address == "" || module == address || strings.HasPrefix(module, address+".")
}

// adopted returns a resource of the module of an address as a resource of the one module that is
// called.
func adopted(r tfstate.ResourceBlock, address string) tfstate.ResourceBlock {
	this := strings.TrimSuffix(callAddress, ".")
	r.Module = this + under(r.Module, address)
	static := indexes.ReplaceAllString(address, "")
	r.Provider = adoptedProvider(r.Provider, static)
	r.Instances = slices.Clone(r.Instances)
	for i := range r.Instances {
		x := &r.Instances[i]
		x.Dependencies = adoptedDependencies(x.Dependencies, static)
		kept := make(map[string]tfstate.Kept, len(x.KeptDeposed))
		for key, k := range x.KeptDeposed {
			k.Dependencies = adoptedDependencies(k.Dependencies, static)
			kept[key] = k
		}
		x.KeptDeposed = kept
	}
	return r
}

// under returns what follows an address, with the dot before it.
func under(module, address string) string {
	if address == "" && module != "" {
		return "." + module
	}
	return strings.TrimPrefix(module, address)
}

// adoptedProvider returns the address of a provider configuration: one in the module stays in it,
// others are the one that the controller gives. Index keys have been removed from the address of
// the module.
func adoptedProvider(provider, module string) string {
	at := strings.Index(provider, `provider["`)
	if at < 0 {
		return provider
	}
	path, configuration := strings.TrimSuffix(provider[:at], "."), provider[at:]
	// OpenTofu takes addresses of Terraform's registry for its own. Terraform does not know those
	// of OpenTofu's.
	configuration = strings.Replace(configuration, `["registry.opentofu.org/`, `["registry.terraform.io/`, 1)
	if path != "" && inModule(path, module) {
		return callAddress + strings.TrimPrefix(strings.TrimPrefix(path, module)+"."+configuration, ".")
	}
	if end := strings.Index(configuration, `"]`); end >= 0 {
		configuration = configuration[:end+len(`"]`)] // without an alias
	}
	return configuration
}

// adoptedDependencies returns the dependencies within a module. Index keys have been removed from
// its address, as they are from dependencies.
func adoptedDependencies(in []string, module string) []string {
	var out []string
	for _, d := range in {
		switch rest, ok := strings.CutPrefix(d, module+"."); {
		case module == "":
			out = append(out, callAddress+d)
		case ok:
			out = append(out, callAddress+rest)
		}
	}
	return out
}
