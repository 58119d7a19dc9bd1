package module

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Credentials are for the host of a Source's address. They are given to no other host.
type Credentials struct {
	// Username and Password are for Git over HTTPS; the username defaults to "git".
	Username, Password string
	// SSHKey is a private key for Git over SSH, KnownHosts are the host's keys.
	SSHKey, KnownHosts []byte
	// Token is for a private registry.
	Token string
}

const keyFile, hostsFile = "ssh-key", "known-hosts"

var scpAddress = regexp.MustCompile(`^(?:[^@/:]+@)?([^@/:]+):[^/]`)

// hostOf returns the host of an address, and whether it is reached by Git, and by SSH.
func hostOf(address string) (host string, git, ssh bool) {
	rest, git := strings.CutPrefix(address, "git::")
	if u, err := url.Parse(rest); err == nil && u.Host != "" {
		return u.Host, git || u.Scheme == "ssh", u.Scheme == "ssh" || u.Scheme == "git+ssh"
	}
	if m := scpAddress.FindStringSubmatch(rest); m != nil {
		return m[1], true, true
	}
	host, _, _ = strings.Cut(rest, "/")
	return host, git || host == "github.com" || host == "bitbucket.org", false
}

// environment returns the variables and the files by which the program uses the credentials. path
// returns the path of a file. It is an error if they are not for the address.
func (c *Credentials) environment(address string, path func(string) string) (env map[string]string, files map[string][]byte, _ error) {
	if c == nil {
		return nil, nil, nil
	}
	host, git, ssh := hostOf(address)
	switch {
	case !git && c.Token == "":
		return nil, nil, fmt.Errorf("the credentials for the registry %s need the key token", host)
	case !git:
		name := strings.NewReplacer(".", "_", "-", "__").Replace(host)
		return map[string]string{"TF_TOKEN_" + name: c.Token}, nil, nil
	case ssh && (len(c.SSHKey) == 0 || len(c.KnownHosts) == 0):
		return nil, nil, fmt.Errorf("the credentials for %s by SSH need the keys ssh-privatekey and known_hosts", host)
	case ssh:
		options := []string{"ssh", "-F", "/dev/null", "-i", path(keyFile), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
			"-o", "StrictHostKeyChecking=yes", "-o", "GlobalKnownHostsFile=/dev/null", "-o", "UserKnownHostsFile=" + path(hostsFile)}
		key := append([]byte(strings.TrimSpace(string(c.SSHKey))), '\n')
		return map[string]string{"GIT_SSH_COMMAND": strings.Join(options, " "), "GIT_SSH_VARIANT": "ssh"},
			map[string][]byte{keyFile: key, hostsFile: c.KnownHosts}, nil
	case c.Password == "":
		return nil, nil, fmt.Errorf("the credentials for %s need the key password", host)
	}
	user := c.Username
	if user == "" {
		user = "git"
	}
	scheme := "https"
	if strings.HasPrefix(strings.TrimPrefix(address, "git::"), "http://") {
		scheme = "http"
	}
	return map[string]string{
		"GIT_CONFIG_COUNT":   "1",
		"GIT_CONFIG_KEY_0":   "http." + scheme + "://" + host + "/.extraHeader",
		"GIT_CONFIG_VALUE_0": "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+c.Password)),
	}, nil, nil
}
