package ui

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	// maxPeople is the number of people who have the page open at the same time.
	maxPeople = 32
	// maxOwn is the number of tokens with which one person has the page open at the same time.
	maxOwn = 4
	// checkTimeout is how long the API server is asked about a token.
	checkTimeout = 10 * time.Second
	// maxChecks is the number of tokens that are checked at the same time.
	maxChecks = 4
	// idle is how long a person's session lasts without a request.
	idle = 15 * time.Minute
	// recheck is the interval at which the API server is asked whether tokens are still valid.
	recheck = 15 * time.Second
	// sessionCookie is the name of the cookie of a pasted token. With hostPrefix, browsers accept
	// it over TLS alone, and from no other host of the domain.
	sessionCookie = "landbridge-session"
	hostPrefix    = "__Host-"
)

// People serves the page to many people, each with the permissions of the person's own token. The
// process has no permissions itself.
type People struct {
	options Options
	// origins are those of the addresses of the page, by the value of the header Host.
	origins map[string]string
	secure  bool
	checks  chan struct{}
	// patience is how long the API server is asked about a token.
	patience time.Duration

	mu sync.Mutex
	// sessions are by the hash of the token.
	sessions map[[32]byte]*session
}

// session is the page of one person.
type session struct {
	*Server
	config *rest.Config
	person string
	end    func()
	// cookie is the value of the cookie; empty unless the token was pasted. A session has one, so
	// repeated logins do not add any.
	cookie string
	// used is when the last request was, and active is the number of those that are answered.
	used   time.Time
	active int
}

// NewPeople returns the page for people who open it at the given addresses, such as
// https://landbridge.example.com. Credentials in the options are not used.
func NewPeople(o Options, addresses []string) (*People, error) {
	o.Config = rest.AnonymousClientConfig(o.Config)
	p := &People{
		options: o, origins: map[string]string{}, checks: make(chan struct{}, maxChecks),
		sessions: map[[32]byte]*session{}, secure: true, patience: checkTimeout,
	}
	for _, a := range addresses {
		u, err := url.Parse(a)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
			return nil, fmt.Errorf("%q is no address of the page. Give one such as https://landbridge.example.com", a)
		}
		p.origins[strings.ToLower(u.Host)] = u.Scheme + "://" + strings.ToLower(u.Host)
		p.secure = p.secure && u.Scheme == "https"
	}
	if len(p.origins) == 0 {
		return nil, errors.New("the page has no address. Give the one at which people open it, such as https://landbridge.example.com")
	}
	return p, nil
}

// Serve serves the page until ctx ends, with TLS if there are certificates.
func (p *People) Serve(ctx context.Context, l net.Listener, certificates *Certificates) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go p.watch(ctx)
	server := newHTTPServer(ctx, p)
	stop := context.AfterFunc(ctx, func() {
		p.endAll()
		shutDown(server)
	})
	defer stop()
	var err error
	if certificates != nil {
		server.TLSConfig = certificates.config()
		err = server.ServeTLS(l, "", "")
	} else {
		err = server.Serve(l)
	}
	cancel()
	p.endAll()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ServeHTTP implements http.Handler.
func (p *People) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		return
	}
	setHeaders(w.Header())
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	own := p.origins[strings.ToLower(r.Host)]
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	opened := read && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" // by a link
	switch origin := r.Header.Get("Origin"); {
	case own == "":
		http.Error(w, "This address is not the page's. Open one that the page was started with.", http.StatusMisdirectedRequest)
	case origin != "" && origin != own, origin == "" && !read, foreign(r.Header.Get("Sec-Fetch-Site")) && !opened:
		http.Error(w, "The request comes from another page. Open the page itself.", http.StatusForbidden)
	case strings.HasPrefix(r.URL.Path, "/static/"):
		http.FileServerFS(static).ServeHTTP(w, r)
	case r.URL.Path == "/login" && !read:
		p.login(w, r)
	default:
		p.serve(w, r, read)
	}
}

// serve answers a request with the person's own page.
func (p *People) serve(w http.ResponseWriter, r *http.Request, read bool) {
	s, err := p.sessionOf(r)
	if err != nil {
		refuse(w, r, err)
		return
	}
	defer p.leave(s)
	switch {
	case !read && !same(r.PostFormValue("form"), s.form):
		http.Error(w, "The form is not this page's, or the process was started anew. Load the page again.", http.StatusForbidden)
	case r.URL.Path == "/logout" && !read:
		p.logout(w, r)
	default:
		s.mux().ServeHTTP(w, r)
	}
}

// errNoToken means that a request has no token.
var errNoToken = errors.New("")

// sessionOf returns the session of a request, and notes that it is used.
func (p *People) sessionOf(r *http.Request) (*session, error) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && token != "" {
		return p.enter(r.Context(), token)
	}
	c, err := r.Cookie(p.cookieName())
	if err != nil {
		return nil, errNoToken
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, s := p.withCookie(c.Value)
	if s == nil {
		return nil, errors.New("the session has ended")
	}
	s.use()
	return s, nil
}

// withCookie returns the session that has a cookie, with the hash of its token; nil if none has.
// The lock is held.
func (p *People) withCookie(value string) (hash [32]byte, _ *session) {
	for hash, s := range p.sessions {
		if s.cookie != "" && same(s.cookie, value) {
			return hash, s
		}
	}
	return hash, nil
}

func (s *session) use() { s.used, s.active = time.Now(), s.active+1 }

func (p *People) leave(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.used, s.active = time.Now(), s.active-1
}

// enter returns the session of a token, and begins it if there is none.
func (p *People) enter(ctx context.Context, token string) (*session, error) {
	hash := sha256.Sum256([]byte(token))
	p.mu.Lock()
	if s := p.sessions[hash]; s != nil {
		s.use()
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	config := rest.CopyConfig(p.options.Config)
	config.BearerToken = token
	person, err := p.check(ctx, config)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sessions[hash]
	if s == nil {
		if err := p.makeRoom(person); err != nil {
			return nil, err
		}
		if s, err = p.begin(config, person); err != nil {
			return nil, err
		}
		p.sessions[hash] = s
	}
	s.use()
	return s, nil
}

// begin begins a session, which follows the cluster until it ends.
func (p *People) begin(config *rest.Config, person string) (*session, error) {
	o := p.options
	o.Config = config
	server, err := New(o)
	if err != nil {
		return nil, err
	}
	server.person = person
	ctx, cancel := context.WithCancel(context.Background())
	go server.follower.run(ctx)
	return &session{Server: server, config: config, person: person, end: sync.OnceFunc(func() { cancel(); close(server.ended) })}, nil
}

// makeRoom makes room for another session of a person: it ends the one that was used the longest
// time ago, if it is not in use. A person who has the page open already makes room with an own one,
// so that many tokens of one person end no session of others. The lock is held.
func (p *People) makeRoom(person string) error {
	own := 0
	for _, s := range p.sessions {
		if s.person == person {
			own++
		}
	}
	if own < maxOwn && len(p.sessions) < maxPeople {
		return nil
	}
	var oldest [32]byte
	var found *session
	for hash, s := range p.sessions {
		if s.active == 0 && (own == 0 || s.person == person) && (found == nil || s.used.Before(found.used)) {
			oldest, found = hash, s
		}
	}
	switch {
	case found != nil:
		p.drop(oldest)
		return nil
	case own > 0:
		return fmt.Errorf("%s has the page open with %d other tokens. Close a page, or sign out", person, own)
	default:
		return errors.New("too many people have the page open. Try again later")
	}
}

// drop ends a session. The lock is held.
func (p *People) drop(hash [32]byte) {
	if s := p.sessions[hash]; s != nil {
		s.end()
		delete(p.sessions, hash)
	}
}

func (p *People) endAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for hash := range p.sessions {
		p.drop(hash)
	}
}

// errInvalid means that the API server does not know a token.
var errInvalid = errors.New("the cluster does not accept the token. It may have expired")

// check asks the API server whose token a configuration has.
func (p *People) check(ctx context.Context, config *rest.Config) (person string, _ error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	select {
	case p.checks <- struct{}{}:
		defer func() { <-p.checks }()
	case <-ctx.Done():
		return "", fmt.Errorf("the cluster cannot be asked whose token it is: %w", ctx.Err())
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	switch {
	case kerrors.IsUnauthorized(err):
		return "", errInvalid
	case err != nil:
		return "", fmt.Errorf("the cluster cannot be asked whose token it is: %w", err)
	case review.Status.UserInfo.Username == "system:anonymous":
		return "", errInvalid
	}
	return review.Status.UserInfo.Username, nil
}

// watch ends sessions that are not used any more, or whose token is not valid any more.
func (p *People) watch(ctx context.Context) {
	tick := time.NewTicker(recheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.sweep(ctx)
		}
	}
}

func (p *People) sweep(ctx context.Context) {
	p.mu.Lock()
	open := map[[32]byte]*rest.Config{}
	for hash, s := range p.sessions {
		if s.active == 0 && time.Since(s.used) > idle {
			p.drop(hash)
		} else {
			open[hash] = s.config
		}
	}
	p.mu.Unlock()
	for hash, config := range open {
		if _, err := p.check(ctx, config); errors.Is(err, errInvalid) {
			p.mu.Lock()
			p.drop(hash)
			p.mu.Unlock()
		}
	}
}

// login exchanges a pasted token for a cookie.
func (p *People) login(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimSpace(r.PostFormValue("token"))
	if token == "" {
		refuse(w, r, errors.New("the form has no token"))
		return
	}
	s, err := p.enter(r.Context(), token)
	if err != nil {
		refuse(w, r, err)
		return
	}
	defer p.leave(s)
	p.mu.Lock()
	s.cookie = cmp.Or(s.cookie, rand.Text())
	cookie := s.cookie
	p.mu.Unlock()
	http.SetCookie(w, p.cookie(cookie, 0))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// logout ends the session.
func (p *People) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(p.cookieName()); err == nil {
		p.mu.Lock()
		if hash, s := p.withCookie(c.Value); s != nil {
			p.drop(hash)
		}
		p.mu.Unlock()
	}
	http.SetCookie(w, p.cookie("", -1))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// cookieName is the name of the cookie.
func (p *People) cookieName() string {
	if p.secure {
		return hostPrefix + sessionCookie
	}
	return sessionCookie
}

func (p *People) cookie(value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: p.cookieName(), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: p.secure,
		SameSite: http.SameSiteStrictMode,
	}
}

// refuse asks a person for a token, and tells a program that it has none.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusServiceUnavailable
	if errors.Is(err, errNoToken) || errors.Is(err, errInvalid) || r.Header.Get("Authorization") == "" {
		code = http.StatusUnauthorized
	}
	if strings.HasPrefix(r.URL.Path, apiPrefix) {
		writeError(
			w, code, strings.TrimSpace("The request has no valid token. Send that of a user of the cluster in the "+
				"header Authorization. "+err.Error()),
		)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_ = templates["login"].ExecuteTemplate(w, "model", err.Error()) // the browser is gone
}
