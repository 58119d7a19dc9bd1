package client_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/file"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"golang.org/x/crypto/ssh"

	"github.com/landbridge-io/landbridge/tools/git/client"
)

// The program of the tests is the git that they test if it is called so, and a server's
// git-upload-pack.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "git":
		os.Exit(client.Main())
	case "git-upload-pack":
		if err := file.ServeUploadPack(os.Args[1]); err != nil {
			os.Stderr.WriteString("fatal: '" + os.Args[1] + "' does not appear to be a git repository\n")
			os.Exit(128)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// called returns a directory with this program under a name.
func called(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// system returns the path of the system's git.
func system(t *testing.T) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git to compare with")
	}
	return git
}

// result is what a command did.
type result struct {
	Status         int
	Stdout, Stderr string
}

// run runs a git in a directory, with few variables in its environment.
func run(t *testing.T, git, dir string, env []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), git, args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(),
		"GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
	}, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// entry is a file of a commit. A submodule has the hash of its commit as its content.
type entry struct {
	mode    filemode.FileMode
	content string
}

func plain(content string) entry { return entry{filemode.Regular, content} }

// builder makes a repository without any git.
type builder struct {
	t     *testing.T
	dir   string
	store *filesystem.Storage
	time  time.Time
}

// build makes an empty repository whose HEAD is the branch main.
func build(t *testing.T, dir string) *builder {
	t.Helper()
	b := &builder{t, dir, filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault()), time.Unix(1e9, 0).UTC()}
	b.must(b.store.Init())
	b.must(b.store.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, plumbing.Main)))
	b.must(os.WriteFile(filepath.Join(dir, "config"), []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n"), 0o600))
	return b
}

func (b *builder) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *builder) save(o interface {
	Encode(plumbing.EncodedObject) error
}) plumbing.Hash {
	b.t.Helper()
	encoded := b.store.NewEncodedObject()
	b.must(o.Encode(encoded))
	hash, err := b.store.SetEncodedObject(encoded)
	b.must(err)
	return hash
}

// tree makes the tree of the files below a folder, which ends with a slash or is empty.
func (b *builder) tree(files map[string]entry, folder string) plumbing.Hash {
	b.t.Helper()
	entries := map[string]object.TreeEntry{}
	for name, f := range files {
		rest, ok := strings.CutPrefix(name, folder)
		if !ok {
			continue
		}
		if first, _, deeper := strings.Cut(rest, "/"); deeper {
			entries[first+"/"] = object.TreeEntry{Name: first, Mode: filemode.Dir}
			continue
		}
		e := object.TreeEntry{Name: rest, Mode: f.mode}
		if f.mode == filemode.Submodule {
			e.Hash = plumbing.NewHash(f.content)
		} else {
			encoded := b.store.NewEncodedObject()
			encoded.SetType(plumbing.BlobObject)
			w, err := encoded.Writer()
			b.must(err)
			_, err = w.Write([]byte(f.content))
			b.must(errors.Join(err, w.Close()))
			e.Hash, err = b.store.SetEncodedObject(encoded)
			b.must(err)
		}
		entries[rest] = e
	}
	out := object.Tree{}
	for _, e := range entries {
		if e.Mode == filemode.Dir {
			e.Hash = b.tree(files, folder+e.Name+"/")
		}
		out.Entries = append(out.Entries, e)
	}
	slices.SortFunc(out.Entries, func(x, y object.TreeEntry) int { return strings.Compare(sortName(x), sortName(y)) })
	return b.save(&out)
}

func sortName(e object.TreeEntry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

// commit makes a commit.
func (b *builder) commit(message string, files map[string]entry, parents ...plumbing.Hash) plumbing.Hash {
	b.t.Helper()
	b.time = b.time.Add(time.Hour)
	who := object.Signature{Name: "a", Email: "a@example.org", When: b.time}
	return b.save(&object.Commit{Author: who, Committer: who, Message: message + "\n", TreeHash: b.tree(files, ""), ParentHashes: parents})
}

// tag makes an annotated tag.
func (b *builder) tag(name string, commit plumbing.Hash) {
	b.t.Helper()
	who := object.Signature{Name: "a", Email: "a@example.org", When: b.time}
	b.ref("refs/tags/"+name, b.save(&object.Tag{
		Name: name, Tagger: who, Message: name + "\n", TargetType: plumbing.CommitObject, Target: commit,
	}))
}

// ref sets a reference.
func (b *builder) ref(name string, hash plumbing.Hash) {
	b.t.Helper()
	b.must(b.store.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(name), hash)))
}

// estate is a folder of repositories, and the commits of web.git by names.
type estate struct {
	dir     string
	commits map[string]string
}

func output(value string) entry { return plain("output \"x\" {\n  value = \"" + value + "\"\n}\n") }

// newEstate makes web.git with branches, tags, links, programs and a submodule that has a
// submodule. Relative addresses of submodules lead to the other repositories.
func newEstate(t *testing.T) estate {
	t.Helper()
	e := estate{t.TempDir(), map[string]string{}}
	leaf := build(t, filepath.Join(e.dir, "leaf.git"))
	inner := leaf.commit("leaf", map[string]entry{"main.tf": output("leaf")})
	leaf.ref("refs/heads/main", inner)

	part := build(t, filepath.Join(e.dir, "part.git"))
	old := part.commit("old", map[string]entry{"main.tf": output("old part")})
	middle := part.commit("part", map[string]entry{
		"main.tf": output("part"), "leaf": {filemode.Submodule, inner.String()},
		".gitmodules": plain("[submodule \"leaf\"]\n\tpath = leaf\n\turl = ../leaf.git\n"),
	}, old)
	part.ref("refs/heads/main", part.commit("newer", map[string]entry{"main.tf": output("newer part")}, middle))
	// A commit of no branch.
	part.ref("refs/pull/1/head", middle)

	web := build(t, filepath.Join(e.dir, "web.git"))
	files := map[string]entry{"main.tf": output("one"), "modules/site/main.tf": output("site one")}
	one := web.commit("one", files)
	files["run.sh"], files["bin/tool"] = entry{filemode.Executable, "#!/bin/sh\n"}, entry{filemode.Executable, "tool"}
	files["link"], files["modules/absolute"] = entry{filemode.Symlink, "modules/site"}, entry{filemode.Symlink, "/etc/hostname"}
	files["modules/site/main.tf"], files["umläut"] = output("site two"), plain("ü")
	two := web.commit("two", files, one)
	files["parts/part"] = entry{filemode.Submodule, middle.String()}
	files[".gitmodules"] = plain("[submodule \"parts\"]\n\tpath = parts/part\n\turl = ../part.git\n")
	three := web.commit("three", files, two)
	side := web.commit("side", map[string]entry{"main.tf": output("side"), "modules/site/main.tf": output("site side")}, one)
	web.ref("refs/heads/main", three)
	web.ref("refs/heads/side", side)
	web.ref("refs/heads/feature/x", two)
	web.ref("refs/tags/v1.0.0", one)
	web.tag("v1.1.0", two)
	e.commits = map[string]string{"one": one.String(), "two": two.String(), "three": three.String(), "side": side.String()}
	return e
}

// backend serves the repositories of a folder by HTTP with the system's git.
func backend(t *testing.T, dir string) http.Handler {
	t.Helper()
	return &cgi.Handler{
		Path: system(t), Args: []string{"http-backend"}, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + t.TempDir()}, InheritEnv: []string{"PATH"},
	}
}

// smart serves the repositories of a folder by HTTP without any git: no shallow clones, and no
// hashes of no reference.
func smart(dir string) http.Handler {
	repositories := server.NewServer(server.NewFilesystemLoader(osfs.New(dir)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, service, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git/")
		s, err := repositories.NewUploadPackSession(&transport.Endpoint{Path: path + ".git"}, nil)
		if err != nil {
			http.Error(w, "Not Found", http.StatusNotFound)
			return
		}
		switch service {
		case "info/refs":
			refs, err := s.AdvertisedReferencesContext(r.Context())
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			refs.Prefix = [][]byte{[]byte("# service=git-upload-pack"), {}}
			_ = refs.Encode(w)
		case "git-upload-pack":
			request := packp.NewUploadPackRequest()
			if err := request.UploadRequest.Decode(r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			answer, err := s.UploadPack(r.Context(), request)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_ = answer.Encode(w)
		default:
			http.NotFound(w, r)
		}
	})
}

// newKey returns a private key as ssh-keygen writes it, and its public key.
func newKey(t *testing.T) ([]byte, ssh.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	out, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block), out
}

// serveSSH serves the repositories of a folder by SSH to those who have the key.
func serveSSH(t *testing.T, dir string, user ssh.PublicKey) (address string, host ssh.PublicKey) {
	t.Helper()
	private, host := newKey(t)
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if !bytes.Equal(key.Marshal(), user.Marshal()) {
			return nil, errors.New("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	program := filepath.Join(called(t, "git-upload-pack"), "git-upload-pack")
	if git, err := exec.LookPath("git-upload-pack"); err == nil {
		program = git
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveConnection(conn, config, program, dir)
		}
	}()
	return listener.Addr().String(), host
}

func serveConnection(conn net.Conn, config *ssh.ServerConfig, program, dir string) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		channel, asked, err := offered.Accept()
		if err != nil {
			return
		}
		for request := range asked {
			var command struct{ Line string }
			_ = ssh.Unmarshal(request.Payload, &command)
			path, ok := strings.CutPrefix(command.Line, "git-upload-pack '")
			_ = request.Reply(request.Type == "exec" && ok, nil)
			if request.Type != "exec" || !ok {
				continue
			}
			pack := exec.Command(program, filepath.Join(dir, filepath.Clean("/"+strings.TrimSuffix(path, "'"))))
			pack.Stdout, pack.Stderr = channel, channel.Stderr()
			// Not pack.Stdin: the client ends its input only when it knows the status.
			if in, err := pack.StdinPipe(); err == nil {
				go func() { _, _ = io.Copy(in, channel); in.Close() }()
			}
			status := struct{ Code uint32 }{}
			if pack.Run() != nil {
				status.Code = 1
			}
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
			channel.Close()
		}
	}
}

// contents returns the files below a folder: their modes, and their contents or where they link to.
// The files of git itself are left out, but not that a submodule has them elsewhere.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		name, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			out[name] = info.Mode().String()
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			out[name] = "-> " + to
			return err
		default:
			content, err := os.ReadFile(path)
			out[name] = info.Mode().String() + " " + string(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
