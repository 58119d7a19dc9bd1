package tofu

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Diagnostic is one of tofu's diagnostics. Tofu identifies the attribute by its place in the
// configuration (or the place where it is missing), or by a path in the text.
type Diagnostic struct {
	diagnostic.Severity
	Summary, Detail string
	// Resource is the type of the resource; empty if there is none.
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

// IsError reports whether the severity is error.
func (d Diagnostic) IsError() bool { return d.Severity == diagnostic.Error }

// Of returns the diagnostics about resources of some types.
func (r *Result) Of(types ...string) []Diagnostic {
	var out []Diagnostic
	for _, t := range types {
		if t != "" {
			out = append(out, r.Diagnostics[t]...)
		}
	}
	return out
}

// typeIn finds a resource's type, which ends in a number: in an address, or in quotes.
var typeIn = regexp.MustCompile(`\b([a-z]+_c\d+(?:_from)?)\.x\b|"([a-z]+_c\d+)"`)

// pathIn matches a path in tofu's spelling, in which attribute names are not quoted.
var pathIn = regexp.MustCompile(`^(\.[A-Za-z_][A-Za-z0-9_-]*|\[(\d+|"([^"\\]|\\.)*"|\.\.\.)\])+`)

// Path returns the attribute's path if the text contains it, as diagnostic.FormatPath spells it.
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

// elementIn matches an element of a collection that is unexpected or missing.
var elementIn = regexp.MustCompile(`: (?:new )?(?:element|block key) (\d+|"(?:[^"\\]|\\.)*") has (?:vanished|appeared)`)

func (d Diagnostic) path() string {
	// If no path follows the resource's address, the path is elsewhere in the text.
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

// spelled returns the path at the beginning of a text in our spelling. The path ends at names of
// the user that are not identifiers.
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

// Place returns the byte offset that tofu reports for an attribute of a resource; -1 when the
// resource is not configured.
func (c *Configuration) Place(resource string, path cty.Path) int {
	if body := c.body(resource); body != nil {
		return place(body, path).Start.Byte
	}
	return -1
}

// Has reports whether an offset is inside a resource's body. Tofu also reports other offsets, such
// as that of the word resource.
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
	blocks, _, _ := c.parsed.Body.PartialContent(&hcl.BodySchema{
		Blocks: []hcl.BlockHeaderSchema{{Type: "resource", LabelNames: []string{"type", "name"}}},
	})
	for _, b := range blocks.Blocks {
		if b.Labels[0] == resource {
			return b.Body
		}
	}
	return nil
}

// place follows a path through blocks as far as possible. It returns the range of the attribute's
// value, of an element of it, or of where the attribute is missing.
func place(body hcl.Body, path cty.Path) hcl.Range {
	attribute, key := path, cty.NilVal
	if n := len(path); n > 1 {
		if last, ok := path[n-1].(cty.IndexStep); ok {
			attribute, key = path[:n-1], last.Key
		}
	}
	if len(attribute) > 1 {
		// The attribute itself may be a block, too.
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

// element returns the range of an element, or of the whole attribute if there is no such element.
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

// choose returns the block for a key; nil if there is none.
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
