package module

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/hcltext"
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

// maxPath bounds a path that is put together from locals, so that they cannot be made to take much memory.
const maxPath = 4096

// local is a local value whose text may be static.
type local struct {
	expression hclsyntax.Expression
	// text is the value once it is known. It is not static while it is being looked up, which ends cycles.
	known, static bool
	text          string
}

// readLocals reads the local values in Terraform's own syntax.
func (r *restrictions) readLocals(files []*hcl.File) {
	r.locals = map[string]*local{}
	for _, f := range files {
		body, ok := f.Body.(*hclsyntax.Body)
		if !ok {
			continue
		}
		for _, b := range body.Blocks {
			if b.Type != "locals" {
				continue
			}
			for name, a := range b.Body.Attributes {
				r.locals[name] = &local{expression: a.Expr}
			}
		}
	}
}

// functions checks all calls of functions under a node. at, if set, replaces their position.
func (r *restrictions) functions(node hclsyntax.Node, at *hcl.Range) {
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		call, ok := n.(*hclsyntax.FunctionCallExpr)
		if !ok {
			return nil
		}
		where := call.NameRange
		if at != nil {
			where = *at
		}
		name := call.Name[strings.LastIndex(call.Name, ":")+1:]
		if why := otherFileFunctions[name]; why != "" {
			r.refuse(Files, where, "%s", why)
		}
		if slices.Contains(fileFunctions, name) {
			r.file(name, call, where)
		}
		return nil
	})
}

// jsonFunctions checks the functions in all texts of a file in JSON, each of which may be a template.
func (r *restrictions) jsonFunctions(content []byte, name string) {
	// hcltext.ParseJSON has refused what is not JSON by the standard.
	_ = hcltext.EachTemplate(content, name, func(text []byte, at hcl.Pos) hcl.Diagnostics {
		template, diags := hcltext.ParseTemplate(text, name)
		if !diags.HasErrors() { // otherwise Terraform cannot evaluate it either
			r.functions(template, &hcl.Range{Filename: name, Start: at})
		}
		return nil
	})
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

// path returns the path that an expression evaluates to. If whole is false, the last part of the path is the result of
// basename, which is not a path that leads elsewhere: it has no slash, and a file cannot be named "..".
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
		case !ok:
		case x.Traversal.RootName() == "path" && attribute.Name == "module":
			return r.dir, r.dir != ""
		case x.Traversal.RootName() == "local":
			return r.local(attribute.Name)
		}
	}
	return "", false
}

func (r *restrictions) local(name string) (string, bool) {
	l := r.locals[name]
	if l == nil {
		return "", false
	}
	if !l.known {
		l.known = true
		l.text, l.static = r.static(l.expression)
	}
	return l.text, l.static
}

// inside reports whether a path is in the package of the module. The history of a repository is not.
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
	if text, ok := r.static(call.Args[1]); !ok || strings.Contains(text, "..") || strings.Contains(text, ".git") || strings.Contains(text, `\`) {
		r.refuse(Files, at, "The pattern of fileset is computed, or leads out of the module's folder. Write it as a text without \"..\" and backslashes")
	}
}

// quoted returns a path for a message: short, and without characters that do not print.
func quoted(path string) string {
	if len(path) > 100 {
		path = path[:100] + "…"
	}
	return fmt.Sprintf("%q", path)
}
