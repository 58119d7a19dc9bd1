package inprocess_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/internal/servertest"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
)

func launch(t testing.TB, l *inprocess.Launcher) provider.Server {
	t.Helper()
	s, err := l.Launch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func launcher(c *testprovider.Core) *inprocess.Launcher {
	if c.Protocol == 5 {
		return &inprocess.Launcher{Name: "test", Protocol5: func() (tfprotov5.ProviderServer, error) { return testprovider.New5(c), nil }}
	}
	return &inprocess.Launcher{Name: "test", Protocol6: func() (tfprotov6.ProviderServer, error) { return testprovider.Server{Core: c}, nil }}
}

// TestEveryCall checks that every call and every field of every message is passed on.
func TestEveryCall(t *testing.T) {
	for name, protocol := range map[string]int{"protocol 5": 5, "protocol 6": 6} {
		t.Run(name, func(t *testing.T) {
			record := filepath.Join(t.TempDir(), "record")
			servertest.Walk(t, launch(t, launcher(&testprovider.Core{Protocol: protocol, File: record})), record)
		})
	}
}

// TestBareProvider checks that calls that the provider does not implement return an error.
func TestBareProvider(t *testing.T) {
	core := &testprovider.Core{Protocol: 6}
	core5 := testprovider.Core5{Core: &testprovider.Core{Protocol: 5}}
	for name, l := range map[string]*inprocess.Launcher{
		"protocol 5": {Name: "test", Protocol5: func() (tfprotov5.ProviderServer, error) { return core5, nil }},
		"protocol 6": {Name: "test", Protocol6: func() (tfprotov6.ProviderServer, error) { return core, nil }},
	} {
		t.Run(name, func(t *testing.T) { servertest.Bare(t, launch(t, l)) })
	}
}

func good(behave func(ctx context.Context, method string, request any) (any, error)) *testprovider.Core {
	return &testprovider.Core{Protocol: 6, Schema: testprovider.Schema(), Behave: behave}
}

func read(ctx context.Context, s provider.Server, typ string) (*tfprotov6.ReadResourceResponse, error) {
	return s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ})
}

func TestPanicIsACrash(t *testing.T) {
	s := launch(t, launcher(good(testprovider.Behave)))
	if _, err := read(t.Context(), s, "crash"); !provider.IsUnavailable(err) {
		t.Errorf("got %v, want Unavailable", err)
	}
	select {
	case <-s.Done():
	default:
		t.Error("the server is not done")
	}
	servertest.Gone(t, s)
}

func TestContextEndsWithCall(t *testing.T) {
	var inside context.Context
	s := launch(t, launcher(good(func(ctx context.Context, method string, request any) (any, error) {
		if method == "ReadResource" {
			inside = ctx
		}
		return testprovider.Behave(ctx, method, request)
	})))
	if _, err := read(context.Background(), s, "echo"); err != nil {
		t.Fatal(err)
	}
	if inside.Err() == nil {
		t.Error("the context of a call lives on after it")
	}
}

func TestCloseWaitsForCalls(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{})
	stopped := make(chan struct{})
	s := launch(t, launcher(good(func(ctx context.Context, method string, request any) (any, error) {
		switch method {
		case "ReadResource":
			close(began)
			<-release
		case "StopProvider":
			close(stopped)
		}
		return testprovider.Behave(ctx, method, request)
	})))
	answered := make(chan error, 1)
	go func() { _, err := read(context.Background(), s, "echo"); answered <- err }()
	<-began
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.Background()) }()
	<-stopped
	if _, err := read(context.Background(), s, "echo"); !provider.IsUnavailable(err) {
		t.Errorf("a call during Close: got %v, want Unavailable", err)
	}
	select {
	case <-closed:
		t.Error("Close did not wait for the call in flight")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestCloseGivesUp(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	began := make(chan struct{})
	s := launch(t, launcher(good(func(ctx context.Context, method string, request any) (any, error) {
		if method == "ReadResource" {
			close(began)
			<-release
		}
		return testprovider.Behave(ctx, method, request)
	})))
	go func() { _, _ = read(context.Background(), s, "echo") }()
	<-began
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.Close(ctx); err == nil {
		t.Error("Close says that all is well, with a call in flight")
	}
	<-s.Done()
}

// hanging is a provider that does not answer for its schema until it is released.
type hanging struct {
	testprovider.Server
	asked, release chan struct{}
}

func (h hanging) GetProviderSchema(
	ctx context.Context, q *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	close(h.asked)
	<-h.release
	return h.Server.GetProviderSchema(ctx, q)
}

func TestHangingLaunchBlocksNoOther(t *testing.T) {
	first := hanging{testprovider.Server{Core: good(nil)}, make(chan struct{}), make(chan struct{})}
	servers := []tfprotov6.ProviderServer{first, first.Server}
	l := &inprocess.Launcher{Name: "test", Protocol6: func() (tfprotov6.ProviderServer, error) {
		next := servers[0]
		servers = servers[1:]
		return next, nil
	}}
	launched := make(chan provider.Server)
	go func() {
		s, err := l.Launch(context.Background())
		if err != nil {
			t.Error(err)
		}
		launched <- s
	}()
	<-first.asked
	second, diags := launch(t, l).Schema(t.Context())
	close(first.release)
	s := <-launched
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if known, _ := s.Schema(t.Context()); known != second || diags.HasErrors() {
		t.Errorf("the servers have different schemas, or errors: %v", diags)
	}
}

func TestLauncherNeedsOneProtocol(t *testing.T) {
	if _, err := (&inprocess.Launcher{Name: "test"}).Launch(t.Context()); err == nil {
		t.Error("no error")
	}
}

// TestConstructor checks what a function may do that makes servers: a server that is in use already
// would be shared by two provider configurations.
func TestConstructor(t *testing.T) {
	shared := &testprovider.Server{Core: good(nil)}
	tests := map[string]struct {
		make func() (tfprotov6.ProviderServer, error)
		want string
	}{
		"a new server": {make: func() (tfprotov6.ProviderServer, error) { return &testprovider.Server{Core: good(nil)}, nil }},
		"the same one": {
			make: func() (tfprotov6.ProviderServer, error) { return shared, nil },
			want: "provider test: its function returned the same server again: it must make a new one each time, such as a new mux with new servers",
		},
		"an error":  {make: func() (tfprotov6.ProviderServer, error) { return nil, errors.New("no mux") }, want: "provider test: no mux"},
		"a panic":   {make: func() (tfprotov6.ProviderServer, error) { panic("no mux") }, want: "provider test: the provider panicked: no mux"},
		"no server": {make: func() (tfprotov6.ProviderServer, error) { return nil, nil }, want: "provider test: its function returned no server"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l := &inprocess.Launcher{Name: "test", Protocol6: test.make}
			first, err := l.Launch(t.Context())
			if err == nil {
				_, err = l.Launch(t.Context())
			}
			if got := fmt.Sprint(err); got != cmp.Or(test.want, "<nil>") {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if first == nil {
				return
			}
			if err := first.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			launch(t, l) // it is not in use any more
		})
	}
}

func BenchmarkCall(b *testing.B) {
	s := launch(b, launcher(good(func(context.Context, string, any) (any, error) { return nothing, nil })))
	r := &tfprotov6.ReadResourceRequest{TypeName: "test_thing"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.ReadResource(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

var nothing = &tfprotov6.ReadResourceResponse{}

// TestStopProvider checks that calls in flight are cancelled although the provider itself does
// nothing, and answer.
func TestStopProvider(t *testing.T) {
	core := &testprovider.Core{Protocol: 6, Schema: testprovider.Schema(), Behave: testprovider.Behave}
	l := &inprocess.Launcher{
		Name: "stopped", Protocol6: func() (tfprotov6.ProviderServer, error) {
			return testprovider.Server{Core: core}, nil
		},
	}
	s, err := l.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := s.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: "wait"})
		answered <- err
	}()
	for {
		if _, err := s.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-answered:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Millisecond):
			continue // the call may not have begun
		}
		break
	}
	if _, err := s.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "echo"}); err != nil {
		t.Errorf("a later call: %v", err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
