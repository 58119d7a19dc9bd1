package module

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/hcltext"
	"github.com/landbridge-io/landbridge/internal/text"
)

// fileFunctions are the functions whose first argument is the path of a file.
var fileFunctions = []string{
	"file", "filebase64", "filebase64sha256", "filebase64sha512", "fileexists", "filemd5", "filesha1", "filesha256", "filesha512",
	"fileset", "templatefile",
}

// otherFileFunctions are functions that read files in ways that cannot be checked.
var otherFileFunctions = map[string]string{
	"templatestring": "The template of templatestring may read any file. Write the template into the module",
	"direxists":      "The function direxists shows which folders there are. Remove it",
}

// maxPath bounds a path that is put together from locals, so that they cannot be made to take much
// memory.
const maxPath = 4096

// local is a local value whose text may be static.
type local struct {
	expression hclsyntax.Expression
	// text is the value once it is known. It is not static while it is being looked up, which ends
	// cycles.
	known, static bool
	text          string
}

// iteratorAttributes are those of the iterator of a dynamic block, which hides the local values of
// these names if the iterator, or the block, is named local.
var iteratorAttributes = []string{"key", "value"}

// readLocals reads the local values. One that is written in JSON, or more than once, is not static:
// which file a program reads, and which overrides another, depends on the program.
func (r *restrictions) readLocals(files []*hcl.File) {
	r.locals = map[string]*local{}
	for _, f := range files {
		content, _, _ := f.Body.PartialContent(localsBlocks)
		for _, b := range content.Blocks {
			attrs, _ := b.Body.JustAttributes()
			for name, a := range attrs {
				e, native := a.Expr.(hclsyntax.Expression)
				if r.locals[name] != nil || !native || slices.Contains(iteratorAttributes, name) {
					r.locals[name] = &local{known: true}
					continue
				}
				r.locals[name] = &local{expression: e}
			}
		}
	}
}

// calls checks the calls of functions under a node.
type calls struct {
	*restrictions
	// at, if set, replaces the position of calls.
	at *hcl.Range
}

// Enter implements hclsyntax.Walker.
func (c calls) Enter(n hclsyntax.Node) hcl.Diagnostics {
	switch n := n.(type) {
	case hclsyntax.ChildScope:
		c.hidden = append(c.hidden, n.LocalNames)
	case *hclsyntax.FunctionCallExpr:
		c.call(n, c.at)
	}
	return nil
}

// Exit implements hclsyntax.Walker.
func (c calls) Exit(n hclsyntax.Node) hcl.Diagnostics {
	if _, ok := n.(hclsyntax.ChildScope); ok {
		c.hidden = c.hidden[:len(c.hidden)-1]
	}
	return nil
}

// functions checks all calls of functions under a node. at, if set, replaces their position.
func (r *restrictions) functions(node hclsyntax.Node, at *hcl.Range) {
	_ = hclsyntax.Walk(node, calls{restrictions: r, at: at})
}

// call checks the call of a function.
func (r *restrictions) call(call *hclsyntax.FunctionCallExpr, at *hcl.Range) {
	where := call.NameRange
	if at != nil {
		where = *at
	}
	name := functionName(call)
	if why := otherFileFunctions[name]; why != "" {
		r.refuse(Files, where, "%s", why)
	}
	if slices.Contains(fileFunctions, name) {
		r.file(name, call, where)
	}
}

// functionName returns the name of a called function, without its namespace.
func functionName(call *hclsyntax.FunctionCallExpr) string {
	return call.Name[strings.LastIndex(call.Name, ":")+1:]
}

// jsonFunctions checks the functions in all texts of a file in JSON. Each may be a template, or a
// reference, such as that of the argument provider, whose index is an expression.
func (r *restrictions) jsonFunctions(content []byte, name string) {
	// hcltext.ParseJSON has refused what is not JSON by the standard.
	_ = hcltext.EachText(content, name, func(text []byte, at hcl.Pos) hcl.Diagnostics {
		where := &hcl.Range{Filename: name, Start: at}
		template, diags := hcltext.ParseTemplate(text, name)
		if !diags.HasErrors() { // otherwise Terraform cannot evaluate it either
			r.functions(template, where)
		}
		if !bytes.Contains(text, []byte("[")) {
			return nil
		}
		reference, diags := hcltext.ParseExpression(text, name)
		switch {
		case hcltext.Refused(diags):
			r.refuse(Files, *where, "A text cannot be checked: %s %s", diags[0].Summary, diags[0].Detail)
		case !diags.HasErrors() && refers(reference):
			r.functions(reference, where)
		}
		return nil
	})
}

// refers reports whether an expression is a reference with an index, and not just a text that is an
// expression, too.
func refers(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return refers(e.Expression)
	case *hclsyntax.IndexExpr, *hclsyntax.RelativeTraversalExpr, *hclsyntax.SplatExpr:
		return true
	}
	return false
}

// file checks the path that a call reads.
func (r *restrictions) file(name string, call *hclsyntax.FunctionCallExpr, at hcl.Range) {
	if slices.Contains(r.allow, Files) {
		return
	}
	if len(call.Args) == 0 || call.ExpandFinal {
		r.refuse(Files, at, "The path that %s reads is computed. Write it as \"${path.module}/…\"", name)
		return
	}
	for _, e := range alternatives(call.Args[0]) {
		path, whole, ok := r.path(e)
		switch {
		case !ok || !whole && (name == "fileset" || name == "templatefile"):
			r.refuse(Files, at, "The path that %s reads is computed. Write it as \"${path.module}/…\"; only the last part may be basename(…)", name)
			continue
		case !r.inside(path):
			r.refuse(Files, at, "%s reads %s, which is outside the module's folder. Write the path as \"${path.module}/…\"", name, quoted(path))
			continue
		}
		switch name {
		case "templatefile":
			r.template(path, at)
		case "fileset":
			r.pattern(call, at)
		}
	}
}

// alternatives returns the expressions that an expression may evaluate to.
func alternatives(e hclsyntax.Expression) []hclsyntax.Expression {
	switch x := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return alternatives(x.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return alternatives(x.Wrapped)
	case *hclsyntax.ConditionalExpr:
		return append(alternatives(x.TrueResult), alternatives(x.FalseResult)...)
	}
	return []hclsyntax.Expression{e}
}

// path returns the path that an expression evaluates to. If whole is false, the last part of the
// path is the result of basename, which is not a path that leads elsewhere: it has no slash, and a
// file cannot be named "..".
func (r *restrictions) path(e hclsyntax.Expression) (path string, whole, ok bool) {
	if text, ok := r.static(e); ok {
		return text, true, true
	}
	t, isTemplate := e.(*hclsyntax.TemplateExpr)
	if !isTemplate {
		return "", false, false
	}
	last := len(t.Parts) - 1
	call, isCall := t.Parts[last].(*hclsyntax.FunctionCallExpr)
	if !isCall || call.Name != "basename" {
		return "", false, false
	}
	text, ok := r.static(&hclsyntax.TemplateExpr{Parts: t.Parts[:last]})
	return text, false, ok && strings.HasSuffix(text, "/")
}

// static returns the text of an expression that consists of literals, path.module and such locals.
func (r *restrictions) static(e hclsyntax.Expression) (string, bool) {
	switch x := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		if x.Val.Type() == cty.String && x.Val.IsKnown() && !x.Val.IsNull() {
			return x.Val.AsString(), true
		}
	case *hclsyntax.ParenthesesExpr:
		return r.static(x.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return r.static(x.Wrapped)
	case *hclsyntax.TemplateExpr:
		var b strings.Builder
		for _, part := range x.Parts {
			text, ok := r.static(part)
			if !ok || b.Len()+len(text) > maxPath {
				return "", false
			}
			b.WriteString(text)
		}
		return b.String(), true
	case *hclsyntax.ScopeTraversalExpr:
		if len(x.Traversal) != 2 {
			return "", false
		}
		attribute, ok := x.Traversal[1].(hcl.TraverseAttr)
		switch {
		case !ok || r.hides(x.Traversal.RootName()):
		case x.Traversal.RootName() == "path" && attribute.Name == "module":
			return r.dir, r.dir != ""
		case x.Traversal.RootName() == "local":
			return r.local(attribute.Name)
		}
	}
	return "", false
}

// hides reports whether a name is that of a variable of a for expression around.
func (r *restrictions) hides(name string) bool {
	return slices.ContainsFunc(r.hidden, func(names map[string]struct{}) bool { _, ok := names[name]; return ok })
}

func (r *restrictions) local(name string) (string, bool) {
	l := r.locals[name]
	if l == nil {
		return "", false
	}
	if !l.known {
		l.known = true
		hidden := r.hidden
		r.hidden = nil // it is elsewhere
		l.text, l.static = r.static(l.expression)
		r.hidden = hidden
	}
	return l.text, l.static
}

// inside reports whether a path is in the package of the module. The history of a repository is
// not.
func (r *restrictions) inside(path string) bool {
	return filepath.IsAbs(path) && within(r.root, filepath.Clean(path))
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel) && !slices.Contains(strings.Split(rel, string(filepath.Separator)), ".git")
}

// template checks the functions in a template file.
func (r *restrictions) template(path string, at hcl.Range) {
	content, err := hcltext.ReadFile(path)
	if err != nil {
		return // Terraform cannot read it either
	}
	name := filepath.Base(path)
	if rel, err := filepath.Rel(r.dir, path); err == nil {
		name = rel
	}
	parsed, diags := hcltext.ParseTemplate(content, name)
	switch {
	case hcltext.Refused(diags):
		r.refuse(Files, at, "%s cannot be checked: %s %s", name, diags[0].Summary, diags[0].Detail)
		return
	case diags.HasErrors():
		return // Terraform cannot evaluate it either
	}
	// There is no path.module in it.
	inner := &restrictions{allow: r.allow, root: r.root, module: r.module}
	inner.functions(parsed, nil)
	r.diags = append(r.diags, inner.diags...)
}

// pattern checks the pattern of fileset.
func (r *restrictions) pattern(call *hclsyntax.FunctionCallExpr, at hcl.Range) {
	if len(call.Args) < 2 {
		return
	}
	if text, ok := r.static(call.Args[1]); !ok || strings.Contains(text, "..") || strings.Contains(text, ".git") ||
		strings.Contains(text, `\`) {
		r.refuse(Files, at, "The pattern of fileset is computed, or leads out of the module's folder. Write it as a "+
			"text without \"..\" and backslashes")
	}
}

// quoted returns a path for a message: short, and without characters that do not print.
func quoted(path string) string {
	return fmt.Sprintf("%q", text.Shorten(path, 100))
}
