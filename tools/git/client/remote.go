package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	transportgit "github.com/go-git/go-git/v5/plumbing/transport/git"
	transporthttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/plumbing/transport/server"
	transportssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

func init() {
	// Servers that insist on multi_ack, such as Azure DevOps, answer as others do as long as
	// nothing is said to be known already, which this client never says.
	transport.UnsupportedCapabilities = []capability.Capability{capability.ThinPack}
	// No file of ssh's configuration is read.
	transportssh.DefaultSSHConfig = nil
}

// session is a connection to a repository, and what the repository has.
type session struct {
	transport.UploadPackSession
	address      address
	capabilities *capability.List
	refs         map[plumbing.ReferenceName]plumbing.Hash
	peeled       map[plumbing.ReferenceName]plumbing.Hash // the objects of annotated tags
	head         plumbing.Hash                            // zero if there is none
	branch       plumbing.ReferenceName                   // the branch that HEAD is; empty if it is none
	explain      func(error) error
}

// connect connects to a repository and lists what it has.
func (p *process) connect(ctx context.Context, a address) (*session, error) {
	s := &session{
		address: a,
		refs:    map[plumbing.ReferenceName]plumbing.Hash{},
		peeled:  map[plumbing.ReferenceName]plumbing.Hash{},
		explain: func(err error) error { return explain(err, a) },
	}
	var through transport.Transport
	var auth transport.AuthMethod
	switch a.endpoint.Protocol {
	case "http", "https":
		h := newHeaders(p.settings, a.url)
		through, auth = transporthttp.NewClient(&http.Client{Transport: http.DefaultTransport}), h
		s.explain = func(err error) error { return explainHTTP(err, a, len(h.values) > 0) }
	case "ssh":
		login, err := p.login(a)
		if err != nil {
			return nil, err
		}
		through, auth, s.explain = transportssh.NewClient(nil), login, login.explain
	case "git":
		through = transportgit.DefaultClient
	default:
		through = server.NewClient(local{})
	}
	endpoint := *a.endpoint
	var err error
	if s.UploadPackSession, err = through.NewUploadPackSession(&endpoint, auth); err != nil {
		return nil, s.explain(err)
	}
	advertised, err := s.AdvertisedReferencesContext(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return s, nil
	}
	if err != nil {
		_ = s.Close()
		return nil, s.explain(err)
	}
	s.read(advertised)
	return s, nil
}

// read notes what a repository has.
func (s *session) read(from *packp.AdvRefs) {
	s.capabilities = from.Capabilities
	for name, hash := range from.References {
		// A name that is not valid might be a path to elsewhere.
		if name := plumbing.ReferenceName(name); inRefs(name) {
			s.refs[name] = hash
		}
	}
	for name, hash := range from.Peeled {
		s.peeled[plumbing.ReferenceName(name)] = hash
	}
	if from.Head == nil {
		return
	}
	s.head = *from.Head
	for _, symbolic := range from.Capabilities.Get(capability.SymRef) {
		name, text, _ := strings.Cut(symbolic, ":")
		if target := plumbing.ReferenceName(text); name == "HEAD" && s.refs[target] == s.head {
			s.branch = target
			return
		}
	}
	if from.Capabilities.Supports(capability.SymRef) {
		return
	}
	// Old servers do not tell, so it is guessed as git does.
	guesses := slices.Concat([]plumbing.ReferenceName{"refs/heads/master", "refs/heads/main"},
		slices.Sorted(maps.Keys(s.refs)))
	for _, name := range guesses {
		if hash, ok := s.refs[name]; ok && name.IsBranch() && hash == s.head {
			s.branch = name
			return
		}
	}
}

// inRefs reports whether a reference is one below refs, with a valid name.
func inRefs(name plumbing.ReferenceName) bool {
	return strings.HasPrefix(string(name), "refs/") && name.Validate() == nil
}

// find returns what a name or a hash means in the repository; the name is empty if it is a hash.
func (s *session) find(text string) (plumbing.ReferenceName, plumbing.Hash, bool) {
	if text == "" || text == "HEAD" {
		return plumbing.HEAD, s.head, !s.head.IsZero()
	}
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s"} {
		name := plumbing.ReferenceName(fmt.Sprintf(form, text))
		if hash, ok := s.refs[name]; ok {
			return name, hash, true
		}
	}
	return "", plumbing.NewHash(text), plumbing.IsHash(text)
}

// local loads the repositories of this machine.
type local struct{}

func (local) Load(e *transport.Endpoint) (storer.Storer, error) {
	for _, suffix := range []string{"/.git", "", ".git/.git", ".git"} {
		dir := filepath.Clean(e.Path + suffix)
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, "objects")); err == nil && info.IsDir() {
			return filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault()), nil
		}
	}
	return nil, transport.ErrRepositoryNotFound
}

// httpHeaders are the headers for a repository. The transport sends them to no other host, also
// after a redirect.
type httpHeaders struct {
	user   *url.Userinfo
	values []string
}

func newHeaders(settings []setting, u *url.URL) *httpHeaders {
	return &httpHeaders{user: u.User, values: headers(settings, u)}
}

// Name is the name of the method.
func (h *httpHeaders) Name() string { return "headers" }

// String tells nothing of the headers.
func (h *httpHeaders) String() string { return "headers" }

// SetAuth adds the headers to a request.
func (h *httpHeaders) SetAuth(r *http.Request) {
	if h.user != nil {
		password, _ := h.user.Password()
		r.SetBasicAuth(h.user.Username(), password)
	}
	for _, line := range h.values {
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if strings.EqualFold(name, "Authorization") {
			r.Header.Set(name, value)
		} else {
			r.Header.Add(name, value)
		}
	}
}

// explainHTTP words an error as git does. Answers of servers are not repeated: they may have what
// was sent.
func explainHTTP(err error, a address, sent bool) error {
	shown := strings.TrimSuffix(a.text, "/") + "/"
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired) && (sent || a.url.User != nil):
		return fatalf("Authentication failed for '%s'", shown)
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return fatalf("could not read Username for '%s://%s': terminal prompts disabled",
			a.url.Scheme, a.url.Host)
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return fatalf("unable to access '%s': The requested URL returned error: 403", shown)
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fatalf("repository '%s' not found", shown)
	}
	var status *transporthttp.Err
	var unexpected *plumbing.UnexpectedError
	if errors.As(err, &unexpected) {
		err = unexpected.Err
	}
	if errors.As(err, &status) {
		return fatalf("unable to access '%s': The requested URL returned error: %d", shown,
			status.StatusCode())
	}
	var in *url.Error
	if errors.As(err, &in) {
		err = in.Err // without the address, which may have a password
	}
	return fatalf("unable to access '%s': %s", shown, err)
}

// explain words an error as git does.
func explain(err error, a address) error {
	switch {
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fatalf("repository '%s' does not exist", a.text)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fatalf("Could not read from remote repository '%s': it ended the connection", a.text)
	}
	return fatalf("unable to access '%s': %s", a.text, err)
}

// lsRemote lists what a repository has.
func lsRemote(ctx context.Context, p *process, args arguments) error {
	if err := args.needs(1, 100); err != nil {
		return err
	}
	a, err := parseAddress(args.rest[0], p.Dir)
	if err != nil {
		return err
	}
	s, err := p.connect(ctx, a)
	if err != nil {
		return err
	}
	defer s.Close()
	chosen := func(name string) bool {
		if len(args.rest) == 1 {
			return true
		}
		return slices.ContainsFunc(args.rest[1:], func(pattern string) bool {
			// A pattern is for the last segments of a name.
			ok, err := filepath.Match(pattern, name)
			for rest := name; err == nil && !ok; ok, err = filepath.Match(pattern, rest) {
				_, after, found := strings.Cut(rest, "/")
				if !found {
					return false
				}
				rest = after
			}
			return ok
		})
	}
	var out strings.Builder
	if !s.head.IsZero() && chosen("HEAD") {
		if args.has("--symref") && s.branch != "" {
			fmt.Fprintf(&out, "ref: %s\tHEAD\n", s.branch)
		}
		fmt.Fprintf(&out, "%s\tHEAD\n", s.head)
	}
	for _, name := range slices.Sorted(maps.Keys(s.refs)) {
		if chosen(string(name)) {
			fmt.Fprintf(&out, "%s\t%s\n", s.refs[name], name)
		}
		if hash, ok := s.peeled[name]; ok && chosen(string(name)+"^{}") {
			fmt.Fprintf(&out, "%s\t%s^{}\n", hash, name)
		}
	}
	_, err = io.WriteString(p.Stdout, out.String())
	return err
}
