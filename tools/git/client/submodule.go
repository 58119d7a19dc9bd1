package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	format "github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// deepest is how deep submodules may be nested: one that has itself as a submodule would have no
// end.
const deepest = 10

// module is a submodule, as the file .gitmodules describes it.
type module struct {
	name, path, url string
	shallow, none   bool
	commit          plumbing.Hash
}

// submodule fetches the submodules of the repository, and theirs.
func submodule(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(1, 1, "--init", "--recursive"); err != nil {
		return err
	}
	if args.rest[0] != "update" {
		return args.wrong("the subcommand must be update")
	}
	depth, err := args.depth()
	if err != nil {
		return err
	}
	r, err := open(ctx, p.Dir)
	if err != nil {
		return err
	}
	defer r.close()
	return p.updateModules(ctx, r, "", depth, 0)
}

// updateModules fetches the submodules of a repository. prefix is the path of the repository for
// messages.
func (p *process) updateModules(ctx context.Context, r *repository, prefix string,
	depth, level int) error {
	modules, err := r.modules()
	if err != nil || len(modules) == 0 {
		return err
	}
	if level == deepest {
		return fatalf("submodules are nested more than %d times in '%s'", deepest, prefix)
	}
	// Without a remote repository, relative addresses are relative to the directory.
	base, err := r.url(origin)
	if err != nil {
		base = r.dir
	}
	for _, m := range modules {
		if err := p.updateModule(ctx, r, m, base, prefix, depth, level); err != nil {
			return err
		}
	}
	return nil
}

func (p *process) updateModule(ctx context.Context, r *repository, m module, base, prefix string,
	depth, level int) error {
	if m.none {
		_, err := fmt.Fprintf(p.Stdout, "Skipping submodule '%s'\n", prefix+m.path)
		return err
	}
	a, err := moduleAddress(m, base)
	if err != nil {
		return refuse(err, m, prefix)
	}
	if err := r.register(m, resolve(base, m.url)); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.Stderr, "Submodule '%s' (%s) registered for path '%s'\n", m.name, a.text,
		prefix+m.path)
	if m.shallow && depth == 0 {
		depth = 1
	}
	sub, err := p.openModule(ctx, r, m, a, resolve(base, m.url), depth)
	if err != nil {
		return refuse(err, m, prefix)
	}
	defer sub.close()
	if head, err := sub.Head(); err != nil || head.Hash() != m.commit || !sub.checkedOut() {
		w, err := sub.Worktree()
		if err != nil {
			return err
		}
		if err := overwritten(w.Checkout(&git.CheckoutOptions{Hash: m.commit})); err != nil {
			return refuse(err, m, prefix)
		}
		_, err = fmt.Fprintf(p.Stdout, "Submodule path '%s': checked out '%s'\n", prefix+m.path, m.commit)
		if err != nil {
			return err
		}
	}
	return p.updateModules(ctx, sub, prefix+m.path+"/", depth, level+1)
}

// checkedOut reports whether there are files of the repository.
func (r *repository) checkedOut() bool {
	index, err := r.store.Index()
	return err == nil && len(index.Entries) > 0
}

// moduleAddress returns the address of a submodule. A repository must not make this program read
// others of this machine.
func moduleAddress(m module, base string) (address, error) {
	a, err := parseAddress(resolve(base, m.url), "/")
	if err == nil && a.endpoint.Protocol == "file" {
		err = fatalf("transport 'file' not allowed")
	}
	return a, err
}

// refuse adds to an error which submodule it is about.
func refuse(err error, m module, prefix string) error {
	const text = "%s\nfatal: clone of submodule '%s' into path '%s' failed"
	return failure{Fatal, fmt.Sprintf(text, message(err), m.name, prefix+m.path)}
}

// register records that a submodule is used.
func (r *repository) register(m module, url string) error {
	c, err := r.Config()
	if err != nil {
		return err
	}
	c.Submodules[m.name] = &config.Submodule{Name: m.name, URL: url}
	return r.SetConfig(c)
}

// openModule returns the repository of a submodule, with the commit. It is fetched if need be.
func (p *process) openModule(ctx context.Context, r *repository, m module, a address, url string,
	depth int) (*repository, error) {
	dir := filepath.Join(r.dir, filepath.FromSlash(m.path))
	gitDir := filepath.Join(r.gitDir, "modules", filepath.FromSlash(m.name))
	// Neither may be elsewhere by a link in the repository.
	places := []struct{ root, path string }{{r.dir, m.path}, {r.gitDir, "modules/" + m.name}}
	for _, where := range places {
		path := where.root
		for segment := range strings.SplitSeq(where.path, "/") {
			path = filepath.Join(path, segment)
			if info, err := os.Lstat(path); err == nil && !info.IsDir() {
				return nil, fatalf(
					"expected '%s' in submodule path '%s' not to be a symbolic link or a file",
					segment, m.path)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil {
		sub, err := openAt(ctx, dir, gitDir)
		if err != nil || sub.exists(m.commit) {
			return sub, err
		}
		sub.close()
		if err := os.RemoveAll(gitDir); err != nil {
			return nil, err
		}
	}
	s, err := p.connect(ctx, a)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if empty, err := isEmpty(dir); err != nil {
		return nil, err
	} else if !empty {
		return nil, fatalf("destination path '%s' already exists and is not an empty directory.",
			m.path)
	}
	p.onFailure(remover(gitDir))
	p.onFailure(remover(dir))
	sub, err := p.cloneInto(ctx, s, url, dir, gitDir, "", depth)
	if err != nil || sub.exists(m.commit) {
		return sub, err
	}
	defer func() {
		if err != nil {
			sub.close()
		}
	}()
	// A commit of no branch, or one that is deeper: some servers have it if one asks for it.
	var again *session
	if again, err = p.connect(ctx, a); err != nil {
		return nil, err
	}
	defer again.Close()
	if err = again.download(ctx, sub, depth, m.commit); err != nil {
		return nil, err
	}
	if _, err = object.GetCommit(sub.store, m.commit); err != nil {
		err = fatalf("remote error: upload-pack: not our ref %s", m.commit)
		return nil, err
	}
	return sub, nil
}

// modules returns the submodules of the commit that is checked out, in the order of their paths.
func (r *repository) modules() ([]module, error) {
	index, err := r.store.Index()
	if err != nil {
		return nil, err
	}
	var out []module
	for _, e := range index.Entries {
		if e.Mode == filemode.Submodule {
			out = append(out, module{path: e.Name, commit: e.Hash})
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	described, err := r.gitmodules()
	if err != nil {
		return nil, err
	}
	for i := range out {
		found := slices.IndexFunc(described, func(m module) bool { return m.path == out[i].path })
		if found < 0 || described[found].url == "" {
			return nil, fatalf("No url found for submodule path '%s' in .gitmodules", out[i].path)
		}
		commit := out[i].commit
		out[i] = described[found]
		out[i].commit = commit
	}
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return out, nil
}

// gitmodules reads the file .gitmodules.
func (r *repository) gitmodules() ([]module, error) {
	path := filepath.Join(r.dir, ".gitmodules")
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fatalf(".gitmodules is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, err
	}
	parsed := format.New()
	if err := format.NewDecoder(bytes.NewReader(content)).Decode(parsed); err != nil {
		return nil, fatalf(".gitmodules: %s", err)
	}
	var out []module
	for _, s := range parsed.Section("submodule").Subsections {
		m := module{
			name: s.Name, path: s.Option("path"), url: s.Option("url"),
			shallow: strings.EqualFold(s.Option("shallow"), "true"),
			none:    s.Option("update") == "none",
		}
		// The name becomes part of a path.
		if !below(m.name) || !below(m.path) {
			return nil, fatalf("suspicious name or path of the submodule '%s'", m.name)
		}
		if strings.HasPrefix(s.Option("update"), "!") {
			return nil, fatalf("invalid value for 'submodule.%s.update'", m.name)
		}
		out = append(out, m)
	}
	return out, nil
}

// below reports whether a path with slashes leads to somewhere below a folder, and not into the
// history of a repository.
func below(path string) bool {
	if path == "" || strings.HasPrefix(path, "-") || strings.ContainsAny(path, "\\\x00") ||
		!filepath.IsLocal(path) {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." ||
			strings.EqualFold(segment, git.GitDirName) {
			return false
		}
	}
	return true
}
