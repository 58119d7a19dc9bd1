package hcloudtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// prefix is the path of the API, as in https://api.hetzner.cloud/v1.
const prefix = "/v1"

// Options configures New.
type Options struct {
	// ActionDuration is how long an action runs. Defaults to 0: actions have ended
	// when the request is answered.
	ActionDuration time.Duration
}

// Server serves a part of the Hetzner Cloud API.
type Server struct {
	Endpoint string // for the provider's "endpoint", or HCLOUD_ENDPOINT
	Token    string // for the provider's "token", or HCLOUD_TOKEN

	mu             sync.Mutex
	actionDuration time.Duration
	lastID         int64
	volumes        map[int64]*Volume
	sshKeys        map[int64]*SSHKey
	actions        map[int64]*action
	failActions    map[string][]APIError // by command
	failRequests   []requestFault
	requests       []Request
}

// Request is one request the server has answered.
type Request struct {
	Method string
	Path   string // without the prefix, as in "/volumes/42"
	Query  url.Values
	Body   string // as sent; the token is in a header and not here
	Status int    // HTTP status of the answer
}

type requestFault struct {
	method, path string
	status       int
	err          APIError
}

// New starts a server that ends with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, stop := Run(o)
	tb.Cleanup(stop)
	return s
}

// Run starts a server for a program other than a test. The caller has to stop it.
func Run(o Options) (_ *Server, stop func()) {
	s := &Server{
		// The real API's tokens are 64 characters, and the provider checks that.
		Token:          strings.Repeat("hcloudtest-token", 4),
		actionDuration: o.ActionDuration,
		volumes:        map[int64]*Volume{},
		sshKeys:        map[int64]*SSHKey{},
		actions:        map[int64]*action{},
		failActions:    map[string][]APIError{},
	}
	server := httptest.NewServer(s.handler())
	s.Endpoint = server.URL + prefix
	return s, server.Close
}

// Requests returns the requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// FailAction makes the next action of a command, such as "create_volume", end in
// an error.
func (s *Server) FailAction(command string, err APIError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failActions[command] = append(s.failActions[command], err)
}

// FailRequest makes the next request with this method and path (without the
// prefix) fail without any effect.
func (s *Server) FailRequest(method, path string, status int, err APIError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failRequests = append(s.failRequests, requestFault{method, path, status, err})
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(*http.Request) (int, any){
		"GET /locations":                               s.listLocations,
		"GET /locations/{id}":                          s.getLocation,
		"GET /actions":                                 s.listActions,
		"GET /actions/{id}":                            s.getAction,
		"GET /volumes":                                 s.listVolumes,
		"POST /volumes":                                s.createVolume,
		"GET /volumes/{id}":                            s.getVolume,
		"PUT /volumes/{id}":                            s.updateVolume,
		"DELETE /volumes/{id}":                         s.deleteVolume,
		"POST /volumes/{id}/actions/resize":            s.resizeVolume,
		"POST /volumes/{id}/actions/change_protection": s.protectVolume,
		"GET /ssh_keys":                                s.listSSHKeys,
		"POST /ssh_keys":                               s.createSSHKey,
		"GET /ssh_keys/{id}":                           s.getSSHKey,
		"PUT /ssh_keys/{id}":                           s.updateSSHKey,
		"DELETE /ssh_keys/{id}":                        s.deleteSSHKey,
		"/":                                            func(*http.Request) (int, any) { return notFound("endpoint") },
	} {
		mux.Handle(pattern, s.serve(handle))
	}
	return http.StripPrefix(prefix, mux)
}

// serve does what all handlers have in common. Handlers run one at a time.
func (s *Server) serve(handle func(*http.Request) (int, any)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))

		s.mu.Lock()
		defer s.mu.Unlock()
		status, answer := s.answer(r, handle)
		s.requests = append(s.requests, Request{
			Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Body: string(body), Status: status,
		})
		if answer == nil {
			w.WriteHeader(status)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(answer)
	})
}

func (s *Server) answer(r *http.Request, handle func(*http.Request) (int, any)) (int, any) {
	if r.Header.Get("Authorization") != "Bearer "+s.Token {
		return failure(http.StatusUnauthorized, "unauthorized", "unable to authenticate")
	}
	for i, fault := range s.failRequests {
		if fault.method == r.Method && fault.path == r.URL.Path {
			s.failRequests = slices.Delete(s.failRequests, i, i+1)
			return fault.status, errorAnswer{fault.err}
		}
	}
	s.settle()
	return handle(r)
}

func (s *Server) nextID() int64 {
	s.lastID++
	return s.lastID
}

// APIError is an error of the API, such as "locked" or "resource_limit_exceeded".
type APIError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type errorAnswer struct {
	Error APIError `json:"error"`
}

func failure(status int, code, format string, args ...any) (int, any) {
	return status, errorAnswer{APIError{Code: code, Message: fmt.Sprintf(format, args...)}}
}

func notFound(what string) (int, any) {
	return failure(http.StatusNotFound, "not_found", "%s not found", what)
}

func invalidInput(format string, args ...any) (int, any) {
	return failure(http.StatusUnprocessableEntity, "invalid_input", format, args...)
}

// listAnswer is a page that holds all objects.
func listAnswer[T any](key string, items []T) (int, any) {
	if items == nil {
		items = []T{}
	}
	return http.StatusOK, map[string]any{
		key: items,
		"meta": map[string]any{"pagination": map[string]any{
			"page": 1, "per_page": max(len(items), 25), "previous_page": nil, "next_page": nil,
			"last_page": 1, "total_entries": len(items),
		}},
	}
}

// find returns the object named by the path of the request, or nil.
func find[T any](r *http.Request, all map[int64]*T) *T {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil
	}
	return all[id]
}

// sorted returns the objects by id. If the query has a name, it returns those of the name.
func sorted[T any](r *http.Request, all map[int64]*T, name func(*T) string) []*T {
	var ids []int64
	for id, object := range all {
		if want := r.URL.Query().Get("name"); want == "" || want == name(object) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	objects := make([]*T, len(ids))
	for i, id := range ids {
		objects[i] = all[id]
	}
	return objects
}
