package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/inflight"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
	"github.com/landbridge-io/landbridge/schema"
)

// Server is a provider in a child process, or in one that it is attached to.
type Server struct {
	// attachment is nil if the process is a child. Otherwise process was never started by this
	// program.
	attachment *Attachment

	client   *goplugin.Client // nil if attached
	conn     *grpc.ClientConn
	process  *process
	protocol int
	dir      string
	held     *os.File // the lock of dir
	grace    time.Duration
	settings Settings // of the sandbox
	// terraformVersion is that of the launcher.
	terraformVersion string
	// ended is called when the process has ended; it may be nil.
	ended func()

	schema      *schema.Provider
	schemaDiags diagnostic.Diagnostics

	calls  inflight.Calls
	opened opened

	// aborted is the message of Abort; nil if it was not called.
	aborted atomic.Pointer[string]

	closeOnce sync.Once
	closeErr  error
}

// connect does the handshake and opens the connection.
func (s *Server) connect() error {
	c, err := s.client.Client()
	if err != nil {
		return err
	}
	g, ok := c.(*goplugin.GRPCClient)
	if !ok {
		return fmt.Errorf("unexpected client %T", c)
	}
	s.conn, s.protocol = g.Conn, s.client.NegotiatedVersion()
	return nil
}

// watch cleans up when the provider has crashed.
func (s *Server) watch() {
	<-s.process.done
	s.discard()
}

// discard ends the process and removes connection and socket. It may be called more than once. An
// attached process goes on.
func (s *Server) discard() {
	if s.attachment != nil {
		_ = s.conn.Close()
		<-s.process.done
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.client.Kill() // asks the provider to shut down, and waits up to two seconds
	}()
	select {
	case <-ended:
	case <-s.process.done:
	case <-time.After(s.grace):
	}
	_ = s.process.Kill(context.Background())
	if s.conn != nil {
		_ = s.conn.Close()
	}
	<-ended
	removeDir(s.dir, s.held)
	if s.ended != nil {
		s.ended()
	}
}

// ProtocolVersion returns the negotiated protocol version, 5 or 6.
func (s *Server) ProtocolVersion() int { return s.protocol }

// PID returns the process id of the provider, which must be a child.
func (s *Server) PID() int { return s.process.cmd.Process.Pid }

// Done is closed when the provider's process has ended.
func (s *Server) Done() <-chan struct{} { return s.process.done }

// Redact adds secrets that are removed from the provider's logs and from errors that quote its
// output.
func (s *Server) Redact(secrets ...string) { s.process.output.redact.AddStrings(secrets...) }

// Schema returns the provider's schema.
func (s *Server) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return s.schema, s.schemaDiags
}

// Close rejects new calls, calls StopProvider, waits for the calls in flight until ctx ends, and
// ends the process.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() {
		idle := s.calls.Drain(ctx, s.process.done, func() {
			stopCtx, cancel := context.WithTimeout(ctx, s.grace)
			defer cancel()
			name, _ := tfplugin.StopProvider.Name(s.protocol)
			_ = s.conn.Invoke(stopCtx, name, &tfplugin.Empty{}, &tfplugin.StopResponse{})
		})
		if !idle && !s.process.over() {
			s.closeErr = errors.New("the provider was ended while calls were in flight")
		}
		s.discard()
	})
	return s.closeErr
}

// Abort kills the provider's process. Calls in flight fail with the message why.
func (s *Server) Abort(why string) {
	s.aborted.CompareAndSwap(nil, &why)
	go func() { _ = s.process.Kill(context.Background()) }() // watch cleans up
}

// begin registers a call. Unless it returns an error, s.calls.End must be called.
func (s *Server) begin(ctx context.Context) error {
	select {
	case <-s.process.done:
		return provider.NotSent(s.gone())
	default:
	}
	if !s.calls.BeginWithin(ctx) {
		if err := ctx.Err(); err != nil {
			return provider.NotSent(status.FromContextError(err).Err())
		}
		return provider.NotSent(status.Error(codes.Unavailable, "the provider is being stopped"))
	}
	return nil
}

// Alone implements provider.Excluder. An ephemeral resource that is open may be kept by the
// process.
func (s *Server) Alone(ctx context.Context, wait time.Duration, f func(context.Context) error) (ran bool, err error) {
	_, err = s.calls.Alone(ctx, wait, func(ctx context.Context) error {
		if s.opened.any() {
			return nil
		}
		ran = true
		return f(ctx)
	})
	return ran, err
}

// gone returns the error of a call after the provider has ended.
func (s *Server) gone() error {
	if why := s.aborted.Load(); why != nil {
		return status.Error(codes.Unavailable, *why)
	}
	if s.calls.Closing() {
		return status.Error(codes.Unavailable, "the provider was stopped")
	}
	if s.attachment != nil {
		return s.attachment.gone()
	}
	text := "the provider's process " + s.process.exited()
	if last := s.process.output.last(); len(last) > 0 {
		text += "; it wrote: " + strings.Join(last, " | ")
	}
	return status.Error(codes.Unavailable, text)
}

// explain returns a more precise error if the process ended during a call. ctx is the caller's:
// closing the connection to a dead process cancels calls that the caller did not cancel.
func (s *Server) explain(ctx context.Context, err error) error {
	switch code := status.Code(err); {
	case code == codes.Unavailable:
	case code == codes.Canceled && ctx.Err() == nil:
	default:
		return err
	}
	// The connection breaks shortly before the process is reaped and its last output is read.
	select {
	case <-s.process.done:
		return s.gone()
	case <-time.After(drainTime + time.Second):
		return err
	}
}

// invoke makes a unary call.
func (s *Server) invoke(ctx context.Context, m tfplugin.Method, request, answer proto.Message, options ...grpc.CallOption) error {
	name, ok := m.Name(s.protocol)
	if !ok {
		return provider.ErrUnimplemented
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.calls.End()
	if err := s.conn.Invoke(ctx, name, request, answer, options...); err != nil {
		return s.explain(ctx, err)
	}
	return nil
}

// stream opens a streaming call. release must be called at its end, unless ctx ends; it may be
// called more than once.
func (s *Server) stream(
	ctx context.Context, desc *grpc.StreamDesc, m tfplugin.Method,
) (stream grpc.ClientStream, release func(), err error) {
	name, ok := m.Name(s.protocol)
	if !ok {
		return nil, nil, provider.ErrUnimplemented
	}
	if err := s.begin(ctx); err != nil {
		return nil, nil, err
	}
	streamCtx, cancel := context.WithCancel(ctx)
	release = sync.OnceFunc(func() { cancel(); s.calls.End() })
	stream, err = s.conn.NewStream(streamCtx, desc, name)
	if err != nil {
		release()
		return nil, nil, s.explain(ctx, err)
	}
	context.AfterFunc(streamCtx, release)
	return stream, release, nil
}

// answers opens a call with one request and a stream of answers, and returns an iterator over them.
// If the stream breaks, the iterator yields the error last. answers waits for the first answer, so
// that an unimplemented call is an error of answers itself. An iterator that is not used keeps the
// call open until ctx ends.
func answers[T any, M interface {
	*T
	proto.Message
}](ctx context.Context, s *Server, m tfplugin.Method, request proto.Message) (func(yield func(M, error) bool), error) {
	stream, release, err := s.stream(ctx, &grpc.StreamDesc{ServerStreams: true}, m)
	if err != nil {
		return nil, err
	}
	fail := func(err error) error {
		release()
		return s.explain(ctx, err)
	}
	if err := stream.SendMsg(request); err != nil && !isEOF(err) {
		return nil, fail(err)
	}
	if err := stream.CloseSend(); err != nil {
		return nil, fail(err)
	}
	first := M(new(T))
	firstErr := stream.RecvMsg(first)
	if firstErr != nil && !isEOF(firstErr) {
		return nil, fail(firstErr)
	}
	return func(yield func(M, error) bool) {
		defer release()
		for answer, err := first, firstErr; !isEOF(err); {
			if err != nil {
				yield(nil, s.explain(ctx, err))
				return
			}
			if !yield(answer, nil) {
				return
			}
			answer = M(new(T))
			err = stream.RecvMsg(answer)
		}
	}, nil
}
