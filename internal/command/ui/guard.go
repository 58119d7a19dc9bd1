package ui

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// secrets are what requests have to know. They end with the process.
type secrets struct {
	// token is in the address that is printed. session is in the cookie that it is exchanged for,
	// and form in each form.
	token, session, form string
}

func newSecrets() secrets { return secrets{rand.Text(), rand.Text(), rand.Text()} }

// policy is the content security policy: no inline scripts and styles, nothing of other origins,
// and no frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// guard lets requests through that come from this page, or from a program that knows the token. It
// is proof against pages of other origins, also if their names lead to this machine, and against
// frames.
type guard struct {
	secrets
	// hosts are the values of the header Host, such as 127.0.0.1:8080.
	hosts map[string]bool
	// cookie is the name of the cookie. Browsers send cookies to all ports of a host, so it has the
	// port in it.
	cookie string
	next   http.Handler
}

func newGuard(s secrets, address string, next http.Handler) *guard {
	_, port, _ := net.SplitHostPort(address)
	return &guard{secrets: s, hosts: map[string]bool{address: true, "localhost:" + port: true}, cookie: "landbridge-" + port, next: next}
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	own := "http://" + r.Host
	switch origin := r.Header.Get("Origin"); {
	case !g.hosts[r.Host]:
		http.Error(w, "This address is not the page's. Open the one that landbridge ui has printed.", http.StatusMisdirectedRequest)
	case origin != "" && origin != own, origin == "" && !read:
		http.Error(w, "The request comes from another page. Open the address that landbridge ui has printed.", http.StatusForbidden)
	case read && r.URL.Path == "/" && r.URL.Query().Has("token"):
		g.exchange(w, r)
	case foreign(r.Header.Get("Sec-Fetch-Site")):
		http.Error(w, "The request comes from another page. Open the address that landbridge ui has printed.", http.StatusForbidden)
	case !g.knows(r, read):
		http.Error(w, "The session is not known, or has ended. Open the address that landbridge ui has printed.", http.StatusUnauthorized)
	case !read && !same(r.PostFormValue("form"), g.form):
		http.Error(w, "The form is not this page's, or the process was started anew. Load the page again.", http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// setHeaders tells browsers what the page permits.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // without one, browsers send forms with the origin null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// foreign reports whether a browser says that another page has made a request.
func foreign(site string) bool { return site == "cross-site" || site == "same-site" }

// exchange exchanges the token for the cookie. The answer is a page that leads on: a browser that
// came from another page sends no such cookie with a redirect.
func (g *guard) exchange(w http.ResponseWriter, r *http.Request) {
	if !same(r.URL.Query().Get("token"), g.token) {
		http.Error(w, "The token is not that of this process. Open the address that landbridge ui has printed.", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>Landbridge</title><link rel="icon" href="/static/icon.svg"><meta http-equiv="refresh" content="0; url=/"><p><a href="/">Go on</a></p></html>`))
}

// knows reports whether a request knows the session; or the token, if it reads the API.
func (g *guard) knows(r *http.Request, read bool) bool {
	if c, err := r.Cookie(g.cookie); err == nil && same(c.Value, g.session) {
		return true
	}
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && read && strings.HasPrefix(r.URL.Path, apiPrefix) && same(bearer, g.token)
}

// same compares secrets in a time that does not depend on them.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
