package module_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// plain is a module that does nothing.
const plain = "output \"x\" {\n  value = 1\n}\n"

func calling(source string) string { return "module \"a\" {\n  source = \"" + source + "\"\n}\n" }

// served returns the address of an archive. Of entries without content, the value after -> is the
// target of a link.
func served(t *testing.T, entries map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, content := range entries {
		h := &tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if to, ok := strings.CutPrefix(content, "->"); ok {
			h.Size, h.Typeflag, h.Linkname, content = 0, tar.TypeSymlink, to, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write(b.Bytes()) }))
	t.Cleanup(server.Close)
	return server.URL + "/module.tar.gz"
}

// withSubmodule returns the address of a repository that has a submodule with a URL.
func withSubmodule(t *testing.T, url string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "main.tf", calling("./sub"))
	put(t, dir, ".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = "+url+"\n")
	address := repository(t, dir)
	for _, args := range [][]string{
		{"update-index", "--add", "--cacheinfo", "160000,0123456789012345678901234567890123456789,sub"},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "submodule"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return address
}

// TestHostilePackages fetches repositories and archives that want more than to be a module.
func TestHostilePackages(t *testing.T) {
	t.Parallel()
	fetch := fetcher(t)
	mark := filepath.Join(t.TempDir(), "mark")
	other := t.TempDir()
	put(t, other, "main.tf", plain)
	elsewhere := strings.TrimPrefix(repository(t, other), "git::")
	local := func(source string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := t.TempDir()
			put(t, dir, "main.tf", calling(source))
			return repository(t, dir)
		}
	}
	archive := func(entries map[string]string) func(*testing.T) string {
		return func(t *testing.T) string { return served(t, entries) }
	}
	submodule := func(url string) func(*testing.T) string {
		return func(t *testing.T) string { return withSubmodule(t, url) }
	}
	for name, test := range map[string]struct {
		address func(t *testing.T) string
		says    string
	}{
		"a plain archive": {address: archive(map[string]string{"main.tf": calling("./a"), "a/main.tf": plain})},
		// The digest leaves out the history of repositories, so no module may be in it.
		"a module in .git": {
			address: archive(map[string]string{"main.tf": calling("./.git/a"), ".git/a/main.tf": plain}),
			says:    "module.a: Its source is a directory outside the module's folder",
		},
		"a module in another .git": {
			address: archive(map[string]string{"main.tf": calling("./b/.git"), "b/.git/main.tf": plain}),
			says:    "module.a: Its source is a directory outside the module's folder",
		},
		"a module linked from .git": {
			address: archive(map[string]string{"main.tf": calling("./b"), ".git/a/main.tf": plain, "b": "->.git/a"}),
			says:    "could not be read",
		},
		"a file out of the archive": {
			address: archive(map[string]string{"main.tf": plain, "../../../../../../../.." + mark: "x"}),
			says:    "could not download",
		},
		"an absolute file": {address: archive(map[string]string{"main.tf": plain, mark: "x"}), says: ""},
		// Links are left out.
		"a link out of the archive": {
			address: archive(map[string]string{
				"main.tf": "output \"x\" {\n  value = file(\"${path.module}/d/main.tf\")\n}\n", "d": "->" + other,
			}), says: "",
		},

		"a submodule of this machine":       {address: submodule(elsewhere), says: "transport 'file' not allowed"},
		"a submodule that is a program":     {address: submodule("ext::sh -c touch% " + mark), says: "transport 'ext' not allowed"},
		"a submodule that is an option":     {address: submodule("--upload-pack=touch " + mark), says: "could not download"},
		"a submodule by ssh with options":   {address: submodule("ssh://-oProxyCommand=touch% " + mark + "/x"), says: "could not download"},
		"a called module that is a program": {address: local("git::ext::sh -c touch% " + mark), says: "module.a"},
		"a called module by ssh options": {
			address: local("git::ssh://-oProxyCommand=touch%20" + mark + "/x"), says: "Invalid module source address",
		},
		"a ref that is an option": {address: local("git::" + elsewhere + "?ref=--upload-pack=touch%20" + mark), says: "invalid ref"},
		// It is no number, and not used.
		"a depth that is an option": {
			address: local("git::" + elsewhere + "?depth=--upload-pack=touch%20" + mark), says: "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := fetch(module.Source{Address: test.address(t)})
			text := strings.Join(strings.Fields(diags.String()), " ")
			if diags.HasErrors() != (test.says != "") || !strings.Contains(strings.ToLower(text), strings.ToLower(test.says)) {
				t.Errorf("got %q, want %q", text, test.says)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("it has written a file, or run a program")
				_ = os.Remove(mark)
			}
		})
	}
}

// The digest has the files of a module in a folder .git, where that is permitted.
func TestDigestOfModulesInGit(t *testing.T) {
	t.Parallel()
	fetch := fetcher(t)
	digest := func(content string) string {
		t.Helper()
		m, diags := fetch(module.Source{
			Address: served(t, map[string]string{"main.tf": calling("./b/.git"), "b/.git/main.tf": content}),
			Allow:   []module.Permission{module.Files},
		})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return m.Digest
	}
	if first := digest(plain); digest(plain) != first || digest(plain+"\n") == first {
		t.Error("the digest does not depend on the files")
	}
}
