package module

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// importsFile has the import blocks of the module: programs accept them only in the root module.
const importsFile = "imports.tf"

// Import is an import block.
type Import struct {
	// Text is the block as the root module has it, Locals are the expressions of the local values
	// that it needs.
	Text   string
	Locals map[string]string
	// Variables are the variables that it needs.
	Variables []string

	file       string
	start, end int
	// lines are the lines of the file that the lines of Text are from, localsAt the places of
	// Locals.
	lines    []int
	localsAt map[string]place
}

// place is a line of a file of the module.
type place struct {
	file string
	line int
}

// importArguments are the arguments of an import block.
var importArguments = []string{"to", "id", "identity", "for_each", "provider"}

// readImports reads the import blocks, which are carried out by the root module.
func (r *reader) readImports() {
	for _, b := range r.imports {
		body, ok := b.Body.(*hclsyntax.Body)
		if !ok {
			r.refuse(b.DefRange, "Import blocks in JSON are not supported. Write the block into a file with the extension .tf.")
			continue
		}
		r.importBlock(b, body)
	}
}

// imported is an import block of a file, and the byte at which it ends.
type imported struct {
	*hcl.Block
	end int
}

// endOf returns the byte after the closing brace of a block; 0 in JSON.
func endOf(f *hcl.File, b *hcl.Block) int {
	if body, ok := f.Body.(*hclsyntax.Body); ok {
		for _, x := range body.Blocks {
			if x.Body == b.Body {
				return x.CloseBraceRange.End.Byte
			}
		}
	}
	return 0
}

func (r *reader) importBlock(b imported, body *hclsyntax.Body) {
	file := b.DefRange.Filename
	out := Import{
		Locals: map[string]string{}, localsAt: map[string]place{}, file: file, start: b.TypeRange.Start.Byte, end: b.end,
	}
	var text strings.Builder
	write := func(at hcl.Pos, format string, args ...any) {
		lines := fmt.Sprintf(format, args...)
		text.WriteString(lines + "\n")
		for i := range strings.Count(lines, "\n") + 1 {
			out.lines = append(out.lines, at.Line+i)
		}
	}
	if len(body.Blocks) > 0 {
		inner := body.Blocks[0]
		r.refuse(inner.TypeRange, "The import block has the unknown block %s. Remove it.", inner.Type)
		return
	}
	write(b.TypeRange.Start, "import {")
	for _, name := range slices.Sorted(maps.Keys(body.Attributes)) {
		a := body.Attributes[name]
		switch {
		case !slices.Contains(importArguments, name):
			r.refuse(a.NameRange, "The import block has the unknown argument %s. Remove it.", name)
			return
		case name == "provider":
			continue // the resource's own
		case name == "to":
			if !r.movableAddress(&out, a.Expr, a.NameRange) {
				return
			}
			write(a.Expr.Range().Start, "  to = %s%s", callAddress, r.text(a.Expr))
			continue
		}
		if !r.movable(&out, a.Expr, a.NameRange) {
			return
		}
		write(a.Expr.Range().Start, "  %s = %s", name, r.text(a.Expr))
	}
	write(body.EndRange.Start, "}")
	out.Text = text.String()
	slices.Sort(out.Variables)
	out.Variables = slices.Compact(out.Variables)
	r.out.Imports = append(r.out.Imports, out)
}

// text returns the source text of an expression.
func (r *reader) text(e hcl.Expression) string {
	at := e.Range()
	return string(r.sources[at.Filename][at.Start.Byte:at.End.Byte])
}

// movableAddress reports whether the address of an import block means the same in the root module,
// and adds what its indexes need.
func (r *reader) movableAddress(out *Import, e hcl.Expression, at hcl.Range) bool {
	for {
		switch x := e.(type) {
		case *hclsyntax.ScopeTraversalExpr:
			return true // its indexes are literal
		case *hclsyntax.RelativeTraversalExpr:
			e = x.Source
		case *hclsyntax.IndexExpr:
			if !r.movable(out, x.Key, at) {
				return false
			}
			e = x.Collection
		default:
			r.refuse(at, "The argument to is not the address of a resource. Write it like example_thing.main or example_thing.main[each.key].")
			return false
		}
	}
}

// movable reports whether an expression of an import block means the same in the root module, and
// adds what it needs.
func (r *reader) movable(out *Import, e hcl.Expression, at hcl.Range) bool {
	if readsFiles(e) {
		r.refuse(at, "The import block reads files. Write the value as a text, or pass it as a variable.")
		return false
	}
	for _, t := range e.Variables() {
		second := ""
		if len(t) > 1 {
			if step, ok := t[1].(hcl.TraverseAttr); ok {
				second = step.Name
			}
		}
		switch root := t.RootName(); {
		case root == "each":
		case root == "var" && r.out.Variables[second] != nil:
			out.Variables = append(out.Variables, second)
		case root == "local" && r.locals[second] != nil:
			if _, ok := out.Locals[second]; ok {
				continue
			}
			of := r.locals[second].Range()
			out.Locals[second], out.localsAt[second] = r.text(r.locals[second]), place{of.Filename, of.Start.Line}
			if !r.movable(out, r.locals[second], at) {
				return false
			}
		default:
			r.refuse(at, "The import block refers to %s, but it may only refer to variables, and to local values "+
				"that are made of them.", strings.TrimSuffix(root+"."+second, "."))
			return false
		}
	}
	return true
}

// readsFiles reports whether an expression calls a function that reads files.
func readsFiles(e hcl.Expression) (found bool) {
	node, ok := e.(hclsyntax.Expression)
	if !ok {
		return true
	}
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			name := functionName(call)
			found = found || slices.Contains(fileFunctions, name) || otherFileFunctions[name] != ""
		}
		return nil
	})
	return found
}

// importsText returns the import blocks for the root module, and where each line is from; nil if
// there are none.
func (d *Definition) importsText() ([]byte, []place) {
	if len(d.Imports) == 0 {
		return nil, nil
	}
	locals, localsAt := map[string]string{}, map[string]place{}
	var out bytes.Buffer
	var from []place
	for _, i := range d.Imports {
		out.WriteString(i.Text)
		for _, line := range i.lines {
			from = append(from, place{i.file, line})
		}
		maps.Copy(locals, i.Locals)
		maps.Copy(localsAt, i.localsAt)
	}
	if len(locals) > 0 {
		out.WriteString("locals {\n")
		from = append(from, place{})
		for _, name := range slices.Sorted(maps.Keys(locals)) {
			fmt.Fprintf(&out, "  %s = %s\n", name, locals[name])
			for i := range strings.Count(locals[name], "\n") + 1 {
				from = append(from, place{localsAt[name].file, localsAt[name].line + i})
			}
		}
		out.WriteString("}\n")
	}
	return out.Bytes(), from
}

// needed returns the variables that import blocks need.
func (d *Definition) needed() map[string]bool {
	out := map[string]bool{}
	for _, i := range d.Imports {
		for _, name := range i.Variables {
			out[name] = true
		}
	}
	return out
}

// takeImports removes the import blocks from the files of the module, and reports whether there are
// any. What is in them is checked before, since nothing that was taken out of the files is checked
// later. Lines stay where they are. The digest is that of the files as they were.
func (m *Module) takeImports(c call) (bool, diagnostic.Diagnostics) {
	d, diags := Read(c.dir)
	if diags.HasErrors() || len(d.Imports) == 0 {
		return false, nil // read reports the errors
	}
	if diags := m.links(c); diags.HasErrors() {
		return false, diags
	}
	if d, diags = m.read(c); diags.HasErrors() {
		return false, diags
	}
	dir, err := filepath.EvalSymlinks(c.dir)
	if err != nil {
		return false, diagnostic.Errorf(NotFetched, "%s.", err)
	}
	m.imports = d.Imports
	for _, i := range d.Imports {
		if err := m.takeImport(filepath.Join(dir, i.file), i); err != nil {
			return false, diagnostic.Errorf(NotFetched, "%s.", err)
		}
	}
	return true, nil
}

func (m *Module) takeImport(path string, i Import) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if m.originals == nil {
		m.originals = map[string][]byte{}
	}
	if _, ok := m.originals[path]; !ok {
		m.originals[path] = slices.Clone(content)
	}
	for at := i.start; at < i.end && at < len(content); at++ {
		if content[at] != '\n' {
			content[at] = ' '
		}
	}
	if err := os.Remove(path); err != nil { // it may be a link, or read-only
		return err
	}
	return os.WriteFile(path, content, 0o600)
}
