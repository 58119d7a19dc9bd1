package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// TestSSH clones by SSH with what GIT_SSH_COMMAND says. It needs no other git.
func TestSSH(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	git := filepath.Join(called(t, "git"), "git")
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	private, public := newKey(t)
	another, other := newKey(t)
	server, host := serveSSH(t, e.dir, public)
	port := server[strings.LastIndex(server, ":")+1:]
	line := func(key ssh.PublicKey, address string) []byte {
		return []byte(knownhosts.Line([]string{address}, key) + "\n")
	}
	key, wrong := file("key", private), file("wrong", another)
	spaced, none := file("a key", private), file("none", []byte("no key"))
	known, changed := file("known", line(host, server)), file("changed", line(other, server))
	hashed := file("hashed", []byte(knownhosts.HashHostname(knownhosts.Normalize(server))+" "+string(ssh.MarshalAuthorizedKey(host))))
	unknown := file("unknown", []byte("example.org ssh-ed25519 AAAA\n"))
	mixed := file("mixed", append([]byte("# comment\n\nexample.org ssh-ed25519 AAAA\n"), line(host, server)...))
	revoked := file("revoked", append([]byte("@revoked * "+string(ssh.MarshalAuthorizedKey(host))), line(host, server)...))
	// What Landbridge sets (internal/terraform/module/credentials.go).
	command := func(key, known string) string {
		return "ssh -F /dev/null -i " + key + " -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes" +
			" -o GlobalKnownHostsFile=/dev/null -o UserKnownHostsFile=" + known
	}
	for name, test := range map[string]struct {
		address, command, says string // says is empty if it is cloned
	}{
		"with the key":       {command: command(key, known)},
		"with a hashed host": {command: command(key, hashed)},
		"with other lines":   {command: command(key, mixed)},
		"with two keys":      {command: command(wrong, known) + " -i " + key},
		"with a port":        {command: command(key, known) + " -p " + port, address: "ssh://git@127.0.0.1/web.git"},
		"with quotes":        {command: "ssh -i'" + spaced + "' -oUserKnownHostsFile=\"" + known + "\""},
		"with a backslash": {
			command: "/usr/bin/ssh -i " + strings.ReplaceAll(spaced, " ", `\ `) +
				" -o 'UserKnownHostsFile " + known + "'",
		},
		"as scp":                  {command: command(key, known) + " -p " + port, address: "git@127.0.0.1:web.git"},
		"with another key":        {command: command(wrong, known), says: "git@127.0.0.1: Permission denied (publickey)."},
		"without a key":           {command: command(none, known), says: "Permission denied"},
		"with no file of a key":   {command: command(dir+"/missing", known), says: "not accessible"},
		"of another host":         {command: command(key, changed), says: "REMOTE HOST IDENTIFICATION HAS CHANGED"},
		"of an unknown host":      {command: command(key, unknown), says: "Host key verification failed"},
		"without known hosts":     {command: "ssh -i " + key, says: "Host key verification failed"},
		"of a revoked key":        {command: command(key, revoked), says: "Host key verification failed"},
		"unchecked":               {command: "ssh -i " + key + " -o StrictHostKeyChecking=no", says: "always checks the keys of hosts"},
		"accepting what is new":   {command: "ssh -i " + key + " -o StrictHostKeyChecking=accept-new", says: "always checks the keys of hosts"},
		"by a program":            {command: command(key, known) + " -o ProxyCommand=touch", says: "does not know: -o proxycommand"},
		"with a file of settings": {command: "ssh -F " + key, says: "reads no configuration of ssh"},
		"with an agent":           {command: command(key, known) + " -A", says: "does not know: -A"},
		"with a shell":            {command: "ssh -i $(touch x)", says: "which needs a shell"},
		"with another program":    {command: "plink -i " + key, says: "must be a command of ssh"},
		"without a command":       {says: "GIT_SSH_COMMAND must name a private key and the known hosts"},
		"no repository":           {command: command(key, known), address: "ssh://git@" + server + "/none.git", says: "none.git' not found"},
		"a host that is an option": {
			command: command(key, known), address: "ssh://-oProxyCommand=touch/web.git", says: "strange hostname",
		},
		"a path that is an option": {command: command(key, known), address: "git@127.0.0.1:-x", says: "strange pathname"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clone, address := filepath.Join(t.TempDir(), "clone"), test.address
			if address == "" {
				address = "ssh://git@" + server + "/web.git"
			}
			got := run(t, git, "/", []string{"GIT_SSH_COMMAND=" + test.command, "GIT_SSH_VARIANT=ssh"}, "clone", "--", address, clone)
			checkClone(t, got, clone, test.says)
			if strings.Contains(got.Stderr, "PRIVATE KEY") {
				t.Errorf("it tells a secret: %s", got.Stderr)
			}
			if name == "with the key" {
				if got := run(t, git, clone, []string{"GIT_SSH_COMMAND=" + test.command}, "submodule", "update",
					"--init", "--recursive"); got.Status != 0 {
					t.Error(got.Stderr)
				}
			}
		})
	}
}
