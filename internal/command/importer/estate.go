package importer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Estate holds the objects of a Terraform state.
type Estate struct {
	Items []Item
	// Left are instances that cannot be imported, with the reasons.
	Left []Left
	// DataSources is the number of data sources, which cannot be managed.
	DataSources int
	// Outputs are the names of the outputs, which nothing in Kubernetes has.
	Outputs []string
}

// Providers returns a provider by its source, such as registry.terraform.io/hashicorp/random, and
// the alias of its configuration, which is empty for the default one.
type Providers func(source, alias string) (*ConfiguredProvider, error)

// ReadState returns the resource instances of a state file of format 4 that match; nil matches all.
func ReadState(b []byte, providers Providers, match func(address, resourceType string) bool) (Estate, error) {
	// Decoding values needs schemas, and so providers: first without.
	outline, unreadable, err := tfstate.ReadSome(b, nil)
	if err != nil {
		return Estate{}, err
	}
	out := Estate{Outputs: outputs(outline)}
	for _, x := range unreadable {
		if x.Managed && (match == nil || match(x.Address, x.Type)) {
			out.Left = append(out.Left, Left{x.Address, x.Err.Error()})
		}
	}
	read := map[*model.Provider]tfstate.State{}
	for i, r := range outline.Resources {
		if r.Mode != "managed" {
			if match == nil || match(r.Address(), r.Type) {
				out.DataSources++
			}
			continue
		}
		wanted := map[int]bool{}
		for j, x := range r.Instances {
			wanted[j] = match == nil || match(InstanceAddress(r, x), r.Type)
		}
		leave := func(reason string) {
			for j, x := range r.Instances {
				if wanted[j] {
					out.Left = append(out.Left, Left{InstanceAddress(r, x), reason})
				}
			}
		}
		source, alias, ok := ProviderOf(r.Provider)
		if !ok {
			leave(
				fmt.Sprintf("its provider %q is not in the format of Terraform 0.13 and later; let a newer "+
					"Terraform refresh the state", r.Provider),
			)
			continue
		}
		p, err := providers(source, alias)
		if err != nil {
			leave(err.Error())
			continue
		}
		m := p.Model.Resources[r.Type]
		if m == nil {
			leave(fmt.Sprintf("the provider %s has no resource type %s", source, r.Type))
			continue
		}
		if _, ok := read[p.Model]; !ok {
			if read[p.Model], _, err = tfstate.ReadSome(b, tfstate.Of(p.Model.Schema)); err != nil {
				return Estate{}, err
			}
		}
		for j, x := range read[p.Model].Resources[i].Instances {
			if !wanted[j] {
				continue
			}
			stored := x.Instance
			if !stored.Exists() {
				reason := "the state has no object of it"
				if len(stored.Deposed) > 0 {
					reason = "the state has only deposed objects of it, which Terraform is to destroy first"
				}
				out.Left = append(out.Left, Left{InstanceAddress(r, x), reason})
				continue
			}
			out.Items = append(out.Items, Item{
				Provider: p, Resource: m, Origin: InstanceAddress(r, x), Name: instanceName(r, x), Stored: &stored,
				Block: Block{Address: r.Address(), Dependencies: x.Dependencies},
			})
		}
	}
	return out, nil
}

// outputs returns the names of a state's outputs, sorted.
func outputs(s tfstate.State) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal(s.Extra["outputs"], &all) != nil {
		return nil
	}
	return sortedKeys(all)
}

var providerAddress = regexp.MustCompile(`^(?:module\..+\.)?provider\["([^"]+)"\](?:\.([^.]+))?$`)

// ProviderOf splits a provider's address in a state.
func ProviderOf(address string) (source, alias string, ok bool) {
	m := providerAddress.FindStringSubmatch(address)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// InstanceAddress returns Terraform's address of an instance.
func InstanceAddress(r tfstate.ResourceBlock, i tfstate.Instance) string {
	switch key := i.IndexKey.(type) {
	case int64:
		return fmt.Sprintf("%s[%d]", r.Address(), key)
	case string:
		return r.Address() + "[" + strconv.Quote(key) + "]"
	}
	return r.Address()
}

// InstanceKubernetesName returns the name of the custom resource of an instance, unless another one
// has it.
func InstanceKubernetesName(r tfstate.ResourceBlock, i tfstate.Instance) string {
	name, _ := kubernetesName(instanceName(r, i))
	return name
}

var moduleWord = regexp.MustCompile(`(^|\.)module\.`)

// instanceName returns the modules, name and key of an instance.
func instanceName(r tfstate.ResourceBlock, i tfstate.Instance) string {
	parts := []string{r.Name}
	if r.Module != "" {
		parts = []string{strings.TrimPrefix(moduleWord.ReplaceAllString(r.Module, "."), "."), r.Name}
	}
	if i.IndexKey != nil {
		parts = append(parts, fmt.Sprint(i.IndexKey))
	}
	return strings.Join(parts, "-")
}
