package servercode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Packages are packages and what they depend on, compiled. It must not be used concurrently.
type Packages struct {
	fset     *token.FileSet
	listed   map[string]*listed
	importer types.Importer
}

// listed is what the go command knows of a package.
type listed struct {
	ImportPath, Name, Dir, Export string
	GoFiles                       []string
}

// Load compiles packages of the module in a directory.
func Load(ctx context.Context, dir string, paths ...string) (*Packages, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles", "--"}, paths...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list %s: %w\n%s", strings.Join(paths, " "), err, bytes.TrimSpace(problems.Bytes()))
	}
	p := &Packages{fset: token.NewFileSet(), listed: map[string]*listed{}}
	for d := json.NewDecoder(&out); ; {
		l := &listed{}
		if err := d.Decode(l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", strings.Join(paths, " "), err)
		}
		p.listed[l.ImportPath] = l
	}
	p.importer = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		l := p.listed[path]
		if l == nil || l.Export == "" {
			return nil, fmt.Errorf("package %s was not compiled", path)
		}
		return os.Open(l.Export)
	})
	return p, nil
}

// source is a package with its syntax.
type source struct {
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// source parses a package.
func (p *Packages) source(path string) (*source, error) {
	l := p.listed[path]
	if l == nil {
		return nil, fmt.Errorf("there is no package %s", path)
	}
	s := &source{info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(p.fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	var err error
	s.pkg, err = (&types.Config{Importer: p.importer}).Check(path, p.fset, s.files, s.info)
	return s, err
}

// lookup returns a type of a package that was compiled, or nil.
func (p *Packages) lookup(path, name string) types.Type {
	if l := p.listed[path]; l == nil || l.Export == "" {
		return nil
	}
	pkg, err := p.importer.Import(path)
	if err != nil {
		return nil
	}
	if o := pkg.Scope().Lookup(name); o != nil {
		return o.Type()
	}
	return nil
}
