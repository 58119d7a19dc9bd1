package module_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// TestPrivateRepositoryBySSH fetches a module from a subdirectory of a repository that OpenSSH's
// client reaches with a key.
func TestPrivateRepositoryBySSH(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"git", "ssh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	put(t, dir, filepath.Join("modules", "a", "main.tf"), plain)
	repository(t, dir)
	key, public := newKey(t)
	otherKey, _ := newKey(t)
	_, otherHost := newKey(t)
	address, host := serveGit(t, filepath.Join(dir, ".git"), public)
	known := func(host ssh.PublicKey) []byte { return []byte(knownhosts.Line([]string{address}, host) + "\n") }
	fetch := fetcher(t)
	for name, test := range map[string]struct {
		credentials *module.Credentials
		says        string // empty if it is fetched
	}{
		"with the key":     {credentials: &module.Credentials{SSHKey: key, KnownHosts: known(host)}},
		"with another key": {credentials: &module.Credentials{SSHKey: otherKey, KnownHosts: known(host)}, says: "Permission denied"},
		"of another host": {
			credentials: &module.Credentials{SSHKey: key, KnownHosts: known(otherHost)},
			says:        "REMOTE HOST IDENTIFICATION HAS CHANGED",
		},
		"of an unknown host": {
			credentials: &module.Credentials{SSHKey: key, KnownHosts: []byte("example.org ssh-ed25519 AAAA\n")},
			says:        "Host key verification failed",
		},
		"without a known host":  {credentials: &module.Credentials{SSHKey: key}, says: "known_hosts"},
		"with a password alone": {credentials: &module.Credentials{Password: "s3cret"}, says: "ssh-privatekey"},
	} {
		t.Run(name, func(t *testing.T) {
			m, diags := fetch(module.Source{Address: "git::ssh://git@" + address + "/modules.git//modules/a", Credentials: test.credentials})
			switch text := diags.String(); {
			case test.says == "" && (diags.HasErrors() || m.Outputs["x"] == nil):
				t.Errorf("%v, outputs %v", diags, m.Outputs)
			case test.says != "" && (!diags.HasErrors() || !strings.Contains(text, test.says)):
				t.Errorf("%v, want %q", diags, test.says)
			case strings.Contains(text, "PRIVATE KEY"), strings.Contains(text, "s3cret"):
				t.Errorf("it tells a secret: %s", text)
			}
		})
	}
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

// serveGit serves a repository by SSH to those who have the key. It returns the address and the key
// of the host.
func serveGit(t *testing.T, repository string, client ssh.PublicKey) (address string, host ssh.PublicKey) {
	t.Helper()
	private, host := newKey(t)
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) != string(client.Marshal()) {
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
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveConnection(conn, config, git, repository)
		}
	}()
	return listener.Addr().String(), host
}

// serveConnection answers each command of a client with the repository, whatever path it asks for.
func serveConnection(conn net.Conn, config *ssh.ServerConfig, git, repository string) {
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
			runs := request.Type == "exec" && strings.Contains(string(request.Payload), "git-upload-pack ")
			_ = request.Reply(runs, nil)
			if !runs {
				continue
			}
			pack := exec.Command(git, "upload-pack", repository)
			pack.Stdout, pack.Stderr = channel, channel.Stderr()
			status := struct{ Code uint32 }{}
			// Not pack.Stdin: the client ends its input only when it knows the status.
			if in, err := pack.StdinPipe(); err == nil {
				go func() { _, _ = io.Copy(in, channel) }()
			}
			if pack.Run() != nil {
				status.Code = 1
			}
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
			channel.Close()
		}
	}
}
