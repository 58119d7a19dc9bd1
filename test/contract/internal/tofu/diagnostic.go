package tofu

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Diagnostic is what tofu said. Of the attribute it is about, tofu tells the place in the
// configuration where it is, or where it is missing; or the path is in the text.
type Diagnostic struct {
	diagnostic.Severity
	Summary, Detail string
	// Resource is the type of the resource; empty when it is about none.
	Resource string
	// Offset is the place in the configuration, in bytes; -1 when there is none.
	Offset int
}

func newDiagnostic(e event) Diagnostic {
	d := e.Diagnostic
	out := Diagnostic{Severity: diagnostic.Warning, Summary: d.Summary, Detail: d.Detail, Offset: -1}
	if d.Severity == "error" {
		out.Severity = diagnostic.Error
	}
	for _, text := range []string{d.Address, d.Summary, d.Detail} {
		if m := typeIn.FindStringSubmatch(text); m != nil && out.Resource == "" {
			out.Resource = m[1] + m[2]
		}
	}
	if d.Range != nil && d.Range.Filename == configFile {
		out.Offset = d.Range.Start.Byte
	}
	return out
}

// IsError reports whether it is an error.
func (d Diagnostic) IsError() bool { return d.Severity == diagnostic.Error }

// Of are the diagnostics about resources of some types.
func (r *Result) Of(types ...string) []Diagnostic {
	var out []Diagnostic
	for _, t := range types {
		if t != "" {
			out = append(out, r.Diagnostics[t]...)
		}
	}
	return out
}

// typeIn finds the type of a resource, which has a number near its end: in an address, or in quotes.
var typeIn = regexp.MustCompile(`\b([a-z]+_c\d+(?:_from)?)\.x\b|"([a-z]+_c\d+)"`)

// pathIn is a path in tofu's spelling, which is not quoted where it is the name of an attribute.
var pathIn = regexp.MustCompile(`^(\.[A-Za-z_][A-Za-z0-9_-]*|\[(\d+|"([^"\\]|\\.)*"|\.\.\.)\])+`)

// Path is the attribute's path where the text has it, as diagnostic.FormatPath spells it; empty where not.
func (d Diagnostic) Path() string {
	if d.Offset >= 0 {
		return ""
	}
	path := d.path()
	if m := elementIn.FindStringSubmatch(d.Detail); m != nil {
		path += "[" + m[1] + "]"
	}
	return path
}

// elementIn is an element of a collection that should not be there, or should.
var elementIn = regexp.MustCompile(`: (?:new )?(?:element|block key) (\d+|"(?:[^"\\]|\\.)*") has (?:vanished|appeared)`)

func (d Diagnostic) path() string {
	// Where no path follows the resource's address, it stands by itself.
	if _, after, ok := strings.Cut(d.Detail, d.Resource+".x"); ok {
		if path := pathIn.FindString(after); path != "" {
			return spelled(path, after)
		}
	}
	for _, before := range []string{"an unexpected new value: ", "unexpected new value: "} {
		if _, after, ok := strings.Cut(d.Detail, before); ok {
			return spelled(pathIn.FindString(after), after)
		}
	}
	return ""
}

// spelled is a path, with which a text begins, in our spelling. Names are the user's in some places; where one
// is no identifier, the path ends.
func spelled(path, text string) string {
	path = strings.TrimPrefix(strings.ReplaceAll(path, "[...]", "[*]"), ".")
	if rest := text[len(path):]; path != "" && !strings.ContainsAny(rest[:min(len(rest), 2)], ": ,") {
		path += "[*]"
	}
	return path
}

// Configuration is a configuration in JSON syntax.
type Configuration struct {
	raw    []byte
	parsed *hcl.File
}

// Place is where tofu points to for an attribute of a resource, in bytes; -1 when the resource is
// not configured.
func (c *Configuration) Place(resource string, path cty.Path) int {
	if body := c.body(resource); body != nil {
		return place(body, path).Start.Byte
	}
	return -1
}

// Has reports whether a place is inside of a resource's body: tofu points to others, too, such as the
// word resource.
func (c *Configuration) Has(resource string, offset int) bool {
	body := c.body(resource)
	if body == nil {
		return false
	}
	attributes, _ := body.JustAttributes()
	within := body.MissingItemRange()
	for _, a := range attributes {
		within = hcl.RangeOver(within, a.Range)
	}
	return offset >= within.Start.Byte && offset <= within.End.Byte
}

func (c *Configuration) body(resource string) hcl.Body {
	if c.parsed == nil {
		c.parsed, _ = hcljson.Parse(c.raw, configFile)
	}
	blocks, _, _ := c.parsed.Body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "resource", LabelNames: []string{"type", "name"}}}})
	for _, b := range blocks.Blocks {
		if b.Labels[0] == resource {
			return b.Body
		}
	}
	return nil
}

// place follows a path through blocks as far as it leads, and then looks for the attribute: its value,
// an element of that, or where it could be.
func place(body hcl.Body, path cty.Path) hcl.Range {
	attribute, key := path, cty.NilVal
	if n := len(path); n > 1 {
		if last, ok := path[n-1].(cty.IndexStep); ok {
			attribute, key = path[:n-1], last.Key
		}
	}
	if len(attribute) > 1 {
		// Also the attribute itself is looked for among the blocks.
		body = descend(body, attribute)
	}
	missing := body.MissingItemRange()
	if len(attribute) == 0 {
		return missing
	}
	last, ok := attribute[len(attribute)-1].(cty.GetAttrStep)
	if !ok {
		return missing
	}
	content, _, diags := body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: last.Name, Required: true}}})
	if diags.HasErrors() {
		return missing
	}
	return element(content.Attributes[last.Name], key)
}

// element is the place of an element, or of the whole where there is no such.
func element(a *hcl.Attribute, key cty.Value) hcl.Range {
	switch {
	case key == cty.NilVal || key.IsNull() || !key.IsKnown():
	case key.Type() == cty.Number:
		list, diags := hcl.ExprList(a.Expr)
		if diags.HasErrors() {
			break
		}
		if i, _ := key.AsBigFloat().Int64(); int(i) < len(list) {
			return list[i].Range()
		}
		return a.NameRange
	case key.Type() == cty.String:
		pairs, diags := hcl.ExprMap(a.Expr)
		if diags.HasErrors() {
			break
		}
		for _, p := range pairs {
			if k, diags := p.Key.Value(nil); !diags.HasErrors() && k.RawEquals(key) {
				return p.Value.StartRange()
			}
		}
		return a.NameRange
	}
	return a.Expr.Range()
}

func descend(body hcl.Body, path cty.Path) hcl.Body {
	for i := 0; i < len(path); i++ {
		name, ok := path[i].(cty.GetAttrStep)
		if !ok {
			return body
		}
		key := cty.NilVal
		if i+1 < len(path) {
			if index, ok := path[i+1].(cty.IndexStep); ok {
				key = index.Key
				i++
			}
		}
		header := hcl.BlockHeaderSchema{Type: name.Name}
		if key != cty.NilVal && key.Type() == cty.String {
			header.LabelNames = []string{"key"}
		}
		content, _, diags := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{header}})
		if diags.HasErrors() {
			return body
		}
		if len(content.Blocks) == 0 {
			continue
		}
		next := choose(content.Blocks, key)
		if next == nil {
			return body
		}
		body = next.Body
	}
	return body
}

// choose picks the block of a key; nil where there is none.
func choose(blocks hcl.Blocks, key cty.Value) *hcl.Block {
	switch {
	case key == cty.NilVal:
		if len(blocks) == 1 {
			return blocks[0]
		}
	case key.Type() == cty.Number:
		if i, _ := key.AsBigFloat().Int64(); int(i) < len(blocks) {
			return blocks[i]
		}
	case key.Type() == cty.String:
		for _, b := range blocks {
			if b.Labels[0] == key.AsString() {
				return b
			}
		}
	}
	return nil
}
