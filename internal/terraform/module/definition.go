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
	// Required are the local names that the module declares itself; others follow from its
	// resources.
	Required map[string]bool
	// Configurations are the names of further configurations of its providers, such as aws.replica:
	// those that the module expects from its caller (configuration_aliases), and those that its
	// provider blocks have as alias.
	Configurations []string
	// Blocks are those of the named configurations that it has provider blocks for.
	Blocks []string
	// Settings are the arguments of its provider blocks.
	Settings []Setting
	// Imports are its import blocks.
	Imports []Import
	// Calls are the modules that it calls.
	Calls []Call
	// Warnings are about parts of the module that are ignored.
	Warnings diagnostic.Diagnostics
}

// Variable is an input variable.
type Variable struct {
	// Type is the type constraint, with optional attributes.
	Type        cty.Type
	Description string
	// Default is set when the variable has a default.
	Default, Sensitive bool
	// Nullable is set if the variable can be null.
	Nullable bool
	// DefaultValue is the default; NilVal without one. AttributeDefaults are those of the
	// attributes in its type.
	DefaultValue      cty.Value
	AttributeDefaults *typeexpr.Defaults
	Deprecated        string
	// Rules are the validations that can be checked without the program.
	Rules []Rule
}

// Call is a call of another module.
type Call struct {
	Name string
	// Source is its source address; empty if that is not a text.
	Source string
	// At is its file and line.
	At string
}

// relative reports whether the called module is in the same package.
func (c Call) relative() bool {
	return strings.HasPrefix(c.Source, "./") || strings.HasPrefix(c.Source, "../")
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
		{Type: "import"}, {Type: "locals"}, {Type: "module", LabelNames: []string{"name"}},
	}}
	settings = &hcl.BodySchema{
		Blocks: []hcl.BlockHeaderSchema{
			{Type: "required_providers"}, {Type: "backend", LabelNames: []string{"type"}}, {Type: "cloud"},
			{Type: "encryption"},
		},
	}
	variableFields = &hcl.BodySchema{
		Attributes: attributes("type", "default", "description", "nullable", "sensitive", "ephemeral", "deprecated").Attributes,
		Blocks:     []hcl.BlockHeaderSchema{{Type: "validation"}},
	}
	outputFields = attributes("description", "sensitive", "ephemeral")
	objectFields = attributes("provider")
	callFields   = attributes("source")
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
		dir: dir, implied: map[string]bool{}, used: map[string]hcl.Range{}, locals: map[string]hcl.Expression{}, sources: map[string][]byte{},
		out: &Definition{Variables: map[string]*Variable{}, Outputs: map[string]*Output{}, Providers: map[string]string{}},
	}
	files, diags := r.files()
	if diags.HasErrors() {
		return nil, diags
	}
	for _, f := range files {
		r.overriding = isOverride(f.Body.MissingItemRange().Filename)
		r.file(f)
	}
	r.checkConfigurations()
	r.readImports()
	if r.diags.HasErrors() {
		return nil, r.diags.Errors()
	}
	for name := range r.implied {
		if r.out.Providers[name] == "" {
			r.out.Providers[name] = "hashicorp/" + name
		}
	}
	delete(r.out.Providers, "terraform") // built into the program
	for i := range r.out.Settings {
		r.out.Settings[i].Source = r.out.Providers[r.out.Settings[i].Provider]
	}
	return r.out, nil
}

type reader struct {
	dir     string
	out     *Definition
	implied map[string]bool
	// overriding is set while an override file is read.
	overriding bool
	// used are the places where named configurations are used, by their names.
	used map[string]hcl.Range
	// locals are the expressions of local values, imports the import blocks.
	locals  map[string]hcl.Expression
	imports []imported
	sources map[string][]byte
	diags   diagnostic.Diagnostics
}

// isOverride reports whether a file overrides parts of others.
func isOverride(name string) bool {
	base := strings.TrimSuffix(name, ".json")
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	return stem == "override" || strings.HasSuffix(stem, "_override")
}

func (r *reader) files() ([]*hcl.File, diagnostic.Diagnostics) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, diagnostic.Errorf("Module cannot be read", "%s.", err)
	}
	var out, overrides []*hcl.File
	for _, e := range entries {
		name := e.Name()
		base, isJSON := strings.CutSuffix(name, ".json")
		ext := filepath.Ext(base)
		if e.IsDir() || ext != ".tf" && ext != ".tofu" || strings.HasPrefix(name, ".") {
			continue
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
		switch {
		case f == nil:
		case isOverride(name):
			overrides = append(overrides, f)
		default:
			out = append(out, f)
		}
		if r.sources != nil {
			r.sources[name] = content
		}
	}
	if len(out) == 0 && !r.diags.HasErrors() {
		return nil, diagnostic.Errorf("Module cannot be read", "There are no files with the extension .tf or .tf.json.")
	}
	return append(out, overrides...), r.diags
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

func (r *reader) warn(at hcl.Range, format string, args ...any) {
	r.out.Warnings = append(r.out.Warnings, diagnostic.Diagnostic{
		Severity: diagnostic.Warning, Summary: fmt.Sprintf("%s:%d", at.Filename, at.Start.Line), Detail: fmt.Sprintf(format, args...),
	})
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
					r.warn(inner.DefRange, "The block %s is ignored, because Landbridge stores the state.", inner.Type)
				}
			}
		case "variable":
			r.variable(b)
		case "output":
			r.output(b)
		case "provider":
			r.provider(b)
		case "import":
			r.imports = append(r.imports, imported{b, endOf(f, b)})
		case "locals":
			attrs, _ := b.Body.JustAttributes()
			for name, a := range attrs {
				r.locals[name] = a.Expr
			}
		case "module":
			r.call(b)
		default:
			r.object(b)
		}
	}
}

// call records the call of another module. One in an override file takes precedence.
func (r *reader) call(b *hcl.Block) {
	c := Call{Name: b.Labels[0], At: fmt.Sprintf("%s:%d", b.DefRange.Filename, b.DefRange.Start.Line)}
	if a := r.content(b.Body, callFields).Attributes["source"]; a != nil {
		if v, diags := a.Expr.Value(nil); !diags.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			c.Source = v.AsString()
		}
	}
	if i := slices.IndexFunc(r.out.Calls, func(x Call) bool { return x.Name == c.Name }); i >= 0 {
		if c.Source != "" {
			r.out.Calls[i] = c
		}
		return
	}
	r.out.Calls = append(r.out.Calls, c)
}

func (r *reader) required(b *hcl.Block) {
	attrs, diags := b.Body.JustAttributes()
	r.report(diags)
	for name, a := range attrs {
		if r.out.Required == nil {
			r.out.Required = map[string]bool{}
		}
		r.out.Required[name] = true
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
				list, diags := hcl.ExprList(p.Value)
				r.report(diags)
				for _, e := range list {
					t, diags := hcl.AbsTraversalForExpr(e)
					r.report(diags)
					if alias := aliasOf(t); alias != "" {
						r.configuration(t.RootName() + "." + alias)
					}
				}
			}
		}
		r.out.Providers[name] = source
	}
}

func (r *reader) variable(b *hcl.Block) {
	name := b.Labels[0]
	v := r.out.Variables[name]
	switch {
	case v != nil && !r.overriding:
		r.refuse(b.DefRange, "The variable %s is defined twice.", name)
		return
	case v == nil:
		v = &Variable{Type: cty.DynamicPseudoType, Nullable: true}
		r.out.Variables[name] = v
	}
	content := r.content(b.Body, variableFields)
	attrs := content.Attributes
	if a := attrs["type"]; a != nil {
		t, defaults, diags := typeexpr.TypeConstraintWithDefaults(a.Expr)
		r.report(diags)
		if !diags.HasErrors() {
			v.Type, v.AttributeDefaults = t, defaults
		}
	}
	if a := attrs["default"]; a != nil {
		v.Default = true
		var diags hcl.Diagnostics
		v.DefaultValue, diags = a.Expr.Value(nil)
		r.report(diags)
	}
	r.decode(attrs, "nullable", &v.Nullable)
	r.decode(attrs, "description", &v.Description)
	r.decode(attrs, "deprecated", &v.Deprecated)
	// An ephemeral value is stored like a sensitive one, since it is needed to read and to destroy
	// the objects.
	ephemeral := false
	r.decode(attrs, "sensitive", &v.Sensitive)
	r.decode(attrs, "ephemeral", &ephemeral)
	v.Sensitive = v.Sensitive || ephemeral
	if len(content.Blocks) > 0 {
		v.Rules = nil // those of an override file replace all
	}
	for _, b := range content.Blocks {
		if rule, ok := r.rule(name, v, b); ok {
			v.Rules = append(v.Rules, rule)
		}
	}
}

func (r *reader) output(b *hcl.Block) {
	o := r.out.Outputs[b.Labels[0]]
	switch {
	case o != nil && !r.overriding:
		r.refuse(b.DefRange, "The output %s is defined twice.", b.Labels[0])
		return
	case o == nil:
		o = &Output{}
	}
	var ephemeral bool
	attrs := r.content(b.Body, outputFields).Attributes
	r.decode(attrs, "description", &o.Description)
	r.decode(attrs, "sensitive", &o.Sensitive)
	if r.decode(attrs, "ephemeral", &ephemeral); ephemeral {
		return // it is never stored
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
		name = t.RootName()
		if alias := aliasOf(t); alias != "" {
			r.used[name+"."+alias] = b.DefRange
		}
	}
	r.implied[name] = true
}

// Sources returns the sources of the providers, sorted.
func (d *Definition) Sources() []string {
	return slices.Compact(slices.Sorted(maps.Values(d.Providers)))
}
