package servercode

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// ErrUnclear means that a main package does not show how it makes its server.
var ErrUnclear = errors.New("the provider's main package does not show which functions make its server")

// errOldest means that a provider has no server that can be linked.
var errOldest = errors.New("the provider is on version 1 of Terraform's SDK, whose servers cannot be linked into another program")

// oldest are the packages that serve such providers. The second is from before the SDK was divided
// from Terraform.
var oldest = []string{"github.com/hashicorp/terraform-plugin-sdk/plugin", "github.com/hashicorp/terraform/plugin"}

// Main returns code that makes servers of a protocol as a main package does.
func (p *Packages) Main(path string, protocol int) (*Code, error) {
	s, err := p.source(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	served, enclosing := s.served()
	if served == nil {
		if slices.ContainsFunc(s.pkg.Imports(), func(i *types.Package) bool { return slices.Contains(oldest, i.Path()) }) {
			return nil, errOldest
		}
		return nil, fmt.Errorf("%w: it calls none of the functions that serve providers", ErrUnclear)
	}
	out := p.newFile(protocol, path)
	slice := newSlicer(s, p.fset, out)
	expression, err := slice.follow(served, enclosing)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	k, function := p.kindOf(s.info.TypeOf(served))
	if !function {
		return nil, fmt.Errorf("%w: a %s is served", ErrUnclear, s.info.TypeOf(served))
	}
	factory, err := out.factory(expression, k, function)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return out.code([]string{factory})
}

// servers are the functions that serve a provider, with the index of the argument that makes it.
func servers() map[string]int {
	return map[string]int{
		frameworkServer + ".Serve":                1,
		fmt.Sprintf(protocolServer, 5) + ".Serve": 1,
		fmt.Sprintf(protocolServer, 6) + ".Serve": 1,
	}
}

// legacyFields are the fields of plugin.ServeOpts of the legacy SDK that make a provider.
var legacyFields = []string{"GRPCProviderV6Func", "GRPCProviderFunc", "ProviderFunc"}

// served returns the first expression that makes what the program serves, and the nodes around it
// from its function on.
func (s *source) served() (found ast.Expr, enclosing []ast.Node) {
	all := servers()
	for _, f := range s.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			var around []ast.Node
			ast.Inspect(fn, func(n ast.Node) bool {
				if n == nil {
					around = around[:len(around)-1]
					return true
				}
				around = append(around, n)
				if e := s.servedBy(n, all); e != nil && found == nil {
					found, enclosing = e, slices.Clone(around)
				}
				return true
			})
			if found != nil {
				return found, enclosing
			}
		}
	}
	return nil, nil
}

// servedBy returns what a node serves, or nil.
func (s *source) servedBy(n ast.Node, all map[string]int) ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if f, ok := s.info.Uses[selector.Sel].(*types.Func); ok {
			if i, ok := all[f.FullName()]; ok && i < len(n.Args) {
				return n.Args[i]
			}
		}
	case *ast.KeyValueExpr: // plugin.ServeOpts{ProviderFunc: …}
		if key, ok := n.Key.(*ast.Ident); ok && s.legacyField(key) {
			return n.Value
		}
	case *ast.AssignStmt: // opts.ProviderFunc = …
		if selector, ok := n.Lhs[0].(*ast.SelectorExpr); ok && n.Tok == token.ASSIGN && s.legacyField(selector.Sel) {
			return n.Rhs[0]
		}
	}
	return nil
}

func (s *source) legacyField(name *ast.Ident) bool {
	v, ok := s.info.Uses[name].(*types.Var)
	return ok && v.IsField() && v.Pkg().Path() == legacyServer && slices.Contains(legacyFields, v.Name())
}
