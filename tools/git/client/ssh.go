package client

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
)

// login is how one logs in to a host by SSH.
type login struct {
	address address
	user    string
	host    string // with the port
	keys    []ssh.Signer
	known   *knownhosts.HostKeyDB
	// notes are what went wrong before the connection, hostError why the host is not trusted.
	notes     []string
	hostError error
	hostKey   ssh.PublicKey
}

// sshOptions are the options in GIT_SSH_COMMAND.
type sshOptions struct {
	identities  []string
	user, local []string // files of known hosts: the user's, and the machine's
	port        int
}

// login reads GIT_SSH_COMMAND, and the files that it names.
func (p *process) login(a address) (*login, error) {
	text := p.Env("GIT_SSH_COMMAND")
	if text == "" {
		return nil, fatalf("%s is reached by SSH, for which GIT_SSH_COMMAND must name a private key "+
			"and the known hosts: the git of Landbridge's image has neither ssh nor an agent.\n"+
			"In Landbridge, a Secret has them: spec.source.credentialsSecretRef, with the keys "+
			"ssh-privatekey and known_hosts", a.text)
	}
	o, err := parseSSH(text, p.Env("HOME"))
	if err != nil {
		return nil, err
	}
	l := &login{address: a, user: a.endpoint.User}
	if l.user == "" {
		current, err := user.Current()
		if err != nil {
			return nil, fatalf("the address %s has no user", a.text)
		}
		l.user = current.Username
	}
	if o.port != 0 {
		a.endpoint.Port = o.port
	} else if a.endpoint.Port == 0 {
		a.endpoint.Port = 22
	}
	l.host = net.JoinHostPort(a.endpoint.Host, strconv.Itoa(a.endpoint.Port))
	for _, file := range o.identities {
		content, err := os.ReadFile(file)
		if err != nil {
			l.notes = append(l.notes, "Warning: Identity file "+file+" not accessible.")
			continue
		}
		key, err := ssh.ParsePrivateKey(content)
		if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) {
			l.notes = append(l.notes,
				"Load key \""+file+"\": it has a passphrase, which cannot be asked for")
			continue
		} else if err != nil {
			l.notes = append(l.notes, "Load key \""+file+"\": it is no private key")
			continue
		}
		l.keys = append(l.keys, key)
	}
	l.known, err = readKnownHosts(append(o.user, o.local...))
	return l, err
}

// readKnownHosts reads the lines of the files that are valid, as ssh does. Files that do not exist
// have none.
func readKnownHosts(files []string) (*knownhosts.HostKeyDB, error) {
	var valid bytes.Buffer
	for _, file := range files {
		content, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, fatalf("the known hosts cannot be read: %s", err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
			if _, _, _, _, _, err := ssh.ParseKnownHosts(lines.Bytes()); err == nil {
				valid.Write(append(lines.Bytes(), '\n'))
			}
		}
	}
	// The library reads files only.
	f, err := os.CreateTemp("", "known-hosts-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(valid.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return knownhosts.NewDB(f.Name())
}

// parseSSH reads a command of ssh. An option without an effect here is an error, since it might
// protect something.
func parseSSH(text, home string) (sshOptions, error) {
	o := sshOptions{
		user: []string{
			filepath.Join(home, ".ssh", "known_hosts"),
			filepath.Join(home, ".ssh", "known_hosts2"),
		},
		local: []string{"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"},
	}
	words, err := split(text)
	if err != nil {
		return o, err
	}
	if len(words) == 0 || filepath.Base(words[0]) != "ssh" {
		return o, fatalf("GIT_SSH_COMMAND must be a command of ssh")
	}
	words = words[1:]
	expand := func(file string) string {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			return filepath.Join(home, rest)
		}
		return file
	}
	set := map[string]func(value string) error{
		"identityfile": func(v string) error {
			o.identities = append(o.identities, expand(v))
			return nil
		},
		"identitiesonly": func(string) error { return nil }, // there are no others
		"batchmode":      func(string) error { return nil }, // there are no prompts
		"stricthostkeychecking": func(v string) error {
			if v := strings.ToLower(v); v != "yes" && v != "ask" {
				return fatalf("GIT_SSH_COMMAND has StrictHostKeyChecking=%s: the git of Landbridge's "+
					"image always checks the keys of hosts", v)
			}
			return nil
		},
		"userknownhostsfile": func(v string) error {
			o.user = nil
			for _, file := range strings.Fields(v) {
				o.user = append(o.user, expand(file))
			}
			return nil
		},
		"globalknownhostsfile": func(v string) error { o.local = strings.Fields(v); return nil },
		"port": func(v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 65535 {
				return fatalf("GIT_SSH_COMMAND has the port '%s'", v)
			}
			if o.port == 0 { // the first one counts
				o.port = n
			}
			return nil
		},
		"configfile": func(v string) error {
			if v != os.DevNull && v != "none" {
				return fatalf("GIT_SSH_COMMAND has -F: the git of Landbridge's image reads no " +
					"configuration of ssh")
			}
			return nil
		},
	}
	short := map[byte]string{'i': "identityfile", 'p': "port", 'F': "configfile", 'o': ""}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if len(word) < 2 || word[0] != '-' {
			return o, fatalf("GIT_SSH_COMMAND has the argument '%s', which is no option", word)
		}
		name, known := short[word[1]]
		value := word[2:]
		if known && value == "" {
			if len(words) == 0 {
				return o, fatalf("GIT_SSH_COMMAND has %s without a value", word)
			}
			value, words = words[0], words[1:]
		}
		if name == "" && known {
			at := strings.IndexAny(value, "= \t")
			if at < 0 {
				return o, fatalf("GIT_SSH_COMMAND has the option '%s' without a value", value)
			}
			name, value = strings.ToLower(value[:at]), strings.Trim(value[at:], "= \t")
		}
		apply, ok := set[name]
		if !ok || name == "configfile" && word[1] == 'o' {
			return o, fatalf("GIT_SSH_COMMAND has an option that the git of Landbridge's image does "+
				"not know: %s %s. It knows -F /dev/null, -i, -p, and by -o: BatchMode, "+
				"GlobalKnownHostsFile, IdentitiesOnly, IdentityFile, Port, StrictHostKeyChecking, "+
				"UserKnownHostsFile", word[:2], name)
		}
		if err := apply(value); err != nil {
			return o, err
		}
	}
	return o, nil
}

// split splits a command into words as a shell does, as long as there are only quotes and
// backslashes in it.
func split(text string) ([]string, error) {
	var out []string
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case c == quote:
			quote = 0
		case c == '\\' && i+1 < len(text):
			if i++; quote == '"' && !strings.ContainsRune("\\\"$`", rune(text[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(text[i])
			in = true
		case c == '$' || c == '`' || quote == 0 && strings.IndexByte("|&;<>()*?[]#\n", c) >= 0:
			return nil, fatalf("GIT_SSH_COMMAND has '%c', which needs a shell: there is none", c)
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == ' ' || c == '\t':
			if in {
				out = append(out, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, fatalf("GIT_SSH_COMMAND has a quote without an end")
	}
	if in {
		out = append(out, word.String())
	}
	return out, nil
}

// Name is the name of the method.
func (l *login) Name() string { return "ssh-public-keys" }

// String tells nothing of the keys.
func (l *login) String() string { return "user: " + l.user + ", name: " + l.Name() }

// ClientConfig returns the configuration of the connection.
func (l *login) ClientConfig() (*ssh.ClientConfig, error) {
	return &ssh.ClientConfig{
		User: l.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(l.keys...)},
		HostKeyAlgorithms: l.known.HostKeyAlgorithms(l.host),
		HostKeyCallback: func(hostname string, remote net.Addr, key ssh.PublicKey) error {
			l.hostKey, l.hostError = key, l.known.HostKeyCallback()(hostname, remote, key)
			return l.hostError
		},
	}, nil
}

// explain words an error as ssh and git do.
func (l *login) explain(err error) error {
	lines := l.notes
	host := knownhosts.Normalize(l.host)
	kind := ""
	if l.hostKey != nil {
		kind = strings.ToUpper(strings.TrimPrefix(l.hostKey.Type(), "ssh-"))
	}
	text := err.Error()
	switch {
	case knownhosts.IsHostKeyChanged(l.hostError):
		bar := strings.Repeat("@", 59)
		lines = append(lines,
			bar, "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @", bar,
			"The fingerprint for the "+kind+" key sent by the remote host is",
			ssh.FingerprintSHA256(l.hostKey)+".",
			"The known hosts have another key for "+host+".", "Host key verification failed.")
	case knownhosts.IsHostUnknown(l.hostError):
		lines = append(lines,
			"No "+kind+" host key is known for "+host+", and host keys are always checked.",
			"Host key verification failed.")
	case l.hostError != nil:
		lines = append(lines, l.hostError.Error(), "Host key verification failed.")
	case strings.Contains(text, "no common algorithm for host key"):
		lines = append(lines,
			"The known hosts have a key of "+host+" of a type that it does not have.",
			"Host key verification failed.")
	case strings.Contains(text, "unable to authenticate"):
		lines = append(lines, l.user+"@"+l.address.endpoint.Host+": Permission denied (publickey).")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		lines = append(lines, "repository '"+l.address.text+"' not found")
	default:
		// go-git puts this before what the host has written.
		lines = append(lines,
			strings.TrimPrefix(strings.TrimPrefix(text, "unknown error: "), "ssh: "))
	}
	return failure{
		Fatal,
		strings.Join(lines, "\n") + "\nfatal: Could not read from remote repository.\n\n" +
			"Please make sure you have the correct access rights\nand the repository exists.",
	}
}
