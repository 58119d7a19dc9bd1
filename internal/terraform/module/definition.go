package module

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/hcltext"
)

// Definition is the interface of a module.
type Definition struct {
	Variables map[string]*Variable
	Outputs   map[string]*Output
	// Providers are the sources of the required providers, such as hashicorp/random, by local name.
	Providers map[string]string
}

// Variable is an input variable.
type Variable struct {
	// Type is the type constraint, with optional attributes.
	Type        cty.Type
	Description string
	// Default is set when the variable has a default.
	Default, Sensitive bool
	Deprecated         string
}

// Output is an output value.
type Output struct {
	Description string
	Sensitive   bool
}

var (
	fileBlocks = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "terraform"}, {Type: "variable", LabelNames: []string{"name"}}, {Type: "output", LabelNames: []string{"name"}},
		{Type: "provider", LabelNames: []string{"name"}}, {Type: "resource", LabelNames: []string{"type", "name"}},
		{Type: "data", LabelNames: []string{"type", "name"}}, {Type: "ephemeral", LabelNames: []string{"type", "name"}},
	}}
	settings       = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "required_providers"}, {Type: "backend", LabelNames: []string{"type"}}, {Type: "cloud"}, {Type: "encryption"}}}
	variableFields = attributes("type", "default", "description", "sensitive", "ephemeral", "deprecated")
	outputFields   = attributes("description", "sensitive", "ephemeral")
	objectFields   = attributes("provider")
)

func attributes(names ...string) *hcl.BodySchema {
	out := &hcl.BodySchema{}
	for _, name := range names {
		out.Attributes = append(out.Attributes, hcl.AttributeSchema{Name: name})
	}
	return out
}

// Read reads the module in a directory, without the modules that it calls.
func Read(dir string) (*Definition, diagnostic.Diagnostics) {
	r := &reader{
		dir: dir, implied: map[string]bool{},
		out: &Definition{Variables: map[string]*Variable{}, Outputs: map[string]*Output{}, Providers: map[string]string{}},
	}
	files, diags := r.files()
	if diags.HasErrors() {
		return nil, diags
	}
	for _, f := range files {
		r.file(f)
	}
	if r.diags.HasErrors() {
		return nil, r.diags.Errors()
	}
	for name := range r.implied {
		if r.out.Providers[name] == "" {
			r.out.Providers[name] = "hashicorp/" + name
		}
	}
	delete(r.out.Providers, "terraform") // built into the program
	return r.out, nil
}

type reader struct {
	dir     string
	out     *Definition
	implied map[string]bool
	diags   diagnostic.Diagnostics
}

func (r *reader) files() ([]*hcl.File, diagnostic.Diagnostics) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	var out []*hcl.File
	for _, e := range entries {
		name := e.Name()
		base, isJSON := strings.CutSuffix(name, ".json")
		ext := filepath.Ext(base)
		if e.IsDir() || ext != ".tf" && ext != ".tofu" || strings.HasPrefix(name, ".") {
			continue
		}
		stem := strings.TrimSuffix(base, ext)
		if stem == "override" || strings.HasSuffix(stem, "_override") {
			return nil, diagnostic.Errorf("Module cannot be used", "%s: override files are not supported. Merge it into the files that it overrides.", name)
		}
		content, err := hcltext.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return nil, diagnostic.Errorf("Module cannot be read", "%s.", err)
		}
		parse := hcltext.ParseConfig
		if isJSON {
			parse = hcltext.ParseJSON
		}
		f, diags := parse(content, name)
		r.report(diags)
		if f != nil {
			out = append(out, f)
		}
	}
	if len(out) == 0 && !r.diags.HasErrors() {
		return nil, diagnostic.Errorf("Module cannot be read", "There are no files with the extension .tf or .tf.json.")
	}
	return out, r.diags
}

// report adds the errors of HCL, with file and line.
func (r *reader) report(diags hcl.Diagnostics) {
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		x := diagnostic.Diagnostic{Severity: diagnostic.Error, Summary: d.Summary, Detail: d.Detail}
		if d.Subject != nil {
			x.Summary = fmt.Sprintf("%s:%d: %s", d.Subject.Filename, d.Subject.Start.Line, d.Summary)
		}
		r.diags = append(r.diags, x)
	}
}

func (r *reader) refuse(at hcl.Range, format string, args ...any) {
	r.diags = append(r.diags, diagnostic.Errorf(fmt.Sprintf("%s:%d: Module cannot be used", at.Filename, at.Start.Line), format, args...)...)
}

func (r *reader) content(b hcl.Body, s *hcl.BodySchema) *hcl.BodyContent {
	c, _, diags := b.PartialContent(s)
	r.report(diags)
	return c
}

func (r *reader) file(f *hcl.File) {
	for _, b := range r.content(f.Body, fileBlocks).Blocks {
		switch b.Type {
		case "terraform":
			for _, inner := range r.content(b.Body, settings).Blocks {
				if inner.Type == "required_providers" {
					r.required(inner)
				} else {
					r.refuse(inner.DefRange, "Landbridge stores the state. Remove the block %s.", inner.Type)
				}
			}
		case "variable":
			r.variable(b)
		case "output":
			r.output(b)
		case "provider":
			if attrs, _ := b.Body.JustAttributes(); len(attrs) > 0 || hasBlocks(b.Body) {
				r.refuse(b.DefRange, "It configures the provider %s, but each instance chooses a configuration (spec.providerConfigRef). Remove the block.", b.Labels[0])
			}
		default:
			r.object(b)
		}
	}
}

func hasBlocks(b hcl.Body) bool {
	_, diags := b.JustAttributes()
	return diags.HasErrors()
}

func (r *reader) required(b *hcl.Block) {
	attrs, diags := b.Body.JustAttributes()
	r.report(diags)
	for name, a := range attrs {
		source := "hashicorp/" + name
		pairs, diags := hcl.ExprMap(a.Expr)
		if diags.HasErrors() {
			r.out.Providers[name] = source // a version constraint alone, as in old modules
			continue
		}
		for _, p := range pairs {
			switch hcl.ExprAsKeyword(p.Key) {
			case "source":
				r.report(gohcl.DecodeExpression(p.Value, nil, &source))
			case "configuration_aliases":
				r.refuse(a.Range, "It needs more than one configuration of the provider %s, which is not supported.", name)
			}
		}
		r.out.Providers[name] = source
	}
}

func (r *reader) variable(b *hcl.Block) {
	v := &Variable{Type: cty.DynamicPseudoType}
	var ephemeral bool
	attrs := r.content(b.Body, variableFields).Attributes
	if a := attrs["type"]; a != nil {
		t, _, diags := typeexpr.TypeConstraintWithDefaults(a.Expr)
		r.report(diags)
		if !diags.HasErrors() {
			v.Type = t
		}
	}
	v.Default = attrs["default"] != nil
	r.decode(attrs, "description", &v.Description)
	r.decode(attrs, "sensitive", &v.Sensitive)
	r.decode(attrs, "deprecated", &v.Deprecated)
	if r.decode(attrs, "ephemeral", &ephemeral); ephemeral {
		r.refuse(b.DefRange, "The variable %s is ephemeral, so its value is missing when the objects are read. Make it sensitive instead.", b.Labels[0])
	}
	if _, ok := r.out.Variables[b.Labels[0]]; ok {
		r.refuse(b.DefRange, "The variable %s is defined twice.", b.Labels[0])
	}
	r.out.Variables[b.Labels[0]] = v
}

func (r *reader) output(b *hcl.Block) {
	o := &Output{}
	var ephemeral bool
	attrs := r.content(b.Body, outputFields).Attributes
	r.decode(attrs, "description", &o.Description)
	r.decode(attrs, "sensitive", &o.Sensitive)
	if r.decode(attrs, "ephemeral", &ephemeral); ephemeral {
		return // it is never stored
	}
	if _, ok := r.out.Outputs[b.Labels[0]]; ok {
		r.refuse(b.DefRange, "The output %s is defined twice.", b.Labels[0])
	}
	r.out.Outputs[b.Labels[0]] = o
}

func (r *reader) decode(attrs hcl.Attributes, name string, into any) {
	if a := attrs[name]; a != nil {
		r.report(gohcl.DecodeExpression(a.Expr, nil, into))
	}
}

// object records the provider of a resource or a data source.
func (r *reader) object(b *hcl.Block) {
	name, _, _ := strings.Cut(b.Labels[0], "_")
	if a := r.content(b.Body, objectFields).Attributes["provider"]; a != nil {
		t, diags := hcl.AbsTraversalForExpr(a.Expr)
		if r.report(diags); diags.HasErrors() {
			return
		}
		if len(t) > 1 {
			r.refuse(b.DefRange, "It needs more than one configuration of the provider %s, which is not supported.", t.RootName())
		}
		name = t.RootName()
	}
	r.implied[name] = true
}

// Sources returns the sources of the providers, sorted.
func (d *Definition) Sources() []string {
	return slices.Compact(slices.Sorted(maps.Values(d.Providers)))
}
