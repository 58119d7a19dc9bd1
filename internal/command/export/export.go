package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// The files of an export.
const (
	providersFile = "providers.tf"
	resourcesFile = "main.tf"
	dataFile      = "data.tf"
	variablesFile = "variables.tf"
	importsFile   = "imports.tf"
	// valuesFile and stateFile hold sensitive values.
	valuesFile = "sensitive.auto.tfvars.json"
	stateFile  = "terraform.tfstate"
)

// Options of Make.
type Options struct {
	// Client reads custom resources and Secrets. It must not be a cache.
	Client    client.Reader
	State     *state.Cluster
	Kinds     state.Kinds
	Providers []*RequiredProvider
	// WithState is set if the state is going to be written. Otherwise, what a plan would do without
	// it is planned.
	WithState bool
	// Secrets gets the sensitive values that are read. Reasons do not show them.
	Secrets *redact.Redactor
}

// Export is a Terraform configuration.
type Export struct {
	// Files have no sensitive values, and Sensitive has them, by name.
	Files, Sensitive map[string][]byte
	// Resources are the titles of the resources in it.
	Resources []string
	// Left is what is left out.
	Left []state.Left
	// Changes are what a plan would do, beside imports. Imported is the number of resources that it
	// would import and not change.
	Changes  []state.Left
	Imported int
}

// exporter makes one export.
type exporter struct {
	Options
	used      map[*RequiredProvider]*used
	names     map[string]bool // local names of providers
	resources map[store.Key]*resource
	// data are the data sources that resources refer to; nil for one that cannot be exported.
	data      map[store.Key]*dataSource
	variables variables
	out       Export
}

// Make exports the selected resources.
func Make(ctx context.Context, o Options, selection state.Selection) (Export, error) {
	e := &exporter{
		Options: o, used: map[*RequiredProvider]*used{}, names: map[string]bool{},
		resources: map[store.Key]*resource{}, data: map[store.Key]*dataSource{},
	}
	stored, err := o.State.Export(ctx, o.Kinds, selection)
	if err != nil {
		return Export{}, err
	}
	e.out.Left = stored.Left
	raw, err := tfstate.Read(stored.State, nil)
	if err != nil {
		return Export{}, err
	}
	read, err := tfstate.Read(stored.State, e.schemas())
	if err != nil {
		return Export{}, err
	}
	var all []*resource
	for i := range raw.Resources {
		key, err := state.OwnerOf(raw.Resources[i])
		if err != nil {
			return Export{}, err
		}
		r, reason, err := e.read(ctx, key, &raw.Resources[i], read.Resources[i].Instances[0].Instance)
		if err != nil {
			return Export{}, fmt.Errorf("%s: %w", state.Title(key), err)
		}
		if r == nil {
			e.out.Left = append(e.out.Left, state.Left{Title: state.Title(key), Reason: reason})
			continue
		}
		r.conceal(e.Secrets)
		if note := r.notes(); note != "" && o.WithState {
			e.out.Changes = append(e.out.Changes, state.Left{Title: state.Title(key), Reason: note})
		}
		all, e.resources[key] = append(all, r), r
		e.out.Resources = append(e.out.Resources, state.Title(key))
	}
	if len(all) == 0 {
		return e.out, nil
	}
	for _, r := range all {
		if err := e.readData(ctx, r.targets); err != nil {
			return Export{}, err
		}
	}
	return e.out, e.files(ctx, raw, all)
}

// files writes all files.
func (e *exporter) files(ctx context.Context, file tfstate.State, all []*resource) error {
	resources, imports := hclwrite.NewEmptyFile(), hclwrite.NewEmptyFile()
	imports.Body().
		AppendUnstructuredTokens(
			comment("Import blocks of resources that are in the state are ignored. Those with an identity need " +
				"Terraform 1.12, OpenTofu 1.12 or newer."),
		)
	file.Resources = nil
	for i, r := range all {
		if i > 0 {
			resources.Body().AppendNewline()
		}
		e.write(resources.Body(), r)
		file.Resources = append(file.Resources, *r.block)
	}
	data := e.writeData()
	if !e.WithState {
		e.plan(ctx, all)
	}
	for _, r := range all {
		imports.Body().AppendNewline()
		e.writeImport(imports.Body(), r)
	}
	e.out.Files = map[string][]byte{
		providersFile: hclwrite.Format(e.providers(ctx)), resourcesFile: hclwrite.Format(resources.Bytes()),
		importsFile: hclwrite.Format(imports.Bytes()),
	}
	if len(data) > 0 {
		e.out.Files[dataFile] = data
	}
	content, err := tfstate.Write(file, nil)
	if err != nil {
		return err
	}
	e.out.Sensitive = map[string][]byte{stateFile: content}
	if len(e.variables.values) == 0 {
		return nil
	}
	declared, values := hclwrite.NewEmptyFile(), map[string]json.RawMessage{}
	for i, name := range sortedKeys(e.variables.values) {
		v := e.variables.values[name]
		if i > 0 {
			declared.Body().AppendNewline()
		}
		body := declared.Body().AppendNewBlock("variable", []string{name}).Body()
		what := "any"
		if v.Type().IsPrimitiveType() {
			what = v.Type().FriendlyName()
		}
		body.SetAttributeRaw("type", hclwrite.TokensForIdentifier(what))
		body.SetAttributeValue("sensitive", cty.True)
		if values[name], err = ctyjson.Marshal(v, v.Type()); err != nil {
			return err
		}
	}
	e.out.Files[variablesFile] = hclwrite.Format(declared.Bytes())
	content, err = json.MarshalIndent(values, "", "  ")
	e.out.Sensitive[valuesFile] = append(content, '\n')
	return err
}

// schemas returns the schemas of the resource types of all providers.
func (e *exporter) schemas() tfstate.Schemas {
	return func(resourceType string) *schema.Resource {
		for _, p := range e.Providers {
			if r := p.Model.Resources[resourceType]; r != nil {
				return r.Schema
			}
		}
		return nil
	}
}

// model returns the provider and the model of a resource or a data source; nil if they are not
// known.
func (e *exporter) model(key store.Key) (*RequiredProvider, *model.Resource) {
	for _, p := range e.Providers {
		for _, r := range p.Model.All() {
			if r.Group == key.Group && r.Kind == key.Kind {
				return p, r
			}
		}
	}
	return nil, nil
}

func namespacedName(k store.Key) types.NamespacedName {
	return types.NamespacedName{Namespace: k.Namespace, Name: k.Name}
}

// comment returns a comment of one line.
func comment(text string) hclwrite.Tokens {
	return hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte("# " + strings.Join(strings.Fields(text), " ") + "\n")}}
}
