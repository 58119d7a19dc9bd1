package ui_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
)

const home = "https://landbridge.example.com"

// guests is the page for many people in front of an API server that only tells whose a token is:
// that of the person before its first dash. It never answers for the person named silent.
func guests(t *testing.T) *ui.People {
	t.Helper()
	over := make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		person, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "-")
		switch {
		case !strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"):
			http.NotFound(w, r)
		case person == "silent":
			<-over
		default:
			w.Header().Set("Content-Type", "application/json")
			review := authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{
				UserInfo: authenticationv1.UserInfo{Username: person},
			}}
			review.APIVersion, review.Kind = "authentication.k8s.io/v1", "SelfSubjectReview"
			_ = json.NewEncoder(w).Encode(review)
		}
	}))
	t.Cleanup(api.Close)
	t.Cleanup(func() { close(over) })
	p, err := ui.NewPeople(ui.Options{Config: &rest.Config{Host: api.URL}, System: statetest.System}, []string{home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.EndAll)
	return p
}

// visit sends a request to the page.
func visit(p *ui.People, r *http.Request, headers ...string) *httptest.ResponseRecorder {
	r.Host = "landbridge.example.com"
	r.Header.Set("Origin", home)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// signIn pastes a token, and returns the cookie; nil if it is refused.
func signIn(p *ui.People, token string) *http.Cookie {
	w := visit(p, httptest.NewRequest("POST", "/login", strings.NewReader(url.Values{"token": {token}}.Encode())),
		"Content-Type", "application/x-www-form-urlencoded")
	for _, c := range w.Result().Cookies() {
		return c
	}
	return nil
}

// TestOwnTokens checks that a person with many tokens ends own sessions alone.
func TestOwnTokens(t *testing.T) {
	p := guests(t)
	open := func(c *http.Cookie) bool {
		return visit(p, httptest.NewRequest("GET", "/estate", nil), "Cookie", c.Name+"="+c.Value).Code == 200
	}
	others := map[string]*http.Cookie{}
	for i := range ui.MaxPeople - 1 {
		person := fmt.Sprintf("person%d", i)
		others[person] = signIn(p, person+"-1")
	}
	var own []*http.Cookie
	for i := range 3 * ui.MaxOwn {
		own = append(own, signIn(p, fmt.Sprintf("mallory-%d", i)))
	}
	for person, c := range others {
		if !open(c) {
			t.Errorf("the session of %s has ended", person)
		}
	}
	if last := len(own) - 1; open(own[0]) || !open(own[last]) {
		t.Error("not the latest session of the person with many tokens is open, or the first one still is")
	}

	// Where others leave room, one person has a bounded number of sessions.
	p = guests(t)
	own = nil
	for i := range 3 * ui.MaxOwn {
		own = append(own, signIn(p, fmt.Sprintf("mallory-%d", i)))
	}
	n := 0
	for _, c := range own {
		if open(c) {
			n++
		}
	}
	if n != ui.MaxOwn {
		t.Errorf("one person has %d sessions, want %d", n, ui.MaxOwn)
	}
}

// TestUncheckedToken checks that a request ends although the API server never tells whose its token
// is, and that others are answered meanwhile.
func TestUncheckedToken(t *testing.T) {
	p := guests(t)
	p.Patience(50 * time.Millisecond)
	for range 8 {
		w := visit(p, httptest.NewRequest("GET", "/api/v1/plans", nil), "Authorization", "Bearer silent-1")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "cannot be asked") {
			t.Fatalf("a token that is not checked: %d %s", w.Code, w.Body)
		}
	}
	p.Patience(time.Minute)
	if signIn(p, "alice-1") == nil {
		t.Error("another person cannot sign in")
	}
}

// TestSessionCookie checks what browsers are told of the cookie where the page has TLS.
func TestSessionCookie(t *testing.T) {
	c := signIn(guests(t), "alice-1")
	if c == nil {
		t.Fatal("there is no cookie")
	}
	if c.Name != "__Host-landbridge-session" || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" ||
		c.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie: %s", c)
	}
}
