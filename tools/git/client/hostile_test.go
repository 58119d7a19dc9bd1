package client_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
)

// TestHostileRepositories fetches repositories that want more than to be a module. It needs no
// other git.
func TestHostileRepositories(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	git := filepath.Join(called(t, "git"), "git")
	server := httptest.NewServer(smart(e.dir))
	t.Cleanup(server.Close)
	leaf := entry{filemode.Submodule, leafCommit(t, e)}
	modules := func(name, path, url string, more ...string) entry {
		return plain("[submodule \"" + name + "\"]\n\tpath = " + path + "\n\turl = " + url + "\n" + strings.Join(more, "\n"))
	}
	target := t.TempDir()
	for name, test := range map[string]struct {
		files map[string]entry
		says  string // by submodule update; empty if it succeeds
	}{
		"a submodule": {map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "../leaf.git")}, ""},
		"a submodule to skip": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "../leaf.git", "\tupdate = none")}, "",
		},
		"of this machine": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "file://"+e.dir+"/leaf.git")},
			"transport 'file' not allowed",
		},
		"of a path": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", e.dir+"/leaf.git")},
			"transport 'file' not allowed",
		},
		"by a program": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "ext::sh -c touch% "+target+"/x")},
			"transport 'ext' not allowed",
		},
		"by an option": {map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "--upload-pack=touch")}, "blocked"},
		"by a host that is an option": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "ssh://-oProxyCommand=touch/x")},
			"strange hostname",
		},
		"by a command": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "../leaf.git", "\tupdate = !touch x")},
			"invalid value for 'submodule.sub.update'",
		},
		"with a name elsewhere": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("../../sub", "sub", "../leaf.git")}, "suspicious name",
		},
		"with a name of git": {
			map[string]entry{"sub": leaf, ".gitmodules": modules("x/.git/y", "sub", "../leaf.git")}, "suspicious name",
		},
		"without an address": {map[string]entry{"sub": leaf}, "No url found for submodule path 'sub'"},
		"of itself":          {map[string]entry{"sub": leaf, ".gitmodules": modules("sub", "sub", "./")}, "clone of submodule"},
		"a list that is a link": {
			map[string]entry{
				"sub": leaf, "list": modules("sub", "sub", "../leaf.git"), ".gitmodules": {filemode.Symlink, "list"},
			}, "clone",
		},
		"a file in .git":              {map[string]entry{".git/hooks/post-checkout": {filemode.Executable, "x"}}, "clone"},
		"a file in .GIT":              {map[string]entry{".GIT/config": plain("x")}, "clone"},
		"a file elsewhere":            {map[string]entry{"../x": plain("x")}, "clone"},
		"a link, and a file below it": {map[string]entry{"a": {filemode.Symlink, target}, "a/x": plain("x")}, "clone"},
		"a link, and a submodule": {
			map[string]entry{
				"a": {filemode.Symlink, target}, "a/sub": leaf, ".gitmodules": modules("sub", "a/sub", "../leaf.git"),
			}, "clone",
		},
		"no commit of the submodule": {
			map[string]entry{
				"sub":         {filemode.Submodule, strings.Repeat("1", 40)},
				".gitmodules": modules("sub", "sub", "../leaf.git"),
			}, "clone of submodule",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repository := "hostile-" + strings.ReplaceAll(name, " ", "-") + ".git"
			b := build(t, filepath.Join(e.dir, repository))
			b.ref("refs/heads/main", b.commit("hostile", test.files))
			clone := filepath.Join(t.TempDir(), "clone")
			got := run(t, git, "/", nil, "clone", "--", server.URL+"/"+repository, clone)
			if got.Status == 0 {
				got = run(t, git, clone, nil, "submodule", "update", "--init", "--recursive")
			}
			// What go-git refuses, or leaves out, is only not to do any harm.
			if test.says != "clone" && ((got.Status != 0) != (test.says != "") || !strings.Contains(got.Stderr, test.says)) {
				t.Errorf("status %d, %s; want %q", got.Status, got.Stderr, test.says)
			}
			left, err := os.ReadDir(target)
			if err != nil || len(left) > 0 {
				t.Errorf("there are files elsewhere: %v, %v", left, err)
			}
			for _, bad := range []string{".git/hooks/post-checkout", "../x"} {
				if _, err := os.Lstat(filepath.Join(clone, bad)); err == nil {
					t.Errorf("it has written %s", bad)
				}
			}
			if content, err := os.ReadFile(filepath.Join(clone, ".git/config")); err == nil && string(content) == "x" {
				t.Error("it has written .git/config")
			}
		})
	}
}

// TestHostileServer has names of references that are paths to elsewhere.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := build(t, filepath.Join(dir, "web.git"))
	commit := b.commit("one", map[string]entry{"main.tf": output("one"), "modules/site/main.tf": output("site two")})
	b.ref("refs/heads/main", commit)
	honest := smart(dir)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/info/refs") {
			honest.ServeHTTP(w, r)
			return
		}
		refs := packp.NewAdvRefs()
		refs.Head = &commit
		refs.Prefix = [][]byte{[]byte("# service=git-upload-pack"), {}}
		_ = refs.Capabilities.Add(capability.SymRef, "HEAD:refs/heads/main")
		_ = refs.Capabilities.Set(capability.OFSDelta)
		for _, name := range []string{
			"refs/heads/main", "refs/heads/../../config", "refs/tags/../../hooks/x", "config", "refs/heads/a.lock",
			"refs/heads/-x",
		} {
			refs.References[name] = commit
		}
		_ = refs.Encode(w)
	}))
	t.Cleanup(server.Close)
	clone := filepath.Join(t.TempDir(), "clone")
	got := run(t, filepath.Join(called(t, "git"), "git"), "/", nil, "clone", "--", server.URL+"/web.git", clone)
	checkClone(t, got, clone, "")
	for _, name := range []string{".git/hooks/x", ".git/refs/heads/a.lock", ".git/refs/remotes/config"} {
		if _, err := os.Lstat(filepath.Join(clone, name)); err == nil {
			t.Errorf("it has written %s", name)
		}
	}
	config, err := os.ReadFile(filepath.Join(clone, ".git/config"))
	if err != nil || !strings.Contains(string(config), "[core]") {
		t.Errorf("the configuration is %q, %v", config, err)
	}
}

// TestTagOfNoCommit has a tag of a file.
func TestTagOfNoCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := build(t, filepath.Join(dir, "web.git"))
	files := map[string]entry{"main.tf": output("one"), "modules/site/main.tf": output("site two")}
	commit := b.commit("one", files)
	b.ref("refs/heads/main", commit)
	tree := b.tree(files, "")
	b.ref("refs/tags/tree", b.save(&object.Tag{Name: "tree", Message: "tree\n", TargetType: plumbing.TreeObject, Target: tree}))
	server := httptest.NewServer(smart(dir))
	t.Cleanup(server.Close)
	git, clone := filepath.Join(called(t, "git"), "git"), filepath.Join(t.TempDir(), "clone")
	checkClone(t, run(t, git, "/", nil, "clone", "--", server.URL+"/web.git", clone), clone, "")
	if got := run(t, git, clone, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", "tree^{commit}"); got.Status != 1 {
		t.Errorf("a tag of a folder is a commit: %v", got)
	}
}
