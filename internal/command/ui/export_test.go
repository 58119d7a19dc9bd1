package ui

import (
	"context"
	"net/http"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/state"
)

// Secrets are what requests have to know.
type Secrets struct{ Token, Session, Form string }

// NewOf returns a server of an index alone, with secrets that are known and a clock that stands.
func NewOf(x *Index, now time.Time) *Server {
	s := newServer(x)
	s.secrets = secrets{"the-token", "the-session", "the-form"}
	s.now = func() time.Time { return now }
	return s
}

// Records sets the change records.
func (s *Server) Records(all []state.History, err error) {
	s.records = func(context.Context) ([]state.History, error) { return all, err }
}

// Runs sets the program that runs commands.
func (s *Server) Runs(p *Program) { s.program = p }

// Secrets returns those of a server.
func (s *Server) Secrets() Secrets { return Secrets{s.token, s.session, s.form} }

// End ends the streams.
func (s *Server) End() { close(s.ended) }

// Write renders a view with a model.
func (s *Server) Write(w http.ResponseWriter, r *http.Request, view, title string, model any) {
	s.write(w, r, page{View: view, Title: title, Model: model}, nil)
}

// MaxStreams is maxStreams.
const MaxStreams = maxStreams

// Patience sets how long the API server is asked about a token.
func (p *People) Patience(d time.Duration) { p.patience = d }

// MaxOwn is maxOwn, and MaxPeople is maxPeople.
const (
	MaxOwn    = maxOwn
	MaxPeople = maxPeople
)

// EndAll ends all sessions.
func (p *People) EndAll() { p.endAll() }

// Sweep ends sessions that are over.
func (p *People) Sweep(ctx context.Context) { p.sweep(ctx) }
