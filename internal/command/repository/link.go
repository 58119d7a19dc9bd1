package repository

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/command/repository/servercode"
)

// wayOut is for providers that cannot be linked.
const wayOut = "leave out --in-process to run it as a process of its own"

// checkInProcess checks the options for a program that links the provider.
func (o Options) checkInProcess() ([]servercode.Function, error) {
	switch {
	case !o.InProcess && len(o.Servers) > 0:
		return nil, errors.New("--provider-server: only a program that links the provider makes its server: give --in-process as well")
	case o.InProcess && !o.Provider.isSource():
		return nil, fmt.Errorf("--in-process: the provider %s is not Go code: give its module and version, or the "+
			"directory of its main package, with --provider", o.Provider.From)
	}
	var out []servercode.Function
	for _, s := range o.Servers {
		f, err := servercode.ParseFunction(s)
		if err != nil {
			return nil, fmt.Errorf("--provider-server: %w", err)
		}
		out = append(out, f)
	}
	return out, nil
}

// findServer returns the code that makes the provider's server.
func findServer(ctx context.Context, dir string, m *goModule, functions []servercode.Function, f facts) (*servercode.Code, error) {
	paths := []string{f.Package}
	for _, function := range functions {
		if p := function.Package; p != m.Path && !strings.HasPrefix(p, m.Path+"/") {
			return nil, fmt.Errorf("--provider-server: %s is not in the provider's module, %s", function, m.Path)
		}
		paths = append(paths, function.Package)
	}
	packages, err := servercode.Load(ctx, filepath.Join(dir, "provider"), paths...)
	if err != nil {
		return nil, fmt.Errorf("--provider-server: %w", err)
	}
	if len(functions) > 0 {
		code, err := packages.Functions(functions, f.Protocol)
		if err != nil {
			return nil, fmt.Errorf("--provider-server: %w", err)
		}
		return code, nil
	}
	code, err := packages.Main(f.Package, f.Protocol)
	switch {
	case errors.Is(err, servercode.ErrUnclear):
		return nil, fmt.Errorf("--in-process: %w: name them with --provider-server, as in %s/internal/provider.New", err, m.Path)
	case err != nil:
		return nil, fmt.Errorf("--in-process: %w: %s", err, wayOut)
	}
	return code, nil
}

// programDir is the directory of a program that links the provider, and serverDir that of the
// package that makes the servers.
const (
	programDir = "cmd/provider"
	serverDir  = programDir + "/server"
)

// place decides on the import path of the package that makes the servers, and notes whether a part
// of the provider is on the legacy SDK. Go permits to import an internal package from any module
// whose path is below the parent of "internal".
func (f *facts) place(code *servercode.Code, m *goModule) {
	f.Internal, f.Legacy, f.ProviderModule = code.Parent != "", code.Legacy, m.Path
	f.Server = f.Module + "/" + serverDir
	if f.Internal {
		f.Server = code.Parent + "/landbridge"
	}
}

// link writes the modules of the program and of the package that makes the servers, builds the
// program, and tests that the linked provider behaves as the plugin. kept are the provider's
// replacements that the program does not have, because Landbridge needs the modules that they
// replace.
func link(ctx context.Context, dir string, m *goModule, f facts) (kept []string, err error) {
	program, server := filepath.Join(dir, filepath.FromSlash(programDir)), filepath.Join(dir, filepath.FromSlash(serverDir))
	ours, err := modules(ctx, dir)
	if err != nil {
		return nil, err
	}
	file, err := newModFile(f.Module+"/"+programDir,
		"// The program, in a module of its own: what links the provider has the dependencies of both, and what\n// "+
			"imports the types of the repository has none of the provider's.")
	if err != nil {
		return nil, err
	}
	err = errors.Join(file.AddRequire(f.Module, "v0.0.0"), file.AddReplace(f.Module, "", "../..", ""),
		file.AddRequire(landbridge, f.Landbridge), m.require(file))
	if f.Replace != "" {
		err = errors.Join(err, file.AddReplace(landbridge, "", f.Replace, ""))
	}
	for _, r := range m.replaced {
		if slices.Contains(ours, r.Old.Path) {
			kept = append(kept, r.Old.Path)
			continue
		}
		err = errors.Join(err, file.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version))
	}
	if f.Internal {
		err = errors.Join(err, file.AddRequire(f.Server, "v0.0.0"), file.AddReplace(f.Server, "", "./server", ""),
			linkInternal(ctx, server, m, f))
	}
	if err != nil {
		return nil, err
	}
	if err := writeModFile(program, file); err != nil {
		return nil, err
	}
	if err := run(ctx, program, "go", "mod", "tidy"); err != nil {
		return nil, fmt.Errorf("--in-process: %w", err)
	}
	binary := filepath.Join(dir, "bin", runtime.GOOS+"_"+runtime.GOARCH, f.Name)
	if err := run(ctx, program, "go", "build", "-ldflags=-s -w", "-o", binary, "."); err != nil {
		return nil, fmt.Errorf("--in-process: the provider does not compile with the dependencies of Landbridge: %s\n%w", wayOut, err)
	}
	if out, err := output(ctx, program, "go", "test", "-vet=off", "./..."); err != nil {
		return nil, fmt.Errorf("--in-process: the linked provider does not behave as its program: %s\n%w\n%s", wayOut, err, out)
	}
	return kept, nil
}

// linkInternal writes the module of a package that imports internal packages of the provider.
func linkInternal(ctx context.Context, dir string, m *goModule, f facts) error {
	file, err := newModFile(f.Server, "// Go permits to import a module's internal packages from modules whose "+
		"paths begin with the module's.\n// So this path does. The package is found by the replacement in the "+
		"go.mod of cmd/provider alone.")
	if err != nil {
		return err
	}
	err = m.require(file)
	for _, r := range m.replaced {
		err = errors.Join(err, file.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version))
	}
	if err := errors.Join(err, writeModFile(dir, file)); err != nil {
		return err
	}
	return run(ctx, dir, "go", "mod", "tidy")
}

// modules returns the paths of all modules that the repository depends on.
func modules(ctx context.Context, dir string) ([]string, error) {
	out, err := output(ctx, dir, "go", "list", "-m", "-f", "{{.Path}}", "all")
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}
