package repository

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/repository/servercode"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// landbridge is the module that repositories require.
const landbridge = "github.com/landbridge-io/landbridge"

// Options configure Create.
type Options struct {
	// Name of the repository: a name such as provider-random, or an import path that ends with it.
	Name string
	// Dir is the directory to make; empty: the name, in the working directory.
	Dir string
	// Group is the API group of the kinds; empty: the provider's name, and the domain of the author
	// (see defaultGroup).
	Group string
	// ProviderSource is the source of the provider.
	Provider ProviderSource
	// InProcess links the provider into the program. Its source must be Go code.
	InProcess bool
	// Servers are functions of the provider's packages that make its server, as in
	// github.com/acme/terraform-provider-cloud/provider.New. Several are muxed. None: what the
	// provider's main package serves.
	Servers []string
	// Documentation is a directory with the provider's documentation and examples, to infer
	// references from; empty: there are none.
	Documentation string
	// Landbridge is the release to require, such as v1.2.0, or the directory of a checkout.
	Landbridge string
	// Timeout limits the start of the provider. Defaults to 1m.
	Timeout time.Duration
	// Progress is called with each step; it may be nil.
	Progress func(string)
}

// Result describes the repository that was created.
type Result struct {
	// Dir is the directory, Module its import path.
	Dir, Module string
	// Provider is the provider's name, Version its version. Group is the API group of the kinds.
	Provider, Version, Group string
	// Resources is the number of kinds.
	Resources int
	// Inferred are the references that the documentation suggests.
	Inferred []inference.Reference
	// Renamed are the kinds and Go types that do not have their natural names.
	Renamed []model.Renamed
	// Large are the CRDs that are near a size limit, by resource type.
	Large map[string]*crd.Size
	// Refused are the resource types whose examples the provider does not accept, with the reason.
	Refused map[string]error
	// Kept are the modules that the provider replaces, and that a program which links it uses as
	// they are.
	Kept []string
}

// Create creates a repository. If anything fails, nothing is left of it.
func Create(ctx context.Context, o Options) (*Result, error) {
	f, dir, err := o.check()
	if err != nil {
		return nil, err
	}
	functions, err := o.checkInProcess()
	if err != nil {
		return nil, err
	}
	f.InProcess = o.InProcess
	say := o.Progress
	if say == nil {
		say = func(string) {}
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	var docs fs.FS
	if o.Documentation != "" {
		root, err := os.OpenRoot(o.Documentation)
		if err != nil {
			return nil, fmt.Errorf("the documentation: %w", err)
		}
		defer root.Close()
		docs = root.FS()
	}
	// Beside its destination, so that one rename moves it there.
	stage, err := os.MkdirTemp(parent, "."+f.Name+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	if err := os.Chmod(stage, 0o755); err != nil {
		return nil, err
	}

	say("getting the provider")
	binary, module, err := o.Provider.get(ctx, stage, &f)
	if err != nil {
		return nil, err
	}
	say("reading its schema")
	s, err := readSchema(ctx, binary, o.Timeout)
	if err != nil {
		return nil, fmt.Errorf("the provider's schema: %w", err)
	}
	if f.Group == "" {
		f.Group = defaultGroup(f.Provider, f.Module)
	}
	// The initial content of the author's config.Provider.
	configuration := config.Provider{Group: f.Group}
	var p *model.Provider
	var inferred []inference.Reference
	var references []byte
	if docs == nil {
		p, err = model.NewProvider(f.Provider, s, configuration)
	} else if p, inferred, err = inference.Provider(f.Provider, s, configuration, nil, docs); err == nil {
		f.References = true
		references, err = yaml.Marshal(inference.Configuration(inferred))
	}
	if err != nil {
		return nil, err
	}
	f.Resources, f.Configured, f.Registry = len(p.Resources), len(p.Config.Object.All) > 0, registry(f.Module)
	record := &schema.Record{Provider: f.Provider, Version: f.Version, Schema: s}
	say("choosing examples that the provider accepts")
	documented := o.Documentation
	if documented == "" && module != nil {
		documented = module.Source
	}
	var refused map[string]error
	if record.Examples, refused, err = examples(ctx, binary, o.Timeout, p, s, documented); err != nil {
		return nil, fmt.Errorf("the examples: %w", err)
	}
	out, err := generator.Provider(p, generator.Options{Module: f.Module, Examples: true, Record: record})
	if err != nil {
		return nil, err
	}
	f.Protocol = s.Protocol
	var server *servercode.Code
	if f.InProcess {
		say("finding how the provider makes its server")
		if server, err = findServer(ctx, stage, module, functions, f); err != nil {
			return nil, err
		}
		f.place(server, module)
	}
	own, err := f.render()
	if err != nil {
		return nil, err
	}
	if own["config/schema.json"], err = record.Encode(); err != nil {
		return nil, err
	}
	if f.References {
		own["config/references.yaml"] = references
	}
	if _, err := generator.Write(stage, out.Files); err != nil {
		return nil, err
	}
	nested := generator.Files{}
	if f.InProcess {
		nested = split(own, programDir+"/")
	}
	if err := write(stage, own); err != nil {
		return nil, err
	}
	// Make requires that the provider's program is newer than its sources.
	now := time.Now()
	if err := os.Chtimes(binary, now, now); err != nil {
		return nil, err
	}
	say("finding the versions of Go modules")
	if err := run(ctx, stage, "go", "mod", "tidy"); err != nil {
		return nil, err
	}
	say("generating deep copies")
	if err := run(ctx, stage, "go", "generate", "./apis/..."); err != nil {
		return nil, err
	}
	var kept []string
	if f.InProcess {
		say("linking the provider")
		nested[serverDir+"/server.go"] = server.Source
		if err := write(stage, nested); err != nil {
			return nil, err
		}
		if kept, err = link(ctx, stage, module, f); err != nil {
			return nil, err
		}
	}
	if err := move(stage, dir); err != nil {
		return nil, err
	}
	return &Result{
		Dir: dir, Module: f.Module, Provider: f.Provider, Version: f.Version, Group: f.Group, Resources: f.Resources,
		Inferred: inferred, Renamed: append(slices.Clone(p.Renamed), out.Renamed...), Large: out.Large, Kept: kept, Refused: refused,
	}, nil
}

// check validates the options before anything is created.
func (o Options) check() (f facts, dir string, err error) {
	f = facts{Name: path.Base(o.Name), Module: o.Name, Group: o.Group}
	if problems := validation.IsDNS1123Label(f.Name); len(problems) > 0 {
		return f, "", fmt.Errorf("the name %q: %s", f.Name, strings.Join(problems, "; "))
	}
	if err := module.CheckImportPath(f.Module); err != nil {
		return f, "", fmt.Errorf("the name %q is not an import path of a Go module: %w", o.Name, err)
	}
	dir = o.Dir
	if dir == "" {
		dir = f.Name
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return f, "", err
	}
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return f, "", err
	case len(entries) > 0:
		return f, "", fmt.Errorf("%s is not empty: choose another directory, or remove what is in it", dir)
	}
	f.Landbridge, f.Replace, err = requirement(o.Landbridge)
	return f, dir, err
}

// requirement returns which version of Landbridge to require, and what to replace it with.
func requirement(landbridgeAt string) (version, replace string, err error) {
	if semver.IsValid(landbridgeAt) {
		return landbridgeAt, "", nil
	}
	if landbridgeAt == "" {
		return "", "", errors.New("the release of Landbridge to require is unknown: give one, or the directory of a checkout")
	}
	if replace, err = filepath.Abs(landbridgeAt); err != nil {
		return "", "", err
	}
	raw, err := os.ReadFile(filepath.Join(replace, "go.mod"))
	if err != nil {
		return "", "", fmt.Errorf("%q is neither a release of Landbridge nor the directory of a checkout: %w", landbridgeAt, err)
	}
	if modfile.ModulePath(raw) != landbridge {
		return "", "", fmt.Errorf("%s is a checkout of %s, not of %s", replace, modfile.ModulePath(raw), landbridge)
	}
	return "v0.0.0", replace, nil
}

// split removes the files below a directory, and returns them.
func split(files generator.Files, dir string) generator.Files {
	out := generator.Files{}
	for name, content := range files {
		if strings.HasPrefix(name, dir) {
			out[name] = content
			delete(files, name)
		}
	}
	return out
}

func write(dir string, files generator.Files) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// move moves a directory to its destination, which may be an empty directory.
func move(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(from, to)
}
