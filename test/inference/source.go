package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// idKind is a kind of id: the package that has it, without its API version, and its name, as in
// commonids.Subnet.
type idKind string

// argument is an argument of a resource type, by its name without the blocks that it is in.
type argument struct{ resourceType, name string }

// facts are what the source says about ids.
type facts struct {
	// arguments are those whose value must be an id. The kind is empty for names of arguments in
	// several blocks that take different ids.
	arguments map[argument]idKind
	// owners are the ids of the objects of resource types.
	owners map[string]idKind
}

// readSource reads the Go files of a provider.
func readSource(dir string) (*facts, error) {
	constructors := map[string]string{} // resource types, by the package and function that makes them
	var files []*source
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.Contains(name, "data_source") {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, raw, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := &source{dir: filepath.Dir(name), file: f, imports: importsOf(f)}
		maps.Copy(constructors, s.registered())
		files = append(files, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &facts{arguments: map[argument]idKind{}, owners: map[string]idKind{}}
	for _, s := range files {
		if resourceType := s.resourceType(constructors); resourceType != "" {
			s.read(resourceType, out)
		}
	}
	return out, nil
}

// source is a Go file.
type source struct {
	dir     string
	file    *ast.File
	imports map[string]string
}

var version = regexp.MustCompile(`^(v[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|kermit|sdk|[0-9]+\.[0-9]+)$`)

// importsOf returns the last elements of the paths of imported packages, by their names in the
// file.
func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		parts := strings.Split(p, "/")
		kept := parts[:0]
		for _, part := range parts {
			if !version.MatchString(part) {
				kept = append(kept, part)
			}
		}
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		out[name] = strings.Join(kept[max(0, len(kept)-2):], "/")
	}
	return out
}

// registered returns the resource types that a file registers, by the functions that make them.
func (s *source) registered() map[string]string {
	out := map[string]string{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if call, ok := pair.Value.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && strings.HasPrefix(text(pair.Key), "azurerm_") {
				out[s.dir+"."+f.Name] = text(pair.Key)
			}
		}
		return true
	})
	return out
}

// resourceType returns the resource type that a file implements; empty if there is none, or more
// than one.
func (s *source) resourceType(constructors map[string]string) (found string) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		name := constructors[s.dir+"."+f.Name.Name]
		if f.Name.Name == "ResourceType" && len(f.Body.List) == 1 {
			if r, ok := f.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
				name = text(r.Results[0])
			}
		}
		if name != "" && found != "" && name != found {
			return ""
		}
		if name != "" {
			found = name
		}
	}
	return found
}

// read adds what a file says about a resource type.
func (s *source) read(resourceType string, out *facts) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Name.Name == "IDValidationFunc" && f.Body != nil {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
					s.own(resourceType, r.Results[0], out)
				}
				return true
			})
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(f.Sel.Name, "ImporterValidating") && len(n.Args) > 0 {
				ast.Inspect(n.Args[0], func(n ast.Node) bool {
					if x, ok := n.(ast.Expr); ok {
						s.own(resourceType, x, out)
					}
					return true
				})
			}
		case *ast.KeyValueExpr:
			if name := text(n.Key); name != "" {
				if kind := s.required(n.Value); kind != "" {
					at := argument{resourceType, name}
					if known, ok := out.arguments[at]; ok && known != kind {
						kind = ""
					}
					out.arguments[at] = kind
				}
			}
		}
		return true
	})
}

// own notes the kind of the ids of a resource type's objects.
func (s *source) own(resourceType string, x ast.Expr, out *facts) {
	if kind := s.kind(x); kind != "" && out.owners[resourceType] == "" {
		out.owners[resourceType] = kind
	}
}

// required returns the kind of id that the value of an argument must be.
func (s *source) required(x ast.Expr) (kind idKind) {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		return s.required(x.X)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch key, _ := pair.Key.(*ast.Ident); {
			case key == nil:
			case key.Name == "ValidateFunc":
				kind = s.kind(pair.Value)
			case key.Name == "Elem":
				if list := s.required(pair.Value); list != "" {
					kind = list
				}
			}
		}
	case *ast.CallExpr: // commonschema.ResourceIDReferenceRequired(&commonids.SubnetId{})
		f, ok := x.Fun.(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(f.Sel.Name, "ResourceIDReference") || strings.Contains(f.Sel.Name, "Computed") {
			return ""
		}
		for _, a := range x.Args {
			if u, ok := a.(*ast.UnaryExpr); ok {
				a = u.X
			}
			if literal, ok := a.(*ast.CompositeLit); ok {
				return s.kind(literal.Type)
			}
		}
	}
	return kind
}

var idFunction = regexp.MustCompile(`^(?:Validate|Parse)?([A-Z]\w*?)(?:ID|Id)(?:Insensitively)?$`)

// kind returns the kind of id that an expression such as commonids.ValidateSubnetID is about.
func (s *source) kind(x ast.Expr) idKind {
	if call, ok := x.(*ast.CallExpr); ok {
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && len(call.Args) == 1 {
			if kind := s.kind(f); kind != "" {
				return kind
			}
			return s.kind(call.Args[0])
		}
	}
	f, ok := x.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	p, ok := f.X.(*ast.Ident)
	m := idFunction.FindStringSubmatch(f.Sel.Name)
	if !ok || m == nil || general[m[1]] {
		return ""
	}
	from := s.imports[p.Name]
	if from == "" {
		return ""
	}
	// The provider's own packages have the same names in both.
	from = strings.TrimSuffix(strings.TrimSuffix(from, "/validate"), "/parse")
	return idKind(path.Base(from) + "." + m[1])
}

// general are the names of functions that accept ids of any kind, or those of something inside an
// object.
var general = map[string]bool{
	"Resource": true, "NestedItem": true, "VersionlessNestedItem": true, "Subscription": true, "AsGenerated": true,
}

// text returns the value of a string literal.
func text(x ast.Expr) string {
	literal, ok := x.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	out, _ := strconv.Unquote(literal.Value)
	return out
}
