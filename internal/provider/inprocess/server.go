package inprocess

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/inflight"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// Server is a provider in this process.
type Server struct {
	protocol int
	server   tfprotov6.ProviderServer
	// Optional calls; nil if the provider does not implement them.
	list    tfprotov6.ListResourceServer
	actions tfprotov6.ActionServer
	stores  tfprotov6.StateStoreServer

	schema      *schema.Provider
	schemaDiags diagnostic.Diagnostics

	calls     inflight.Calls
	stops     stops
	doneOnce  sync.Once
	done      chan struct{}
	closeOnce sync.Once
	closeErr  error
	// ended is called once, when done is closed.
	ended func()
}

// ProtocolVersion returns the provider's own protocol version, 5 or 6.
func (s *Server) ProtocolVersion() int { return s.protocol }

// Done is closed when the server has been closed or a call has panicked.
func (s *Server) Done() <-chan struct{} { return s.done }

// Schema returns the provider's schema.
func (s *Server) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return s.schema, s.schemaDiags
}

// Usage returns the number of calls.
func (s *Server) Usage() provider.Usage { return provider.Usage{Calls: s.calls.Total()} }

// Close rejects new calls, calls StopProvider, and waits for the calls in flight until ctx ends.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() {
		stop := func() {
			s.stops.now()
			_, _ = guard(s, func() (*tfprotov6.StopProviderResponse, error) {
				return s.server.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
			})
		}
		if !s.calls.Drain(ctx, nil, stop) {
			s.closeErr = errors.New("the provider was closed while calls were in flight")
		}
		stop() // releases what the provider keeps per call
		s.end()
	})
	return s.closeErr
}

func (s *Server) end() {
	s.doneOnce.Do(func() {
		close(s.done)
		s.ended()
	})
}

var errStopped = provider.NotSent(status.Error(codes.Unavailable, "the provider was stopped"))

func (s *Server) begin() error {
	select {
	case <-s.done:
		return errStopped
	default:
	}
	if !s.calls.Begin() {
		return errStopped
	}
	return nil
}

// guard calls f. A panic ends the server and is returned as an error.
func guard[A any](s *Server, f func() (A, error)) (a A, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.end()
			err = status.Error(codes.Unavailable, fmt.Sprintf("the provider panicked: %v", p))
		}
	}()
	return f()
}

// call makes a call in a context that ends with the call.
func call[Q, A any](ctx context.Context, s *Server, request Q, f func(context.Context, Q) (A, error)) (A, error) {
	if err := s.begin(); err != nil {
		var none A
		return none, err
	}
	defer s.calls.End()
	ctx, cancel := s.stops.context(ctx)
	defer cancel()
	return guard(s, func() (A, error) { return f(ctx, request) })
}

// stream makes a call that returns a stream. The call ends with the sequence, or with ctx if the
// sequence is not used.
func stream[Q, A, E any](
	ctx context.Context, s *Server, request Q, f func(context.Context, Q) (A, error), sequence func(A) *iter.Seq[E],
	broken func(error) E,
) (A, error) {
	var none A
	if err := s.begin(); err != nil {
		return none, err
	}
	ctx, cancel := s.stops.context(ctx)
	release := sync.OnceFunc(func() { cancel(); s.calls.End() })
	var seq *iter.Seq[E]
	answer, err := guard(s, func() (A, error) {
		a, err := f(ctx, request)
		if err == nil {
			seq = sequence(a)
		}
		return a, err
	})
	if err != nil {
		release()
		return none, err
	}
	inner := *seq
	*seq = func(yield func(E) bool) {
		defer release()
		if inner == nil {
			return
		}
		// A panic of the caller is passed on; a panic of the provider ends the server.
		inCaller, more := false, true
		defer func() {
			if inCaller {
				return
			}
			if p := recover(); p != nil {
				s.end()
				if more {
					yield(broken(status.Error(codes.Unavailable, fmt.Sprintf("the provider panicked: %v", p))))
				}
			}
		}()
		inner(func(e E) bool {
			inCaller = true
			more = yield(e)
			inCaller = false
			return more
		})
	}
	context.AfterFunc(ctx, release)
	return answer, nil
}

// errorDiagnostics returns the diagnostics that end a broken stream.
func errorDiagnostics(err error) []*tfprotov6.Diagnostic {
	var out []*tfprotov6.Diagnostic
	for _, d := range provider.CallError(err) {
		out = append(out, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary, Detail: d.Detail})
	}
	return out
}
