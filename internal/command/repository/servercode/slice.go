package servercode

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// slicer takes the statements out of a function that an expression depends on.
type slicer struct {
	*source
	fset *token.FileSet
	out  *file
	// begin and end are those of the function.
	begin, end token.Pos
	// needed are variables of the function that what is taken refers to. Contexts and errors are
	// kept apart: a server is made in a context of its own, and New returns each error.
	needed, contexts, errors map[types.Object]bool
	// helpers are functions of the main package.
	helpers map[*types.Func]bool
}

func newSlicer(s *source, fset *token.FileSet, out *file) *slicer {
	return &slicer{
		source: s, fset: fset, out: out,
		needed: map[types.Object]bool{}, contexts: map[types.Object]bool{}, errors: map[types.Object]bool{}, helpers: map[*types.Func]bool{},
	}
}

// follow writes the statements that the expression depends on, and returns it as source code.
func (s *slicer) follow(e ast.Expr, enclosing []ast.Node) (string, error) {
	s.begin, s.end = enclosing[0].Pos(), enclosing[0].End()
	if err := s.need(e); err != nil {
		return "", err
	}
	var taken []ast.Stmt
	for _, stmt := range slices.Backward(before(e, enclosing)) {
		if !s.matters(stmt) {
			continue
		}
		if err := s.need(stmt); err != nil {
			return "", err
		}
		taken = append(taken, stmt)
	}
	slices.Reverse(taken)
	if err := s.checkDefined(taken, e); err != nil {
		return "", err
	}
	s.dropUnused(taken, e)
	s.prologue(taken, e)
	for _, stmt := range taken {
		if err := s.returns(stmt); err != nil {
			return "", err
		}
		text, err := s.text(stmt)
		if err != nil {
			return "", err
		}
		s.out.statements = append(s.out.statements, text)
		if name := s.failsWith(stmt); name != "" {
			s.out.statements = append(s.out.statements, fmt.Sprintf("if %s != nil { return nil, %[1]s }", name))
		}
	}
	return s.text(e)
}

// before returns the statements that are executed before the one with the expression, in all blocks
// around it.
func before(e ast.Expr, enclosing []ast.Node) []ast.Stmt {
	var out []ast.Stmt
	for _, n := range enclosing {
		switch n := n.(type) {
		case *ast.BlockStmt:
			i := slices.IndexFunc(n.List, func(s ast.Stmt) bool { return s.Pos() <= e.Pos() && e.End() <= s.End() })
			out = append(out, n.List[:max(i, 0)]...)
		case *ast.IfStmt:
			if n.Init != nil && n.Init.End() < e.Pos() {
				out = append(out, n.Init)
			}
		}
	}
	return out
}

// matters reports whether a statement mentions a variable that is needed. Deferred calls end what
// the program does, and goroutines are beside it.
func (s *slicer) matters(stmt ast.Stmt) bool {
	switch stmt.(type) {
	case *ast.DeferStmt, *ast.GoStmt:
		return false
	}
	return s.mentions(stmt, func(o types.Object) bool { return s.needed[o] })
}

func (s *slicer) mentions(n ast.Node, is func(types.Object) bool) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := s.info.ObjectOf(id); o != nil && is(o) {
				found = true
			}
		}
		return !found
	})
	return found
}

// need records what a node refers to, and replaces what exists only in the main package.
func (s *slicer) need(n ast.Node) error {
	var problems []error
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch o := s.info.ObjectOf(id).(type) {
		case *types.PkgName:
			id.Name = s.out.use(o.Imported().Path(), o.Name())
		case *types.Var:
			switch {
			case o.IsField():
			case o.Parent() == s.pkg.Scope():
				problems = append(problems, s.replaceVariable(id, o))
			case o.Pos() < s.begin || o.Pos() > s.end || o.Pkg() != s.pkg: // of another package or function
			case types.TypeString(o.Type(), nil) == "context.Context":
				s.contexts[o] = true
			case types.TypeString(o.Type(), nil) == "error":
				s.errors[o] = true
			default:
				s.needed[o] = true
			}
		case *types.Const:
			if o.Parent() == s.pkg.Scope() {
				id.Name = literal(o.Val())
			}
		case *types.TypeName:
			if o.Parent() == s.pkg.Scope() {
				problems = append(problems, fmt.Errorf("it uses the type %s of the main package", o.Name()))
			}
		case *types.Func:
			if o.Parent() == s.pkg.Scope() {
				problems = append(problems, s.helper(o))
			}
		}
		return true
	})
	return errors.Join(problems...)
}

// within reports whether a variable is defined within a node.
func (*slicer) within(o types.Object, n ast.Node) bool {
	return n.Pos() <= o.Pos() && o.Pos() < n.End()
}

// replaceVariable replaces a variable of the main package, such as the version that the linker
// sets.
func (s *slicer) replaceVariable(id *ast.Ident, v *types.Var) error {
	if b, ok := v.Type().Underlying().(*types.Basic); !ok || b.Kind() != types.String {
		return fmt.Errorf("it uses the variable %s of the main package", v.Name())
	}
	if strings.Contains(strings.ToLower(v.Name()), "version") {
		id.Name = "version"
		return nil
	}
	id.Name = `""`
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, name := range spec.Names {
				if s.info.Defs[name] == v && i < len(spec.Values) {
					if value := s.info.Types[spec.Values[i]].Value; value != nil {
						id.Name = literal(value)
					}
				}
			}
			return true
		})
	}
	return nil
}

// literal returns a constant as source code.
func literal(v constant.Value) string {
	if v.Kind() == constant.String {
		return strconv.Quote(constant.StringVal(v))
	}
	return v.ExactString()
}

// helper takes a whole function of the main package.
func (s *slicer) helper(f *types.Func) error {
	if s.helpers[f] {
		return nil
	}
	s.helpers[f] = true
	for _, file := range s.files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || s.info.Defs[decl.Name] != f {
				continue
			}
			if s.mentions(decl, func(o types.Object) bool { v, ok := o.(*types.Var); return ok && v.Parent() == s.pkg.Scope() }) {
				return fmt.Errorf("its function %s uses variables of the main package", f.Name())
			}
			inner := newSlicer(s.source, s.fset, s.out)
			inner.helpers = s.helpers
			if err := inner.need(decl); err != nil {
				return err
			}
			decl.Doc = nil
			text, err := s.text(decl)
			s.out.declarations = append(s.out.declarations, text)
			return err
		}
	}
	return fmt.Errorf("its function %s has no source", f.Name())
}

// checkDefined returns an error if something is needed that no statement defines, such as a
// parameter.
func (s *slicer) checkDefined(taken []ast.Stmt, e ast.Expr) error {
	for o := range s.needed {
		if s.within(o, e) || slices.ContainsFunc(taken, func(stmt ast.Stmt) bool { return s.within(o, stmt) }) {
			continue
		}
		return fmt.Errorf("%s of its function is given by the caller", o.Name())
	}
	return nil
}

// dropUnused replaces variables that statements define and nothing uses, such as the function that
// cancels a context, by the blank identifier.
func (s *slicer) dropUnused(taken []ast.Stmt, e ast.Expr) {
	uses := map[types.Object]int{}
	nodes := []ast.Node{e}
	for _, stmt := range taken {
		nodes = append(nodes, stmt)
	}
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := s.info.Uses[id]; o != nil {
					uses[o]++
				}
			}
			return true
		})
	}
	for _, stmt := range taken {
		if a, ok := stmt.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, l := range a.Lhs {
				if id, ok := l.(*ast.Ident); ok && s.info.Defs[id] != nil && uses[s.info.Defs[id]] == 0 && !s.errors[s.info.Defs[id]] {
					id.Name = "_"
				}
			}
		}
	}
}

// prologue writes the contexts and errors that the statements refer to and do not define.
func (s *slicer) prologue(taken []ast.Stmt, e ast.Expr) {
	var lines []string
	defined := func(o types.Object) bool {
		return s.within(o, e) || slices.ContainsFunc(taken, func(stmt ast.Stmt) bool { return s.within(o, stmt) })
	}
	for o := range s.contexts {
		if !defined(o) {
			lines = append(lines, fmt.Sprintf("%s := %s.Background()", o.Name(), s.out.use("context", "context")))
		}
	}
	for o := range s.errors {
		if !defined(o) {
			lines = append(lines, "var "+o.Name()+" error")
		}
	}
	slices.Sort(lines)
	s.out.statements = append(s.out.statements, slices.Compact(lines)...)
}

// returns has the return statements within a statement return no server.
func (s *slicer) returns(stmt ast.Stmt) (err error) {
	ast.Inspect(stmt, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) != 1 || types.TypeString(s.info.TypeOf(n.Results[0]), nil) != "error" {
				err = errors.New("it returns before its server is made")
				return false
			}
			n.Results = []ast.Expr{ast.NewIdent("nil"), n.Results[0]}
			return false
		}
		return true
	})
	return err
}

// failsWith returns the name of the error that a statement assigns.
func (s *slicer) failsWith(stmt ast.Stmt) string {
	a, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return ""
	}
	for _, l := range a.Lhs {
		if id, ok := l.(*ast.Ident); ok && id.Name != "_" && types.TypeString(s.info.TypeOf(id), nil) == "error" {
			return id.Name
		}
	}
	return ""
}

func (s *slicer) text(n any) (string, error) {
	var b bytes.Buffer
	err := format.Node(&b, s.fset, n)
	return b.String(), err
}
