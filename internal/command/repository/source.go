package repository

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// goModule is the Go module of a provider.
type goModule struct {
	// Path and Version of the module. Dir is the directory of a checkout, whose version is v0.0.0;
	// empty: the module is downloaded.
	Path, Version, Dir string
	// Source is the directory with its code, and its documentation.
	Source string
	// replaced are the replacements of its go.mod, which apply only where it is the main module.
	replaced []*modfile.Replace
}

// build builds the provider's program from its Go module, in a separate module, so that the
// provider's dependencies do not mix with those of the repository.
func (p ProviderSource) build(ctx context.Context, to directories, f *facts) (binary string, m *goModule, err error) {
	var add []string // arguments of the go command
	if f.Package, add, m, err = p.find(ctx); err != nil {
		return "", nil, err
	}
	if f.Provider, err = p.name(f.Package); err != nil {
		return "", nil, err
	}
	nested := filepath.Join(to.repository, "provider")
	file, err := newModFile(f.Module+"/provider", "// The Terraform provider, in a module of its own: what it "+
		"depends on does not mix with what the\n// repository does.")
	if err != nil {
		return "", nil, err
	}
	if m.Dir != "" {
		f.Checkout = m.Dir
		if err := errors.Join(m.require(file), file.AddTool(f.Package)); err != nil {
			return "", nil, err
		}
	}
	for _, r := range m.replaced {
		if err := file.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version); err != nil {
			return "", nil, err
		}
	}
	if err := writeModFile(nested, file); err != nil {
		return "", nil, err
	}
	if err := run(ctx, nested, "go", add...); err != nil {
		return "", nil, err
	}
	if m.Dir == "" {
		out, err := output(ctx, nested, "go", "list", "-f", "{{.Module.Version}}", f.Package)
		if err != nil {
			return "", nil, err
		}
		m.Version = strings.TrimSpace(string(out))
	}
	if f.Version = p.Version; f.Version == "" {
		f.Version = strings.TrimPrefix(m.Version, "v")
	}
	binary = filepath.Join(to.programs, "terraform-provider-"+f.Provider)
	// As the Makefile does it.
	return binary, m, run(ctx, nested, "go", "build", "-ldflags=-s -w", "-o", binary, f.Package)
}

// name returns the provider's name, which is at the end of the import path of its program unless it
// is given.
func (p ProviderSource) name(pkg string) (string, error) {
	if p.Name != "" {
		return p.Name, nil
	}
	prefix, _, ok := module.SplitPathVersion(pkg)
	if !ok {
		prefix = pkg
	}
	m := program.FindStringSubmatch(path.Base(prefix))
	if m == nil {
		return "", fmt.Errorf("%s does not contain the provider's name in the form terraform-provider-NAME: give "+
			"the provider's name, with --provider-name", pkg)
	}
	return m[1], nil
}

// find finds the provider's module, and returns the arguments with which the go command adds it to
// another one.
func (p ProviderSource) find(ctx context.Context) (pkg string, add []string, m *goModule, err error) {
	if info, err := os.Stat(p.From); err == nil && info.IsDir() {
		return p.checkout(ctx)
	}
	pkg, version, _ := strings.Cut(p.From, "@")
	if err := module.CheckImportPath(pkg); err != nil {
		return "", nil, nil, fmt.Errorf("the provider %s: %w", p.From, err)
	}
	if _, err := p.name(pkg); err != nil {
		return "", nil, nil, err
	}
	m = &goModule{}
	var first error
	for at := pkg; at != "." && at != "/"; at = path.Dir(at) {
		out, err := output(ctx, os.TempDir(), "go", "mod", "download", "-json", at+"@"+version)
		if err != nil {
			if first == nil {
				first = downloadError(out, err)
			}
			continue
		}
		var found struct{ Path, Version, GoMod, Dir string }
		if err := json.Unmarshal(out, &found); err != nil {
			return "", nil, nil, err
		}
		m.Path, m.Version, m.Source = found.Path, found.Version, found.Dir
		m.replaced, err = replacements(found.GoMod, "")
		return pkg, []string{"get", "-tool", pkg + "@" + version}, m, err
	}
	return "", nil, nil, fmt.Errorf("the provider %s: %w", p.From, first)
}

// downloadError returns the error in the output of go mod download, which is shorter.
func downloadError(out []byte, err error) error {
	var answer struct{ Error string }
	if json.Unmarshal(out, &answer) == nil && answer.Error != "" {
		return errors.New(answer.Error)
	}
	return err
}

// checkout finds the module of a main package in a directory.
func (p ProviderSource) checkout(ctx context.Context) (pkg string, add []string, m *goModule, err error) {
	if p.Version == "" {
		return "", nil, nil, fmt.Errorf("the code in %s has no version: give the provider's version, with --provider-version", p.From)
	}
	out, err := output(ctx, p.From, "go", "list", "-json=Name,ImportPath,Module", ".")
	if err != nil {
		return "", nil, nil, fmt.Errorf("the provider in %s: %w", p.From, err)
	}
	var found struct {
		Name, ImportPath string
		Module           *struct{ Path, Dir, GoMod string }
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return "", nil, nil, err
	}
	if found.Name != "main" || found.Module == nil {
		return "", nil, nil,
			fmt.Errorf("the package in %s is not a program: give the directory of the provider's main package, "+
				"with --provider", p.From)
	}
	m = &goModule{Path: found.Module.Path, Version: "v0.0.0", Dir: found.Module.Dir, Source: found.Module.Dir}
	m.replaced, err = replacements(found.Module.GoMod, m.Dir)
	return found.ImportPath, []string{"mod", "tidy"}, m, err
}

// replacements returns the replacements of a go.mod. Those by directories need a checkout.
func replacements(goMod, checkout string) ([]*modfile.Replace, error) {
	raw, err := os.ReadFile(goMod)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(goMod, raw, nil)
	if err != nil {
		return nil, err
	}
	var out []*modfile.Replace
	for _, r := range file.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			if checkout == "" {
				continue
			}
			if !filepath.IsAbs(r.New.Path) {
				r.New.Path = filepath.Join(checkout, r.New.Path)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// require has a go.mod require the module.
func (m *goModule) require(file *modfile.File) error {
	if err := file.AddRequire(m.Path, m.Version); err != nil || m.Dir == "" {
		return err
	}
	return file.AddReplace(m.Path, "", m.Dir, "")
}

func newModFile(path, comment string) (*modfile.File, error) {
	file := &modfile.File{Syntax: &modfile.FileSyntax{}}
	file.AddComment(comment)
	if err := file.AddModuleStmt(path); err != nil {
		return nil, err
	}
	return file, file.AddGoStmt("1.26.0")
}

func writeModFile(dir string, file *modfile.File) error {
	file.Cleanup()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), modfile.Format(file.Syntax), 0o644)
}
