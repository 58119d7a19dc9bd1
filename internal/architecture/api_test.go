package architecture_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// public are the trees whose packages may be imported by anybody.
var public = []string{"apis", "config", "generate", "program", "schema"}

// The exported API of each public package is in testdata/api, so that each change of it is seen in
// review.
func TestPublicAPI(t *testing.T) {
	for _, p := range publicPackages(t) {
		name := filepath.Join("api", strings.TrimPrefix(p.Path(), modulePath+"/")+".golden")
		golden.Check(t, name, []byte(strings.Join(api{p}.lines(), "\n")+"\n"))
	}
	if t.Failed() {
		t.Error("The exported API has changed. If that is meant, say so in CHANGELOG.md and run: go test " +
			"./internal/architecture -run TestPublicAPI -update")
	}
}

// Every golden file is of a package that exists.
func TestPublicAPIHasNoStaleFiles(t *testing.T) {
	want := map[string]bool{}
	for _, p := range publicPackages(t) {
		want[filepath.Join("testdata", "api", strings.TrimPrefix(p.Path(), modulePath+"/")+".golden")] = true
	}
	err := filepath.WalkDir(filepath.Join("testdata", "api"), func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !want[file] {
			t.Errorf("%s is of no public package: remove it", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whoever uses a public package can name all types that it has to do with: an internal type is in
// an exported signature only if a public package has an alias of it.
func TestPublicAPINamesNoInternalTypes(t *testing.T) {
	all := publicPackages(t)
	aliased := map[*types.TypeName]bool{}
	for _, p := range all {
		for _, name := range p.Scope().Names() {
			if o, ok := p.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && o.IsAlias() {
				if n, ok := types.Unalias(o.Type()).(*types.Named); ok {
					aliased[n.Obj()] = true
				}
			}
		}
	}
	for _, p := range all {
		for _, leak := range (api{p}).leaks(aliased) {
			t.Errorf("%s: add an alias of it to a public package, or use a type of that package", leak)
		}
	}
}

// publicPackages returns the packages of the public trees, without their function bodies.
func publicPackages(t *testing.T) []*types.Package {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export,DepOnly"}
	for _, tree := range public {
		args = append(args, "./"+tree+"/...")
	}
	decoder := json.NewDecoder(bytes.NewReader(goCommand(t, args...)))
	exports := map[string]string{}
	var paths []string
	for {
		var p struct {
			ImportPath, Export string
			DepOnly            bool
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			paths = append(paths, p.ImportPath)
		}
	}
	if len(paths) < len(public) {
		t.Fatalf("only the packages %q were found", paths)
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	out := make([]*types.Package, 0, len(paths))
	for _, path := range paths {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// api is the exported API of a package.
type api struct{ pkg *types.Package }

// lines returns one line for each constant, variable, function, type, field and method, sorted by
// the name of what is declared. Deep copies are left out.
func (a api) lines() []string {
	out := []string{"package " + strings.TrimPrefix(a.pkg.Path(), modulePath+"/")}
	for _, name := range a.pkg.Scope().Names() {
		o := a.pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Const:
			out = append(out, fmt.Sprintf("const %s %s = %s", name, a.typ(o.Type()), o.Val().ExactString()))
		case *types.Var:
			out = append(out, fmt.Sprintf("var %s %s", name, a.typ(o.Type())))
		case *types.Func:
			out = append(out, "func "+name+a.signature(o))
		case *types.TypeName:
			out = append(out, a.declaration(o)...)
		}
	}
	return out
}

// declaration returns the lines of a type. Of an alias of an internal type, they include its fields
// and methods, which are public by it.
func (a api) declaration(o *types.TypeName) []string {
	name, alias := o.Name(), ""
	if o.IsAlias() {
		alias = "= " + a.typ(types.Unalias(o.Type())) + " "
		if !internal(types.Unalias(o.Type())) {
			return []string{"type " + name + " " + strings.TrimSpace(alias)}
		}
	}
	var out []string
	switch u := o.Type().Underlying().(type) {
	case *types.Struct:
		out = append(out, "type "+name+" "+alias+"struct")
		hidden := false
		for i := range u.NumFields() {
			f := u.Field(i)
			if !f.Exported() {
				hidden = true
				continue
			}
			line := "field " + name + "." + f.Name() + " " + a.typ(f.Type())
			if f.Embedded() {
				line = "field " + name + " embeds " + a.typ(f.Type())
			}
			if tag := u.Tag(i); tag != "" {
				line += " `" + tag + "`"
			}
			out = append(out, line)
		}
		if hidden {
			out = append(out, "field "+name+" has unexported fields")
		}
	case *types.Interface:
		out = append(out, "type "+name+" "+alias+"interface")
		for i := range u.NumMethods() {
			out = append(out, "method "+name+"."+u.Method(i).Name()+a.signature(u.Method(i)))
		}
		return out
	default:
		out = append(out, "type "+name+" "+alias+a.typ(u))
	}
	for _, m := range methods(o.Type()) {
		receiver := name
		if _, ok := m.Signature().Recv().Type().(*types.Pointer); ok {
			receiver = "*" + name
		}
		out = append(out, "method ("+receiver+") "+m.Name()+a.signature(m))
	}
	return out
}

// methods returns the exported methods that are declared for a type, but for its deep copies.
func methods(t types.Type) []*types.Func {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	byName := map[string]*types.Func{}
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Exported() && !strings.HasPrefix(m.Name(), "DeepCopy") {
			byName[m.Name()] = m
		}
	}
	out := make([]*types.Func, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

// signature returns the parameters and results of a function. Results have no names here: the
// compiler's export data sometimes invents them.
func (a api) signature(f *types.Func) string {
	sig := f.Signature()
	if sig.TypeParams() == nil {
		var results []*types.Var
		for v := range sig.Results().Variables() {
			results = append(results, types.NewParam(token.NoPos, v.Pkg(), "", v.Type()))
		}
		sig = types.NewSignatureType(nil, nil, nil, sig.Params(), types.NewTuple(results...), sig.Variadic())
	}
	return strings.TrimPrefix(types.TypeString(sig, a.qualifier), "func")
}

func (a api) typ(t types.Type) string { return types.TypeString(t, a.qualifier) }

// qualifier returns how the package's API names another package: by its path, within this module by
// the path there.
func (a api) qualifier(p *types.Package) string {
	if p == a.pkg {
		return ""
	}
	return strings.TrimPrefix(p.Path(), modulePath+"/")
}

// internal reports whether a type is declared in an internal package of this module.
func internal(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && within(n.Obj().Pkg().Path(), modulePath+"/internal")
}

// leaks returns the internal types in the exported API that are not aliased, and where each is.
func (a api) leaks(aliased map[*types.TypeName]bool) []string {
	w := leakFinder{aliased: aliased, seen: map[types.Type]bool{}}
	for _, name := range a.pkg.Scope().Names() {
		o := a.pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		where := a.pkg.Path() + "." + name
		if o, ok := o.(*types.TypeName); ok {
			w.declaration(where, o.Type())
			continue
		}
		w.use(where, o.Type())
	}
	return w.out
}

type leakFinder struct {
	aliased map[*types.TypeName]bool
	seen    map[types.Type]bool
	out     []string
}

// declaration looks at what the declaration of a type makes public.
func (w *leakFinder) declaration(where string, t types.Type) {
	w.use(where, t.Underlying())
	for _, m := range methods(t) {
		w.use(where+"."+m.Name(), m.Signature())
	}
}

// use looks at a type that the API mentions.
func (w *leakFinder) use(where string, t types.Type) {
	t = types.Unalias(t)
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		if internal(t) && !w.aliased[t.Obj()] {
			w.out = append(w.out, fmt.Sprintf("%s has the internal type %s", where, t))
		}
		for arg := range t.TypeArgs().Types() {
			w.use(where, arg)
		}
	case *types.Pointer:
		w.use(where, t.Elem())
	case *types.Slice:
		w.use(where, t.Elem())
	case *types.Array:
		w.use(where, t.Elem())
	case *types.Chan:
		w.use(where, t.Elem())
	case *types.Map:
		w.use(where, t.Key())
		w.use(where, t.Elem())
	case *types.Signature:
		w.use(where, t.Params())
		w.use(where, t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			w.use(where, v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				w.use(where+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.use(where+"."+m.Name(), m.Signature())
		}
	}
}
