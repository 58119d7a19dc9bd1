package client

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// address is where a repository is.
type address struct {
	// text is the address as it was given, without a user and a password: it may be shown.
	text string
	// url is the address of all but those in the form of scp.
	url      *url.URL
	endpoint *transport.Endpoint
}

var (
	scheme = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9+.-]*)://`)
	helper = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9+.-]*)::`)
	scp    = regexp.MustCompile(`^(?:([^@/]+)@)?(\[[0-9A-Fa-f:.]+\]|[^:/\[\]]+):(.+)$`)
)

// protocols are the protocols by the schemes of addresses.
var protocols = map[string]string{
	"http": "http", "https": "https", "git": "git", "file": "file",
	"ssh": "ssh", "git+ssh": "ssh", "ssh+git": "ssh",
}

// parseAddress reads an address. A relative path is one within dir.
func parseAddress(text, dir string) (address, error) {
	if m := helper.FindStringSubmatch(text); m != nil {
		return address{}, fatalf("transport '%s' not allowed", m[1])
	}
	if m := scheme.FindStringSubmatch(text); m != nil {
		return parseURL(text, strings.ToLower(m[1]))
	}
	if m := scp.FindStringSubmatch(text); m != nil && !filepath.IsAbs(text) {
		e := &transport.Endpoint{
			Protocol: "ssh",
			User:     m[1],
			Host:     strings.Trim(m[2], "[]"),
			Path:     m[3],
		}
		return address{text: m[2] + ":" + m[3], endpoint: e}, strange(e)
	}
	if strings.HasPrefix(text, "-") || text == "" {
		return address{}, fatalf("strange pathname '%s' blocked", text)
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(dir, text)
	}
	return address{text: text, endpoint: &transport.Endpoint{Protocol: "file", Path: text}}, nil
}

func parseURL(text, scheme string) (address, error) {
	protocol, ok := protocols[scheme]
	if !ok {
		return address{}, fatalf("transport '%s' not allowed", scheme)
	}
	u, err := url.Parse(text)
	if err != nil {
		// The error may tell a password.
		return address{}, fatalf("the address of the repository is not valid")
	}
	shown := *u
	shown.User = nil
	e := &transport.Endpoint{Protocol: protocol, Host: u.Hostname(), Path: u.Path}
	if port := u.Port(); port != "" {
		if e.Port, err = strconv.Atoi(port); err != nil || e.Port < 1 || e.Port > 65535 {
			return address{}, fatalf("the address of the repository has no valid port")
		}
	}
	switch protocol {
	case "http", "https":
		// Not the user: the headers have it. An Endpoint has paths and hosts as they are sent.
		e.Path = u.EscapedPath()
		if u.RawQuery != "" {
			e.Path += "?" + u.RawQuery
		}
		if strings.Contains(e.Host, ":") {
			e.Host = "[" + e.Host + "]"
		}
	case "ssh":
		e.User = u.User.Username()
		if strings.HasPrefix(e.Path, "/~") {
			e.Path = e.Path[1:]
		}
	}
	if e.Host == "" && protocol != "file" || e.Path == "" && protocol == "file" {
		return address{}, fatalf("the address of the repository has no host or no path")
	}
	return address{text: shown.String(), url: u, endpoint: e}, strange(e)
}

// strange refuses what programs might take for an option.
func strange(e *transport.Endpoint) error {
	switch {
	case strings.HasPrefix(e.Host, "-"):
		return fatalf("strange hostname '%s' blocked", e.Host)
	case strings.HasPrefix(e.User, "-"):
		return fatalf("strange username '%s' blocked", e.User)
	case strings.HasPrefix(e.Path, "-") && e.Protocol == "ssh":
		return fatalf("strange pathname '%s' blocked", e.Path)
	}
	return nil
}

// resolve returns the address of a submodule, which is relative to that of the repository if it
// begins with ./ or ../.
func resolve(base, text string) string {
	if !strings.HasPrefix(text, "./") && !strings.HasPrefix(text, "../") {
		return text
	}
	prefix, rest := "", base
	if m := scheme.FindString(base); m != "" {
		at := strings.IndexByte(base[len(m):], '/')
		if at < 0 {
			at = len(base) - len(m)
		}
		prefix, rest = base[:len(m)+at], base[len(m)+at:]
	} else if m := scp.FindStringSubmatch(base); m != nil && !filepath.IsAbs(base) {
		prefix, rest = strings.TrimSuffix(base, m[3]), m[3]
	}
	joined := path.Join(rest, text)
	if !strings.HasPrefix(rest, "/") {
		joined = strings.TrimPrefix(path.Join("/", rest, text), "/")
	}
	return prefix + joined
}
