package plugin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// Attachment is a provider whose process another program has started, such as a debugger. Its
// servers are connections to that process, which they never end. They share it: turns.go says how.
// It must not be copied.
type Attachment struct {
	// Source is the provider's full address, as in registry.terraform.io/hashicorp/random.
	Source string
	// Protocol is the major version of the plugin protocol that the process speaks, 5 or 6.
	Protocol int
	// Network is "unix" or "tcp", and Address is where the process listens.
	Network, Address string
	// PID is the process's id. It only serves to name the process.
	PID int

	turns turns
}

// attached is a Server of an Attachment. It has no usage, logs or end of its own.
type attached struct{ provider.Server }

// String describes the process to users.
func (a *Attachment) String() string {
	return fmt.Sprintf("provider %s, attached as process %d", a.Source, a.PID)
}

// Key returns a hash of where the process is. It differs between processes.
func (a *Attachment) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d %q %q %d", a.Source, a.Protocol, a.Network, a.Address, a.PID))
	return hex.EncodeToString(sum[:])
}

// Launch connects to the process and reads its schema. If it cannot, the error is a *StartError.
func (a *Attachment) Launch(ctx context.Context) (provider.Server, error) {
	startCtx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	socket, err := (&net.Dialer{}).DialContext(startCtx, a.Network, a.Address)
	if err != nil {
		return nil, a.failed(Detached, "it cannot be reached: "+err.Error(), err)
	}
	s := &Server{
		attachment: a,
		protocol:   a.Protocol,
		process:    &process{output: &output{log: logr.Discard()}, done: make(chan struct{})},
		grace:      stopGrace,
	}
	if s.conn, err = a.connect(socket, s.process.done); err != nil {
		_ = socket.Close()
		return nil, a.failed(Failed, "it cannot be connected to: "+err.Error(), err)
	}
	go s.watchConnection()
	if err := s.readSchema(startCtx); err != nil {
		s.discard()
		return nil, a.explain(err, ctx.Err() != nil)
	}
	return attached{s}, nil
}

// connect returns a connection that consists of a socket, and ends with it: what answers at the
// same address later is another process. gone is closed when the server ends that it is for.
func (a *Attachment) connect(socket net.Conn, gone <-chan struct{}) (*grpc.ClientConn, error) {
	sockets := make(chan net.Conn, 1)
	sockets <- socket
	g := &guest{turns: &a.turns, protocol: a.Protocol, gone: gone}
	return grpc.NewClient("passthrough:///localhost", append(dialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			select {
			case socket := <-sockets:
				return socket, nil
			default:
				return nil, net.ErrClosed
			}
		}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: startTimeout}),
		grpc.WithUnaryInterceptor(g.unary),
		grpc.WithStreamInterceptor(g.stream),
	)...)
}

// watchConnection ends the server when its connection breaks or is closed.
func (s *Server) watchConnection() {
	defer close(s.process.done)
	defer s.conn.Close()
	s.conn.Connect()
	for begun := false; ; begun = true {
		state := s.conn.GetState()
		if state == connectivity.Shutdown || state == connectivity.TransientFailure || begun && state == connectivity.Idle {
			return
		}
		s.conn.WaitForStateChange(context.Background(), state)
	}
}

// explain returns the StartError of a process that is connected to and does not return its schema.
func (a *Attachment) explain(err error, cancelled bool) *StartError {
	switch code := status.Code(err); {
	case cancelled:
		return &StartError{Reason: Failed, Path: a.Source, Detail: "the connection to it was cancelled", Err: err}
	case code == codes.Unavailable:
		return a.failed(Detached, "the connection to it broke", err)
	case code == codes.DeadlineExceeded:
		return &StartError{Reason: TimedOut, Path: a.Source, Err: err,
			Detail: fmt.Sprintf("its attached process %d did not answer in time; does its debugger hold it?", a.PID)}
	case code == codes.Unimplemented:
		return a.failed(IncompatibleProtocol, fmt.Sprintf("it does not speak plugin protocol %d", a.Protocol), err)
	}
	return &StartError{Reason: Failed, Path: a.Source, Err: err,
		Detail: fmt.Sprintf("the schema of its attached process %d cannot be read: %s", a.PID, status.Convert(err).Message())}
}

// failed returns the StartError of a process that has to be attached anew.
func (a *Attachment) failed(reason Reason, why string, err error) *StartError {
	return &StartError{Reason: reason, Path: a.Source, Err: err,
		Detail: fmt.Sprintf("it is attached as process %d, but %s; %s", a.PID, why, startAgain)}
}

// startAgain is what to do when an attached process is gone.
const startAgain = "start the provider again, and set TF_REATTACH_PROVIDERS to what it prints"

// gone returns the error of a call after the connection to the process broke.
func (a *Attachment) gone() error {
	return status.Errorf(codes.Unavailable, "the connection to the %s, broke; %s", a, startAgain)
}
