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
	// Data are the data sources, and LeftData those without a manifest, with the reasons.
	Data     []DataSource
	LeftData []Left
	// Outputs are the names of the outputs, which nothing in Kubernetes has.
	Outputs []string
}

// Providers returns a provider by its source, such as registry.terraform.io/hashicorp/random, and
// the alias of its configuration, which is empty for the default one.
type Providers func(source, alias string) (*ConfiguredProvider, error)

// ReadState returns the resource instances and data sources of a state file of format 4 that match;
// nil matches all.
func ReadState(b []byte, providers Providers, match func(address, resourceType string) bool) (Estate, error) {
	// Decoding values needs schemas, and so providers: first without.
	outline, unreadable, err := tfstate.ReadSome(b, nil)
	if err != nil {
		return Estate{}, err
	}
	r := stateReader{content: b, providers: providers, match: match, read: map[*model.Provider]tfstate.State{}}
	if match == nil {
		r.match = func(string, string) bool { return true }
	}
	r.out.Outputs = outputs(outline)
	for _, x := range unreadable {
		if r.match(x.Address, x.Type) {
			r.leave(x.Managed, x.Address, x.Err.Error())
		}
	}
	for i, block := range outline.Resources {
		if err := r.block(i, block); err != nil {
			return Estate{}, err
		}
	}
	return r.out, nil
}

// stateReader reads a state.
type stateReader struct {
	content   []byte
	providers Providers
	match     func(address, resourceType string) bool
	// read is the state with the schemas of each provider.
	read map[*model.Provider]tfstate.State
	out  Estate
}

func (s *stateReader) leave(managed bool, address, reason string) {
	if managed {
		s.out.Left = append(s.out.Left, Left{address, reason})
	} else {
		s.out.LeftData = append(s.out.LeftData, Left{address, reason})
	}
}

// block reads the resource block with an index, which was read without a schema.
func (s *stateReader) block(index int, r tfstate.ResourceBlock) error {
	managed := r.Mode == "managed"
	var wanted []int
	for j, x := range r.Instances {
		if s.match(InstanceAddress(r, x), r.Type) {
			wanted = append(wanted, j)
		}
	}
	p, m, reason := s.kind(r)
	if reason != "" {
		for _, j := range wanted {
			s.leave(managed, InstanceAddress(r, r.Instances[j]), reason)
		}
		return nil
	}
	if !managed {
		for _, j := range wanted {
			x := r.Instances[j]
			result := resultOf(x.Instance, m.Schema)
			s.out.Data = append(s.out.Data, DataSource{Item{
				Provider: p, Resource: m, Origin: InstanceAddress(r, x), Name: instanceName(r, x), Stored: &result,
			}})
		}
		return nil
	}
	if _, ok := s.read[p.Model]; !ok {
		var err error
		if s.read[p.Model], _, err = tfstate.ReadSome(s.content, tfstate.Of(p.Model.Schema)); err != nil {
			return err
		}
	}
	for _, j := range wanted {
		x := s.read[p.Model].Resources[index].Instances[j]
		stored := x.Instance
		if !stored.Exists() {
			reason := "the state has no object of it"
			if len(stored.Deposed) > 0 {
				reason = "the state has only deposed objects of it, which Terraform is to destroy first"
			}
			s.leave(true, InstanceAddress(r, x), reason)
			continue
		}
		s.out.Items = append(s.out.Items, Item{
			Provider: p, Resource: m, Origin: InstanceAddress(r, x), Name: instanceName(r, x), Stored: &stored,
			Block: Block{Address: r.Address(), Dependencies: x.Dependencies},
		})
	}
	return nil
}

// kind returns the provider and the kind of a resource block, or why there is none.
func (s *stateReader) kind(r tfstate.ResourceBlock) (*ConfiguredProvider, *model.Resource, string) {
	source, alias, ok := ProviderOf(r.Provider)
	if !ok {
		return nil, nil, fmt.Sprintf("its provider %q is not in the format of Terraform 0.13 and later; let a newer "+
			"Terraform refresh the state", r.Provider)
	}
	p, err := s.providers(source, alias)
	if err != nil {
		return nil, nil, err.Error()
	}
	mode := model.Managed
	if r.Mode != "managed" {
		mode = model.Data
	}
	m := p.Model.Of(mode)[r.Type]
	if m == nil {
		return nil, nil, fmt.Sprintf("the provider %s has no %s %s", source, mode.What(), r.Type)
	}
	return p, m, ""
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
