package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// debugged starts a provider for a debugger. It returns the process, how to attach it, and the file
// with its records.
func debugged(t *testing.T, mode string) (*providertest.Process, *plugin.Attachment, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "record")
	var env []string
	for name, value := range testprovider.Env(mode, record) {
		env = append(env, name+"="+value)
	}
	process := providertest.Debug(t, self, nil, env...)
	all, err := sources.ParseAttached(process.Attach)
	if err != nil {
		t.Fatal(err)
	}
	return process, all[testprovider.Address], record
}

// attach connects to a process. The connection ends with the test.
func attach(t *testing.T, a *plugin.Attachment) provider.Server {
	t.Helper()
	s, err := a.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = s.Close(ctx)
	})
	return s
}

// configure configures a server with a token.
func configure(t *testing.T, s provider.Server, behave, token string) {
	t.Helper()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	config, err := tfprotov6.NewDynamicValue(testprovider.ConfigType, tftypes.NewValue(testprovider.ConfigType, map[string]tftypes.Value{
		"behave": text(behave), "token": text(token),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ConfigureProvider(t.Context(),
		&tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.12.0", Config: &config}); err != nil {
		t.Fatal(err)
	}
}

// story is what a provider was asked for: the token of each configuration, and the type of each
// read.
func story(t *testing.T, record string) (out []string) {
	t.Helper()
	all, err := testprovider.Records(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		switch r.Method {
		case "ConfigureProvider":
			var q tfprotov6.ConfigureProviderRequest
			if err := json.Unmarshal(r.Request, &q); err != nil {
				t.Fatal(err)
			}
			config, err := q.Config.Unmarshal(testprovider.ConfigType)
			if err != nil {
				t.Fatal(err)
			}
			var fields map[string]tftypes.Value
			var token string
			if err := errors.Join(config.As(&fields), fields["token"].As(&token)); err != nil {
				t.Fatal(err)
			}
			out = append(out, "configured: "+token)
		case "ReadResource":
			var q tfprotov6.ReadResourceRequest
			if err := json.Unmarshal(r.Request, &q); err != nil {
				t.Fatal(err)
			}
			out = append(out, q.TypeName)
		case "StopProvider":
			out = append(out, "stopped")
		}
	}
	return out
}

func TestAttach(t *testing.T) {
	for name, mode := range map[string]string{"protocol 5": testprovider.Debugged5, "protocol 6": testprovider.Debugged} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			process, a, record := debugged(t, mode)
			s := attach(t, a)
			schema, diags := s.Schema(t.Context())
			if diags.HasErrors() || schema.Resources["test_thing"] == nil {
				t.Errorf("the schema is %v, %v", schema, diags)
			}
			configure(t, s, "", "a")
			if _, err := read(t.Context(), s, "echo"); err != nil {
				t.Error(err)
			}
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
			select {
			case <-s.Done():
			case <-time.After(5 * time.Second):
				t.Error("Done is not closed")
			}
			if _, err := read(t.Context(), s, "late"); !provider.IsUnavailable(err) || !provider.IsNotSent(err) {
				t.Errorf("after Close: %v", err)
			}
			if !process.Runs() {
				t.Fatal("the process has ended with the server")
			}
			if _, err := read(t.Context(), attach(t, a), "again"); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"configured: a", "echo", "again"}, story(t, record)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			for _, what := range []bool{is[provider.Aborter](s), is[provider.UsageReporter](s), is[provider.Excluder](s)} {
				if what {
					t.Error("the server can be ended, measured or held back, which would concern its process")
				}
			}
		})
	}
}

func is[T any](s provider.Server) bool { _, ok := s.(T); return ok }

func TestAttachTakesTurns(t *testing.T) {
	t.Parallel()
	process, p, record := debugged(t, testprovider.Debugged)
	a, b := attach(t, p), attach(t, p)
	configure(t, a, "", "a")
	configure(t, b, "", "b")
	must := func(s provider.Server, typ string) {
		t.Helper()
		if _, err := read(t.Context(), s, typ); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
	must(b, "b1")
	must(a, "a1")
	must(a, "a2")
	must(b, "b2")
	if _, err := a.GetMetadata(t.Context(), &tfprotov6.GetMetadataRequest{}); err != nil {
		t.Error(err)
	}
	must(b, "b3")

	// While a call of one is in flight, the other waits, and cannot stop it.
	answer := make(chan string, 1)
	go func() {
		r, err := read(context.WithoutCancel(t.Context()), a, "wait")
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- said(t, r)
	}()
	waittest.Eventually(t, "the call is in flight", func(context.Context) bool { s := story(t, record); return s[len(s)-1] == "wait" })
	impatient, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := read(impatient, b, "never sent"); status.Code(err) != codes.DeadlineExceeded || !provider.IsNotSent(err) {
		t.Errorf("the call that waits: %v", err)
	}
	if _, err := b.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Error(err)
	}
	if len(answer) > 0 {
		t.Errorf("the call in flight ended: %s", <-answer)
	}
	if _, err := a.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Error(err)
	}
	if got := <-answer; got != "cancelled" {
		t.Errorf("the stopped call: %s", got)
	}
	must(b, "b4")
	want := []string{
		"configured: a", "configured: b", "b1", "configured: a", "a1", "a2", "configured: b", "b2", "b3",
		"configured: a", "wait", "stopped", "configured: b", "b4",
	}
	if diff := cmp.Diff(want, story(t, record)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if !process.Runs() {
		t.Error("the process has ended")
	}
}

// said returns the text of testprovider's answer.
func said(t *testing.T, r *tfprotov6.ReadResourceResponse) (out string) {
	v, err := r.NewState.Unmarshal(tftypes.String)
	if err == nil {
		err = v.As(&out)
	}
	if err != nil {
		t.Error(err)
	}
	return out
}

// TestAttachTurnsAreFair checks that a server whose calls never pause does not keep the process to
// itself, except while it reads a stream.
func TestAttachTurnsAreFair(t *testing.T) {
	t.Parallel()
	_, p, record := debugged(t, testprovider.Debugged)
	a, b := attach(t, p), attach(t, p)
	configure(t, a, "", "a")
	configure(t, b, "", "b")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{}, 4)
	for range cap(ended) {
		go func() {
			defer func() { ended <- struct{}{} }()
			for ctx.Err() == nil {
				if _, err := read(ctx, a, "busy"); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}()
	}
	waittest.Eventually(t, "the other one is busy", func(context.Context) bool { s := story(t, record); return s[len(s)-1] == "busy" })
	patient, cancelPatient := context.WithTimeout(t.Context(), time.Minute)
	defer cancelPatient()
	if _, err := read(patient, b, "echo"); err != nil {
		t.Errorf("the call that waits: %v", err)
	}
	cancel()
	for range cap(ended) {
		<-ended
	}

	list, err := a.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: "list"})
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	for range list.Results {
		go func() {
			_, err := read(patient, b, "echo")
			waited <- err
		}()
		waittest.Never(t, 1100*time.Millisecond, "the other one gets its turn while a stream is read", func() bool { return len(waited) > 0 })
		if _, err := read(patient, a, "nested"); err != nil {
			t.Errorf("a call while a stream is read: %v", err)
		}
		break
	}
	if err := <-waited; err != nil {
		t.Errorf("the call that waits for the end of a stream: %v", err)
	}
}

// TestAttachConfiguresAgain checks what a call says if the process rejects the configuration that
// it had accepted.
func TestAttachConfiguresAgain(t *testing.T) {
	t.Parallel()
	_, p, _ := debugged(t, testprovider.Debugged)
	a, b := attach(t, p), attach(t, p)
	configure(t, a, "fail", "a")
	configure(t, b, "", "b")
	_, err := read(t.Context(), a, "echo")
	if !provider.IsNotSent(err) || !strings.Contains(err.Error(), "cannot be configured again") ||
		!strings.Contains(err.Error(), "Failed to log in") {
		t.Errorf("the call is answered by %v", err)
	}
	if _, err := read(t.Context(), b, "echo"); err != nil {
		t.Errorf("the other server: %v", err)
	}
}

func TestAttachedProcessEnds(t *testing.T) {
	t.Parallel()
	process, a, record := debugged(t, testprovider.Debugged)
	s := attach(t, a)
	const what = "start the provider again, and set TF_REATTACH_PROVIDERS to what it prints"
	tell := func(when string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: there is no error", when)
			return
		}
		for _, want := range []string{testprovider.Address, "broke", what} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in: %v", when, want, err)
			}
		}
	}
	inFlight := make(chan error, 1)
	go func() {
		_, err := read(t.Context(), s, "stuck")
		inFlight <- err
	}()
	waitForRead(t, record)
	process.End()
	err := <-inFlight
	tell("the call in flight", err)
	if !provider.IsUnavailable(err) || provider.IsNotSent(err) {
		t.Errorf("the call in flight: %v", err)
	}
	select {
	case <-s.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("Done is not closed")
	}
	_, err = read(t.Context(), s, "echo")
	tell("a later call", err)
	if !provider.IsUnavailable(err) || !provider.IsNotSent(err) {
		t.Errorf("a later call: %v", err)
	}
	if _, err = a.Launch(t.Context()); err == nil || !strings.Contains(err.Error(), what) {
		t.Errorf("a later server: %v", err)
	}
}

func TestAttachFails(t *testing.T) {
	t.Parallel()
	_, real, _ := debugged(t, testprovider.Debugged5)
	listen := func(answer func(net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				defer c.Close()
				answer(c)
			}
		}()
		return l.Addr().String()
	}
	for name, c := range map[string]struct {
		network, address string
		timeout          time.Duration
		reason           plugin.Reason
		says             string
	}{
		"no process": {
			network: "unix", address: filepath.Join(t.TempDir(), "none"), reason: plugin.Detached,
			says: "cannot be reached: dial unix",
		},
		"another protocol": {
			network: real.Network, address: real.Address, reason: plugin.IncompatibleProtocol,
			says: "does not speak plugin protocol 6",
		},
		"it hangs up": {
			network: "tcp", address: listen(func(c net.Conn) { c.Close() }), reason: plugin.Detached,
			says: "the connection to it broke",
		},
		"no provider": {network: "tcp", address: listen(func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }),
			reason: plugin.Detached, says: "the connection to it broke"},
		"cancelled": {
			network: "tcp", address: listen(func(net.Conn) {}), timeout: 100 * time.Millisecond,
			reason: plugin.Failed, says: "was cancelled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if c.timeout != 0 {
				limited, cancel := context.WithTimeout(ctx, c.timeout)
				defer cancel()
				ctx = limited
			}
			_, err := (&plugin.Attachment{Source: testprovider.Address, Protocol: 6, Network: c.network, Address: c.address, PID: 4711}).Launch(ctx)
			var e *plugin.StartError
			if !errors.As(err, &e) || e.Reason != c.reason || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), testprovider.Address) {
				t.Errorf("%+v: want %s: %s", err, c.reason, c.says)
			}
		})
	}
}
