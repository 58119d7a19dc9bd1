package servercode

import (
	"errors"
	"fmt"
	"go/types"
	"path"
	"strings"
)

// Function is a function of a package, as in github.com/acme/terraform-provider-cloud/provider.New.
type Function struct{ Package, Name string }

// ParseFunction parses PACKAGE.FUNCTION.
func ParseFunction(s string) (Function, error) {
	dir, last := path.Split(s)
	pkg, name, ok := strings.Cut(last, ".")
	if i := strings.LastIndex(last, "."); i >= 0 { // gopkg.in/yaml.v3.New
		pkg, name = last[:i], last[i+1:]
	}
	if !ok || pkg == "" || name == "" || dir == "" {
		return Function{}, fmt.Errorf("%q is not PACKAGE.FUNCTION, such as github.com/acme/terraform-provider-cloud/provider.New", s)
	}
	return Function{Package: dir + pkg, Name: name}, nil
}

func (f Function) String() string { return f.Package + "." + f.Name }

// Functions returns code that makes servers of a protocol by functions of the provider's packages.
// Several are muxed.
func (p *Packages) Functions(functions []Function, protocol int) (*Code, error) {
	var names []string
	for _, f := range functions {
		names = append(names, f.String())
	}
	out := p.newFile(protocol, strings.Join(names, " and "))
	var factories []string
	for i, f := range functions {
		factory, err := p.call(out, f, fmt.Sprintf("made%d", i+1))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		factories = append(factories, factory)
	}
	return out.code(factories)
}

// call writes the call of a function, and returns a factory of what it makes.
func (p *Packages) call(out *file, f Function, name string) (string, error) {
	pkg, err := p.importer.Import(f.Package)
	if err != nil {
		return "", err
	}
	o, ok := pkg.Scope().Lookup(f.Name).(*types.Func)
	if !ok || !o.Exported() {
		return "", errors.New("the package has no such exported function")
	}
	if pkg.Name() == "main" {
		return "", errors.New("it is in a main package, which no other package can import")
	}
	signature := o.Signature()
	var args []string
	for v := range signature.Params().Variables() {
		switch t := types.TypeString(v.Type(), nil); {
		case signature.Variadic() && v == signature.Params().At(signature.Params().Len()-1):
		case t == "context.Context":
			args = append(args, out.use("context", "context")+".Background()")
		case t == "string":
			args = append(args, "version")
		default:
			return "", fmt.Errorf("it has a parameter of type %s; a context and the provider's version, a string, are all that is known", t)
		}
	}
	var names []string
	var made kind
	var function, fails bool
	for v := range signature.Results().Variables() {
		k, isFunction := p.kindOf(v.Type())
		switch {
		case k != nothing && made == nothing:
			made, function = k, isFunction
			names = append(names, name)
		case types.TypeString(v.Type(), nil) == "error":
			fails = true
			names = append(names, "err")
		default:
			names = append(names, "_")
		}
	}
	out.statements = append(out.statements,
		fmt.Sprintf("%s := %s.%s(%s)", strings.Join(names, ", "), out.use(f.Package, pkg.Name()), f.Name,
			strings.Join(args, ", ")))
	if fails {
		out.statements = append(out.statements, check)
	}
	return out.factory(name, made, function)
}
