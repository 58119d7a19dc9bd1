package ui_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/command/ui"
)

const address = "127.0.0.1:4000"

// TestGuard attacks the page from outside: other pages, other names, programs without the token.
func TestGuard(t *testing.T) {
	s := ui.NewOf(index(objects()...), now)
	secrets := s.Secrets()
	cookie := "landbridge-4000=" + secrets.Session
	form := url.Values{"form": {secrets.Form}}.Encode()
	for name, tc := range map[string]struct {
		method, path, host, body string
		header                   map[string]string
		want                     int
	}{
		"the page":              {path: "/", header: map[string]string{"Cookie": cookie}, want: 200},
		"by the name localhost": {path: "/", host: "localhost:4000", header: map[string]string{"Cookie": cookie}, want: 200},
		"a view anew": {
			path: "/plans", header: map[string]string{
				"Cookie": cookie, "HX-Request": "true", "Sec-Fetch-Site": "same-origin",
			}, want: 200,
		},
		"no token":                    {path: "/", want: 401},
		"no token for a file":         {path: "/static/page.js", want: 401},
		"no token for the API":        {path: "/api/v1/attention", want: 401},
		"no token for the stream":     {path: "/events", want: 401},
		"another cookie":              {path: "/", header: map[string]string{"Cookie": "landbridge-4000=x"}, want: 401},
		"the cookie of another port":  {path: "/", header: map[string]string{"Cookie": "landbridge-4001=" + secrets.Session}, want: 401},
		"the token":                   {path: "/?token=" + secrets.Token, want: 200},
		"the token from another page": {path: "/?token=" + secrets.Token, header: map[string]string{"Sec-Fetch-Site": "cross-site"}, want: 200},
		"another token":               {path: "/?token=x", want: 401},
		"the session as token":        {path: "/?token=" + secrets.Session, want: 401},
		"the token as cookie":         {path: "/", header: map[string]string{"Cookie": "landbridge-4000=" + secrets.Token}, want: 401},
		"a program reads the API": {
			path: "/api/v1/plans", header: map[string]string{"Authorization": "Bearer " + secrets.Token}, want: 200,
		},
		"a program reads a page": {path: "/plans", header: map[string]string{"Authorization": "Bearer " + secrets.Token}, want: 401},
		"a program writes": {
			method: "POST", path: "/plans/approve", body: form,
			header: map[string]string{
				"Authorization": "Bearer " + secrets.Token, "Origin": "http://" + address,
			}, want: 401,
		},
		"another host":                {path: "/", host: "attacker.example:4000", header: map[string]string{"Cookie": cookie}, want: 421},
		"another host with the token": {path: "/?token=" + secrets.Token, host: "attacker.example:4000", want: 421},
		"another port":                {path: "/", host: "127.0.0.1:4001", header: map[string]string{"Cookie": cookie}, want: 421},
		"another origin": {
			path: "/api/v1/attention", header: map[string]string{
				"Cookie": cookie, "Origin": "http://attacker.example",
			}, want: 403,
		},
		"another origin of the machine": {path: "/", header: map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "same-site"}, want: 403},
		"another site":                  {path: "/", header: map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}, want: 403},
		"a form of another page": {
			method: "POST", path: "/plans/approve", body: form,
			header: map[string]string{"Cookie": cookie, "Origin": "http://127.0.0.1:4001"}, want: 403,
		},
		"a form without an origin": {
			method: "POST", path: "/plans/approve", body: form, header: map[string]string{"Cookie": cookie}, want: 403,
		},
		"a form of no origin": {
			method: "POST", path: "/plans/approve", body: form,
			header: map[string]string{"Cookie": cookie, "Origin": "null"}, want: 403,
		},
		"a form without its secret": {
			method: "POST", path: "/plans/approve", body: "plan=x",
			header: map[string]string{"Cookie": cookie, "Origin": "http://" + address}, want: 403,
		},
		"its secret in the address": {
			method: "POST", path: "/plans/approve?" + form, body: "plan=x",
			header: map[string]string{"Cookie": cookie, "Origin": "http://" + address}, want: 403,
		},
		"another method": {
			method: "DELETE", path: "/plans", body: form,
			header: map[string]string{"Cookie": cookie, "Origin": "http://" + address}, want: 403,
		},
		"approval by reading": {path: "/plans/approve?" + form, header: map[string]string{"Cookie": cookie}, want: 405},
		"writing through the API": {
			method: "POST", path: "/api/v1/plans", body: form,
			header: map[string]string{"Cookie": cookie, "Origin": "http://" + address}, want: 405,
		},
		"an object that is not there": {path: "/resources/secret./team-a/db", header: map[string]string{"Cookie": cookie}, want: 404},
	} {
		t.Run(name, func(t *testing.T) {
			method := tc.method
			if method == "" {
				method = http.MethodGet
			}
			r := httptest.NewRequest(method, tc.path, strings.NewReader(tc.body))
			r.Host = address
			if tc.host != "" {
				r.Host = tc.host
			}
			if tc.body != "" {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
			for k, v := range tc.header {
				r.Header.Set(k, v)
			}
			w := httptest.NewRecorder()
			s.Handler(address).ServeHTTP(w, r)
			if w.Code != tc.want {
				t.Errorf("status %d, want %d: %s", w.Code, tc.want, w.Body)
			}
			if tc.want >= 400 && strings.Contains(w.Body.String(), "team-a/planned") {
				t.Error("the refusal shows objects")
			}
			for k, want := range map[string]string{
				"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
			} {
				if got := w.Header().Get(k); got != want {
					t.Errorf("%s is %q, want %q", k, got, want)
				}
			}
			csp := w.Header().Get("Content-Security-Policy")
			if !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "default-src 'none'") {
				t.Errorf("the policy is %q", csp)
			}
		})
	}
}

// TestCookie checks that the cookie is for this page alone.
func TestCookie(t *testing.T) {
	s := ui.NewOf(index(), now)
	r := httptest.NewRequest("GET", "/?token="+s.Secrets().Token, nil)
	r.Host = address
	w := httptest.NewRecorder()
	s.Handler(address).ServeHTTP(w, r)
	want := "landbridge-4000=the-session; Path=/; HttpOnly; SameSite=Strict"
	if got := w.Header().Get("Set-Cookie"); got != want {
		t.Errorf("the cookie is %q, want %q", got, want)
	}
	if strings.Contains(w.Body.String(), s.Secrets().Token) {
		t.Error("the answer repeats the token")
	}
}
