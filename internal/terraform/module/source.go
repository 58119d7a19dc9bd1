package module

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/schema"
)

// Source is the source of a module. Exactly one of Directory, Files and Address is set.
type Source struct {
	// Directory is the absolute path of a directory.
	Directory string
	// Files are the module's files by name.
	Files map[string][]byte
	// Address is the source argument of a module block; relative paths are not allowed. Version is the
	// version constraint of a module in a registry.
	Address, Version string
}

// Module is a module that was fetched.
type Module struct {
	*Definition
	// Sources are the sources of all providers that the module and the modules it calls need, sorted.
	Sources  []string
	Resource *schema.Resource
	// Digest identifies the content of the module's files.
	Digest string

	source Source
	// dir contains the copy of a local module, and the program's data directory.
	dir string
}

// Sum returns the digest of local files, or of the address and version.
func (s Source) Sum() (string, error) {
	h := sha256.New()
	put := func(name string, content []byte) {
		fmt.Fprintf(h, "%d %s %d ", len(name), name, len(content))
		h.Write(content)
	}
	switch {
	case s.Files != nil:
		for _, name := range slices.Sorted(maps.Keys(s.Files)) {
			put(name, s.Files[name])
		}
	case s.Directory != "":
		if err := walk(s.Directory, func(name string, content []byte) error { put(name, content); return nil }); err != nil {
			return "", err
		}
	default:
		put(s.Address, []byte(s.Version))
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// maxModule is the maximum size of a module in a directory, in bytes.
const maxModule = 64 << 20

// walk visits the files of a directory, except hidden ones.
func walk(dir string, visit func(name string, content []byte) error) error {
	total := 0
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if name != "." && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if total += int(info.Size()); total > maxModule {
			return fmt.Errorf("%s is larger than %d MiB", dir, maxModule>>20)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(name, content)
	})
}

// localSource is the directory of a local module within Module.dir.
const localSource, dataDir = "source", "data"

// Fetch copies or downloads a module, and the modules that it calls, into dir, which must not exist, and
// reads it. The files do not change afterwards.
func Fetch(ctx context.Context, runner *commandline.Runner, s Source, dir, resourceType string) (*Module, diagnostic.Diagnostics) {
	m, diags := fetch(ctx, runner, s, dir, resourceType)
	if diags.HasErrors() {
		_ = os.RemoveAll(dir)
		return nil, diags
	}
	return m, diags
}

func fetch(ctx context.Context, runner *commandline.Runner, s Source, dir, resourceType string) (*Module, diagnostic.Diagnostics) {
	fail := func(err error) (*Module, diagnostic.Diagnostics) {
		return nil, diagnostic.Errorf("Module cannot be fetched", "%s.", err)
	}
	sum, err := s.Sum()
	if err != nil {
		return fail(err)
	}
	m := &Module{source: s, dir: dir, Digest: sum}
	if err := os.MkdirAll(filepath.Join(dir, localSource), 0o700); err != nil {
		return fail(err)
	}
	put := func(name string, content []byte) error {
		path := filepath.Join(dir, localSource, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o600)
	}
	if s.Directory != "" {
		if err := walk(s.Directory, put); err != nil {
			return fail(err)
		}
	}
	for name, content := range s.Files {
		if err := put(name, content); err != nil {
			return fail(err)
		}
	}
	if s.Address == "" {
		// Errors in the module itself are clearer without the program's.
		if _, diags := Read(filepath.Join(dir, localSource)); diags.HasErrors() {
			return nil, diags
		}
	}
	if diags := m.get(ctx, runner); diags.HasErrors() {
		return nil, diags
	}
	installed, err := m.installed()
	if err != nil {
		return fail(err)
	}
	sources := map[string]bool{}
	for key, at := range installed {
		d, diags := Read(at)
		if diags.HasErrors() {
			if key != callName {
				for i := range diags {
					diags[i].Summary = "module." + strings.TrimPrefix(key, callName+".") + ": " + diags[i].Summary
				}
			}
			return nil, diags
		}
		for _, source := range d.Sources() {
			sources[source] = true
		}
		if key == callName {
			m.Definition = d
		}
	}
	if m.Definition == nil {
		return fail(fmt.Errorf("%s did not fetch it", runner.Program()))
	}
	if s.Address != "" {
		h := sha256.New()
		for _, key := range slices.Sorted(maps.Keys(installed)) {
			if err := walk(installed[key], func(name string, content []byte) error {
				fmt.Fprint(h, name, len(content))
				h.Write(content)
				return nil
			}); err != nil {
				return fail(err)
			}
		}
		m.Digest = hex.EncodeToString(h.Sum(nil)[:16])
	}
	m.Sources = slices.Sorted(maps.Keys(sources))
	var diags diagnostic.Diagnostics
	m.Resource, diags = m.Schema(resourceType)
	return m, diags
}

// get runs the program to fetch the module and the modules that it calls.
func (m *Module) get(ctx context.Context, runner *commandline.Runner) diagnostic.Diagnostics {
	d, err := runner.Open()
	if err != nil {
		return diagnostic.Errorf("Module cannot be fetched", "%s.", err)
	}
	defer d.Close()
	b, err := json.Marshal(map[string]any{"module": map[string]any{callName: m.call()}})
	if err == nil {
		err = d.Write(configFile, b)
	}
	if err != nil {
		return diagnostic.Errorf("Module cannot be fetched", "%s.", err)
	}
	turn, err := runner.Turn(ctx, commandline.Working)
	if err != nil {
		return diagnostic.Errorf("Module cannot be fetched", "%s.", err)
	}
	defer turn.Release()
	out, err := d.Run(ctx, turn, commandline.Command{Args: []string{"get", "-no-color"}, Env: m.environment(), Downloads: true})
	switch {
	case err != nil:
		return diagnostic.Errorf("Module cannot be fetched", "%s.", err)
	case !out.OK():
		return diagnostic.Errorf("Module cannot be fetched", "%s", out.Failure(runner.Program(), m.spell))
	}
	return nil
}

// call returns the module block without arguments.
func (m *Module) call() map[string]any {
	out := map[string]any{"source": filepath.Join(m.dir, localSource)}
	if m.source.Address != "" {
		out["source"] = m.source.Address
	}
	if m.source.Version != "" {
		out["version"] = m.source.Version
	}
	return out
}

func (m *Module) environment() map[string]string {
	return map[string]string{"TF_DATA_DIR": filepath.Join(m.dir, dataDir)}
}

// installed returns the directories of the modules by the paths of their calls.
func (m *Module) installed() (map[string]string, error) {
	b, err := os.ReadFile(filepath.Join(m.dir, dataDir, "modules", "modules.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Modules []struct{ Key, Dir string } }
	if err := json.Unmarshal(b, &manifest); err != nil {
		return nil, fmt.Errorf("modules.json: %w", err)
	}
	out := map[string]string{}
	for _, x := range manifest.Modules {
		if x.Key == "" {
			continue
		}
		if out[x.Key], err = filepath.EvalSymlinks(x.Dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Remove removes the files of the module.
func (m *Module) Remove() error { return os.RemoveAll(m.dir) }
