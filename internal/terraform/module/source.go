package module

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/schema"
)

// Source is the source of a module. Exactly one of Directory, Files and Address is set.
type Source struct {
	// Directory is the absolute path of a directory.
	Directory string
	// Files are the module's files by name.
	Files map[string][]byte
	// Address is the source argument of a module block; relative paths are not allowed. Version is
	// the version constraint of a module in a registry. OCI addresses are as OpenTofu's, such as
	// oci://example.com/web//site?tag=1.0.0.
	Address, Version string
	// Artifacts pulls from OCI addresses. Defaults to a client without any configuration.
	Artifacts *registry.Client
	// Credentials are for the host of Address; nil without any.
	Credentials *Credentials
	// Digest, if set, is the only Module.Digest that is accepted.
	Digest string
	// Allow is what the module, and the modules it calls, may do beyond declaring resources.
	Allow []Permission
}

// Module is a module that was fetched.
type Module struct {
	*Definition
	// Sources are the sources of all providers that the module and the modules it calls need,
	// sorted.
	Sources  []string
	Resource *schema.Resource
	// Digest identifies the content of the module's files, and of those of the modules that it
	// calls.
	Digest string
	// Settings are those of the module's provider blocks, and of those of the modules that it
	// calls.
	Settings []Setting

	source Source
	// local is set if the files are copied, and not fetched by the program. folder is that of the
	// module within them.
	local  bool
	folder string
	// outside is the digest of the called modules that are where they were before, and not copied;
	// empty if there are none.
	outside string
	// dir contains the copy of a local module, and the program's data directory.
	dir string
	// files are the paths of the files of all modules.
	files []string
	// imports are the import blocks that were taken out of the module's files, originals the files
	// before, by path.
	imports   []Import
	originals map[string][]byte
}

// Sum identifies the source: it is the digest of local files, or that of address and version.
func (s Source) Sum() (string, error) {
	d := newChecksum()
	switch {
	case s.Files != nil:
		for _, name := range slices.Sorted(maps.Keys(s.Files)) {
			d.add(callName, name, s.Files[name])
		}
	case s.Directory != "":
		err := s.walk(func(name string, content []byte) error { d.add(callName, name, content); return nil })
		if stray := errStray(""); errors.As(err, &stray) {
			d.add("", string(stray), nil) // Fetch refuses it
		} else if err != nil {
			return "", err
		}
	default:
		d.add("", s.Address, []byte(s.Version))
	}
	return d.String(), nil
}

// maxModule is the maximum size of a module in a directory, in bytes.
const maxModule = 64 << 20

// errStray is the error of a symbolic link that leads out of the module.
type errStray string

func (e errStray) Error() string {
	return fmt.Sprintf("%s is a symbolic link to a file outside the module's folder. Replace it by the file, or "+
		"list %s in spec.allow", string(e), Files)
}

// walk visits the files of Directory, except hidden ones. It follows links to files within the
// directory, such as those of a mounted ConfigMap; other links are an error unless they are
// allowed.
func (s Source) walk(visit func(name string, content []byte) error) error {
	root, err := filepath.EvalSymlinks(s.Directory)
	if err != nil {
		return err
	}
	files := os.DirFS(root)
	if !slices.Contains(s.Allow, Files) {
		// What is exchanged for a link after the links were looked at is not read.
		inside, err := os.OpenRoot(root)
		if err != nil {
			return err
		}
		defer inside.Close()
		files = inside.FS()
	}
	total := 0
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if name != "." && strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		file := name
		if e.Type()&fs.ModeSymlink != 0 && !slices.Contains(s.Allow, Files) {
			to, err := filepath.EvalSymlinks(path)
			if err != nil || !within(root, to) {
				return errStray(name)
			}
			if file, err = filepath.Rel(root, to); err != nil {
				return err
			}
		}
		info, err := fs.Stat(files, filepath.ToSlash(file))
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if total += int(info.Size()); total > maxModule {
			return fmt.Errorf("%s is larger than %d MiB", s.Directory, maxModule>>20)
		}
		content, err := fs.ReadFile(files, filepath.ToSlash(file))
		if err != nil {
			return err
		}
		return visit(name, content)
	})
}

// localSource is the directory of a local module within Module.dir.
const localSource, dataDir = "source", "data"

// Fetch copies or downloads a module, and the modules that it calls, into dir, which must not
// exist, and reads it. The files do not change afterwards.
func Fetch(ctx context.Context, runner *commandline.Runner, s Source, dir, resourceType string) (*Module, diagnostic.Diagnostics) {
	m, diags := fetch(ctx, runner, s, dir, resourceType)
	if diags.HasErrors() {
		_ = os.RemoveAll(dir)
		return nil, diags
	}
	return m, diags
}

func fetch(ctx context.Context, runner *commandline.Runner, s Source, dir, resourceType string) (*Module, diagnostic.Diagnostics) {
	m := &Module{source: s, dir: dir, local: s.Address == ""}
	if a, ok := artifactOf(s.Address); ok {
		if diags := m.pull(ctx, a); diags.HasErrors() {
			return nil, diags
		}
	}
	if diags := m.copy(); diags.HasErrors() {
		return nil, diags
	}
	if m.local {
		// Nothing is run for a module that is refused. The program evaluates expressions even to
		// fetch modules: the sources of called modules. And errors in the module itself are clearer
		// without the program's.
		if diags := m.examine(); diags.HasErrors() {
			return nil, diags
		}
		if _, diags := m.takeImports(m.own()); diags.HasErrors() {
			return nil, diags
		}
	}
	diags := m.get(ctx, runner)
	called, err := m.called()
	for _, c := range called {
		if c.key != callName || m.local || c.outside {
			continue
		}
		// The program refuses import blocks after it has fetched them.
		taken, refused := m.takeImports(c)
		if refused.HasErrors() {
			return nil, refused
		}
		if taken {
			diags = m.get(ctx, runner)
			called, err = m.called()
		}
		if err != nil {
			return fetchError(err)
		}
	}
	if diags.HasErrors() {
		return nil, diags
	}
	if err != nil {
		return fetchError(err)
	}
	if diags := m.verify(called); diags.HasErrors() {
		return nil, diags
	}
	sources := map[string]bool{}
	for _, c := range called {
		d, diags := m.read(c)
		if diags.HasErrors() {
			return nil, diags
		}
		for _, source := range d.Sources() {
			sources[source] = true
		}
		m.Settings = append(m.Settings, d.Settings...)
		if c.key == callName {
			d.Imports = m.imports
			m.Definition = d
		}
	}
	if m.Definition == nil {
		return fetchError(fmt.Errorf("%s did not fetch it", runner.Program()))
	}
	m.Sources = slices.Sorted(maps.Keys(sources))
	if err := m.nameConfigurations(called); err != nil {
		return fetchError(err)
	}
	m.Resource, diags = m.Schema(resourceType)
	return m, diags
}

func fetchError(err error) (*Module, diagnostic.Diagnostics) {
	return nil, diagnostic.Errorf(NotFetched, "%s.", err)
}

// copy copies a local module.
func (m *Module) copy() diagnostic.Diagnostics {
	local := filepath.Join(m.dir, localSource)
	put := func(name string, content []byte) error {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%q is not the name of a file", name)
		}
		path := filepath.Join(local, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o600)
	}
	err := os.MkdirAll(local, 0o700)
	if err == nil && m.source.Directory != "" {
		err = m.source.walk(put)
	}
	for name, content := range m.source.Files {
		err = errors.Join(err, put(name, content))
	}
	var stray errStray
	switch {
	case errors.As(err, &stray):
		return diagnostic.Errorf(NotAllowed, "%s.", err)
	case err != nil:
		return diagnostic.Errorf(NotFetched, "%s.", err)
	}
	return nil
}

// examine checks a local module before the modules that it calls are fetched.
func (m *Module) examine() diagnostic.Diagnostics {
	if m.source.Files != nil && m.source.Address == "" && m.source.Digest != "" {
		sum, err := m.source.Sum()
		if err != nil {
			return diagnostic.Errorf(NotFetched, "%s.", err)
		}
		if sum != m.source.Digest {
			return otherDigest(sum, m.source.Digest)
		}
	}
	c := m.own()
	d, diags := m.read(c)
	if diags.HasErrors() {
		return diags
	}
	return m.examineCalls(c, d, map[string]bool{c.dir: true})
}

// own is the module itself, whose files are copied.
func (m *Module) own() call {
	return call{key: callName, dir: m.home(), root: filepath.Join(m.dir, localSource), pkg: callName}
}

// home is the directory of a module whose files are copied.
func (m *Module) home() string { return filepath.Join(m.dir, localSource, m.folder) }

// examineCalls checks that the modules that a module calls are among the files, as far as they are
// in the same package.
func (m *Module) examineCalls(c call, d *Definition, seen map[string]bool) diagnostic.Diagnostics {
	for _, called := range d.Calls {
		to := call{key: c.key + "." + called.Name, dir: filepath.Join(c.dir, filepath.FromSlash(called.Source)), root: c.root}
		if !called.relative() || !within(to.root, to.dir) || seen[to.dir] {
			continue
		}
		seen[to.dir] = true
		info, err := os.Stat(to.dir)
		if err != nil || !info.IsDir() {
			return m.noFolder(c, called, to)
		}
		definition, diags := m.read(to)
		if diags.HasErrors() {
			return diags
		}
		if diags := m.examineCalls(to, definition, seen); diags.HasErrors() {
			return diags
		}
	}
	return nil
}

func (m *Module) noFolder(in call, called Call, to call) diagnostic.Diagnostics {
	where := called.At
	if in.key != callName {
		where = "module." + in.path() + ": " + where
	}
	folder, err := filepath.Rel(to.root, to.dir)
	if err != nil {
		folder = called.Source
	}
	how := "Add it to the files."
	if m.source.Address == "" && m.source.Files != nil {
		how = fmt.Sprintf("In a ConfigMap, the keys of its files begin with %s, or a key ending in "+
			".tar.gz has all files.", strings.ReplaceAll(filepath.ToSlash(folder), "/", pathSeparator)+pathSeparator)
	}
	return diagnostic.Errorf(where+": Module cannot be read",
		"The module %s is called, but the folder %s does not exist. %s", called.Name, folder, how)
}

// read reads one of the modules, and checks what it does.
func (m *Module) read(c call) (*Definition, diagnostic.Diagnostics) {
	where := c.where()
	d, diags := Read(c.dir)
	if diags.HasErrors() {
		for i := range diags {
			diags[i].Summary = where + diags[i].Summary
		}
		return nil, diags
	}
	for i := range d.Settings {
		d.Settings[i].At = where + d.Settings[i].At
	}
	if diags := restrict(&restrictions{allow: m.source.Allow, dir: c.dir, root: c.root, module: where}); diags.HasErrors() {
		return nil, diags
	}
	return d, nil
}

// get runs the program to fetch the module and the modules that it calls.
func (m *Module) get(ctx context.Context, runner *commandline.Runner) diagnostic.Diagnostics {
	d, err := runner.Open()
	if err != nil {
		return diagnostic.Errorf(NotFetched, "%s.", err)
	}
	defer d.Close()
	b, err := json.Marshal(map[string]any{"module": map[string]any{callName: m.block()}})
	if err == nil {
		err = d.Write(configFile, b)
	}
	if err != nil {
		return diagnostic.Errorf(NotFetched, "%s.", err)
	}
	var env map[string]string
	var files map[string][]byte
	if !m.local {
		if env, files, err = m.source.Credentials.environment(m.source.Address, d.Path); err != nil {
			return diagnostic.Errorf(NotFetched, "%s.", err)
		}
	}
	for name, content := range files {
		if err := d.Write(name, content); err != nil {
			return diagnostic.Errorf(NotFetched, "%s.", err)
		}
	}
	turn, err := runner.Turn(ctx, commandline.Working)
	if err != nil {
		return diagnostic.Errorf(NotFetched, "%s.", err)
	}
	defer turn.Release()
	all := m.environment()
	maps.Copy(all, env)
	out, err := d.Run(ctx, turn, commandline.Command{Args: []string{"get", "-no-color"}, Env: all, Downloads: true, Folders: []string{m.dir}})
	switch {
	case err != nil:
		return diagnostic.Errorf(NotFetched, "%s.", err)
	case !out.OK():
		return diagnostic.Errorf(NotFetched, "%s", out.Failure(runner.Program(), m.spell))
	}
	return nil
}

// block returns the module block without arguments.
func (m *Module) block() map[string]any {
	out := map[string]any{"source": m.home()}
	if !m.local {
		out["source"] = m.source.Address
	}
	if m.source.Version != "" && !m.local {
		out["version"] = m.source.Version
	}
	return out
}

func (m *Module) environment() map[string]string {
	return map[string]string{"TF_DATA_DIR": filepath.Join(m.dir, dataDir)}
}

// call is a module that was fetched.
type call struct {
	// key is the path of its call, such as this.network.
	key string
	// dir is the directory of the module, root that of the package that it came in: a repository
	// may have many modules.
	dir, root string
	// pkg is the name of the package: callName, or the path of the call for which it was fetched.
	pkg string
	// outside is set if the module is where it was before, and not fetched.
	outside bool
}

// path returns the path of the call as the module's author knows it.
func (c call) path() string { return strings.TrimPrefix(c.key, callName+".") }

// where precedes what is said of a called module; empty for the module itself.
func (c call) where() string {
	if c.key == callName {
		return ""
	}
	return "module." + c.path() + ": "
}

// unrestricted reports whether the program may do what this process can.
func (m *Module) unrestricted() bool { return slices.Contains(m.source.Allow, Provisioners) }

// called returns the module and the modules that it calls, by the paths of their calls.
func (m *Module) called() ([]call, error) {
	base, err := filepath.EvalSymlinks(m.dir)
	if err != nil {
		return nil, err
	}
	modules := filepath.Join(base, dataDir, "modules")
	b, err := os.ReadFile(m.manifest())
	if err != nil {
		return nil, err
	}
	var manifest struct{ Modules []struct{ Key, Dir string } }
	if err := json.Unmarshal(b, &manifest); err != nil {
		return nil, fmt.Errorf("modules.json: %w", err)
	}
	var out []call
	for _, x := range manifest.Modules {
		if x.Key == "" {
			continue
		}
		dir, err := filepath.EvalSymlinks(x.Dir)
		if err != nil {
			return nil, err
		}
		c := call{key: x.Key, dir: dir, root: dir, pkg: x.Key, outside: true}
		if local := filepath.Join(base, localSource); m.local && within(local, dir) {
			c.root, c.pkg, c.outside = local, callName, false
		} else if rel, err := filepath.Rel(modules, dir); err == nil && within(modules, dir) {
			c.pkg, _, _ = strings.Cut(rel, string(filepath.Separator))
			c.root, c.outside = filepath.Join(modules, c.pkg), false
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b call) int { return strings.Compare(a.key, b.key) })
	return out, nil
}

// Present reports whether the files of the module are still there: programs that tidy up remove
// files of temporary directories.
func (m *Module) Present() bool {
	for _, path := range append([]string{m.manifest()}, m.files...) {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// Current reports whether the module is as it was fetched: its files are still there, and modules
// outside its own folder, which it may call if that is allowed, have the same content.
func (m *Module) Current() bool {
	if !m.Present() {
		return false
	}
	if m.outside == "" {
		return true
	}
	called, err := m.called()
	if err != nil {
		return false
	}
	sum, err := m.sumOutside(called)
	return err == nil && sum == m.outside
}

// sumOutside returns the digest of the called modules that are not copied; empty if there are none.
func (m *Module) sumOutside(called []call) (string, error) {
	d, seen := newChecksum(), map[string]bool{}
	for _, c := range called {
		if !c.outside || seen[c.root] {
			continue
		}
		seen[c.root] = true
		if err := d.addPackage(c, m.source.Allow); err != nil {
			return "", err
		}
	}
	if len(seen) == 0 {
		return "", nil
	}
	return d.String(), nil
}

// manifest is the path of the program's list of modules.
func (m *Module) manifest() string {
	return filepath.Join(m.dir, dataDir, "modules", "modules.json")
}

// Remove removes the files of the module.
func (m *Module) Remove() error { return os.RemoveAll(m.dir) }
