package providerconfig_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// server can be configured.
type server struct {
	provider.Server
	private provider.Private
	schema  *schema.Provider
	done    chan struct{}
	close   func()

	mu        sync.Mutex
	token     string
	concealed []string
}

func (s *server) Done() <-chan struct{} { return s.done }

func (s *server) Close(context.Context) error { s.close(); return nil }

func (s *server) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return s.schema, nil
}

func (s *server) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return nil, errors.New("it has ended")
}

func (s *server) ValidateProviderConfig(
	context.Context, *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{}, nil
}

func (s *server) ConfigureProvider(_ context.Context, r *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = string(r.Config.MsgPack)
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (s *server) ReadResource(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{Diagnostics: []*tfprotov6.Diagnostic{{
		Severity: tfprotov6.DiagnosticSeverityError, Summary: "Error reading", Detail: "401 Unauthorized",
	}}}, nil
}

func (s *server) Redact(secrets ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.concealed = append(s.concealed, secrets...)
}

func (s *server) conceals(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.concealed, secret)
}

// processes launches servers.
type processes struct {
	schema *schema.Provider

	mu       sync.Mutex
	launched []*server
}

func (l *processes) all() []*server {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.launched)
}

func (*processes) Key() string { return "cloud" }

func (*processes) Reserved(variable string) bool { return variable == "PATH" }

func (l *processes) Launch(ctx context.Context) (provider.Server, error) {
	return l.LaunchPrivate(ctx, provider.Private{})
}

func (l *processes) LaunchPrivate(_ context.Context, p provider.Private) (provider.Server, error) {
	s := &server{private: p, schema: l.schema, done: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.done) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.launched = append(l.launched, s)
	return s, nil
}

// accounts issues tokens.
type accounts struct {
	mu     sync.Mutex
	issued []string
	err    error
}

func (a *accounts) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.issued)
}

// refuse makes requests fail; nil ends that.
func (a *accounts) refuse(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

func (a *accounts) request(
	_ context.Context, namespace, name string, audiences []string, lifetime time.Duration,
) (providerconfig.IssuedToken, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return providerconfig.IssuedToken{}, a.err
	}
	a.issued = append(a.issued, fmt.Sprintf("token-%d-of-%s-in-%s-for-%s", len(a.issued)+1, name, namespace, strings.Join(audiences, "+")))
	return providerconfig.IssuedToken{Value: a.issued[len(a.issued)-1], Expires: time.Now().Add(lifetime)}, nil
}

// withTokens returns a ProviderConfig of namespace team-a.
func withTokens(argument string, tokens ...any) *unstructured.Unstructured {
	spec := m{"serviceAccountTokens": tokens}
	if argument != "" {
		spec["file"] = argument
	}
	return configuration(model.ProviderConfigKind, "team-a", spec)
}

func tokenOf(account string, more m) m {
	out := m{"name": "cloud", "serviceAccountRef": m{"name": account}, "audiences": []any{"cloud"}}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// configured returns a resolver of a configuration.
func configured(t *testing.T, u *unstructured.Unstructured) (*providerconfig.Resolver, *processes, *accounts) {
	t.Helper()
	r, _ := resolver(t, false, u)
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{Attributes: map[string]*schema.Attribute{
		"file": {Type: cty.String, Optional: true},
	}}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	l, a := &processes{schema: p.Schema}, &accounts{}
	r.Provider, r.Launcher, r.RequestToken = p, l, a.request
	return r, l, a
}

func resolve(t *testing.T, r *providerconfig.Resolver) providerconfig.Handle[provider.Server] {
	t.Helper()
	return r.Resolve(t.Context(), &xpv2.ProviderConfigReference{Kind: model.ProviderConfigKind, Name: "shared"}, "team-a")
}

func use(t *testing.T, r *providerconfig.Resolver) func() {
	t.Helper()
	_, release, diags := resolve(t, r).Acquire(t.Context())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return release
}

func TestTokenFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, a := configured(t, withTokens("file=$(tokenFile.cloud)", tokenOf("builder", m{"fileEnv": "CLOUD_TOKEN_FILE"})))
		release := use(t, r)
		s := l.all()[0]
		path := s.private.Env["CLOUD_TOKEN_FILE"]
		if !strings.Contains(s.token, "file="+path) {
			t.Errorf("configured with %q, not with %s", s.token, path)
		}
		if diff := slices.Compare(s.private.Read, []string{filepath.Dir(path)}); diff != 0 {
			t.Errorf("it can read %q", s.private.Read)
		}
		check := func(want string) {
			t.Helper()
			content, err := os.ReadFile(path)
			if err != nil || string(content) != want || len(a.all()) == 0 || a.all()[len(a.all())-1] != want {
				t.Errorf("the file has %q, %v; tokens %q", content, err, a.all())
			}
			file, fileErr := os.Stat(path)
			folder, folderErr := os.Stat(filepath.Dir(path))
			if err := errors.Join(fileErr, folderErr); err != nil || file.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
				t.Errorf("file %v, folder %v: %v", file, folder, err)
			}
			if !s.conceals(want) {
				t.Error("the token is not removed from logs")
			}
			if h := resolve(t, r); !slices.Contains(h.Secrets, want) {
				t.Error("the token is not removed from messages")
			}
		}
		check("token-1-of-builder-in-team-a-for-cloud")
		before := resolve(t, r).Account
		time.Sleep(49 * time.Minute) // the operation goes on
		check("token-2-of-builder-in-team-a-for-cloud")
		if after := resolve(t, r).Account; after != before || after.Content == "" {
			t.Errorf("account %+v, before %+v", after, before)
		}
		a.refuse(errors.New("no more"))
		time.Sleep(50 * time.Minute)
		check("token-2-of-builder-in-team-a-for-cloud")
		if d := resolve(t, r).Diagnostics; d.HasErrors() {
			t.Errorf("it is refused while the token is valid: %v", d)
		}
		time.Sleep(30 * time.Minute)
		if d := resolve(t, r).Diagnostics; !d.HasErrors() ||
			!strings.Contains(d.Err().Error(), "there is no token of ServiceAccount builder in namespace "+
				"team-a: no more") {
			t.Errorf("it is not refused when the token has expired: %v", d)
		}
		a.refuse(nil)
		time.Sleep(time.Minute)
		check("token-3-of-builder-in-team-a-for-cloud")
		if len(l.all()) != 1 {
			t.Errorf("%d processes were started", len(l.all()))
		}
		release()
		if err := r.Pool.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the folder is left: %v", err)
		}
	})
}

// TestTokensOfKilledController: the files that a controller leaves which was killed are removed at
// the next start, and not before.
func TestTokensOfKilledController(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	killed := exec.Command(path, "-test.run=^TestHelperOfKilledController$")
	killed.Env = append(os.Environ(), "LANDBRIDGE_TEST_KILLED=yes", "TMPDIR="+dir)
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	file := strings.TrimSpace(line)
	if err != nil || filepath.Dir(filepath.Dir(file)) != dir {
		t.Fatalf("%q, %v", line, err)
	}
	child.RemoveLeft(dir, child.Prefix, child.Lock)
	if _, err := os.Stat(file); err != nil {
		t.Errorf("while it runs: %v", err)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if _, err := os.Stat(file); err != nil {
		t.Errorf("it left no file, so this proves nothing: %v", err)
	}
	child.RemoveLeft(dir, child.Prefix, child.Lock)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestHelperOfKilledController is the program of TestTokensOfKilledController.
func TestHelperOfKilledController(t *testing.T) {
	if os.Getenv("LANDBRIDGE_TEST_KILLED") == "" {
		return
	}
	r, l, _ := configured(t, withTokens("", tokenOf("builder", m{"fileEnv": "CLOUD_TOKEN_FILE"})))
	use(t, r)
	fmt.Println(l.all()[0].private.Env["CLOUD_TOKEN_FILE"])
	time.Sleep(time.Minute)
}

func TestTokenVariables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, _ := configured(t, withTokens("", tokenOf("builder", m{"env": "CLOUD_TOKEN", "expirationSeconds": int64(600)})))
		release := use(t, r)
		first := l.all()[0]
		time.Sleep(9 * time.Minute) // the operation goes on
		use(t, r)()
		synctest.Wait()
		use(t, r)()
		if len(l.all()) != 2 || l.all()[1].private.Env["CLOUD_TOKEN"] != "token-2-of-builder-in-team-a-for-cloud" {
			t.Fatalf("%d processes were started, the last with %q", len(l.all()), l.all()[len(l.all())-1].private.Env)
		}
		select {
		case <-first.done:
			t.Error("the process was ended during an operation")
		default:
		}
		if got := first.private.Env["CLOUD_TOKEN"]; got != "token-1-of-builder-in-team-a-for-cloud" {
			t.Errorf("the first process has %q", got)
		}
		release()
		synctest.Wait()
		<-first.done
		// Idle servers with an old token are ended before it expires.
		time.Sleep(4 * time.Minute)
		use(t, r)()
		time.Sleep(4 * time.Minute)
		use(t, r)()
		time.Sleep(90 * time.Second)
		for i, s := range l.all() {
			select {
			case <-s.done:
			default:
				if i < len(l.all())-1 {
					t.Errorf("process %d of %d still runs", i+1, len(l.all()))
				}
			}
		}
		if err := r.Pool.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// That of a ServiceAccount that was created again is not valid.
func TestTokensThatDoNotWorkAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, a := configured(t, withTokens("", tokenOf("builder", m{"fileEnv": "CLOUD_TOKEN_FILE"})))
		release := use(t, r)
		time.Sleep(2 * time.Minute)
		for range 3 {
			leased, done, diags := resolve(t, r).Acquire(t.Context())
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if _, err := leased.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{}); err != nil {
				t.Fatal(err)
			}
			done()
		}
		if len(a.all()) != 1 {
			t.Fatalf("tokens %q", a.all())
		}
		time.Sleep(time.Minute)
		resolve(t, r)
		if len(a.all()) != 2 || len(l.all()) != 1 {
			t.Errorf("tokens %q, %d processes", a.all(), len(l.all()))
		}
		time.Sleep(40 * time.Second) // the new one is not renewed again at once
		resolve(t, r)
		if len(a.all()) != 2 {
			t.Errorf("tokens %q", a.all())
		}
		release()
		if err := r.Pool.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTokensAreRefused(t *testing.T) {
	t.Parallel()
	second := func(more m) m { return tokenOf("builder", more) }
	tests := map[string]struct {
		tokens []any
		linked bool
		want   string
	}{
		"reserved":            {tokens: []any{tokenOf("builder", m{"env": "PATH"})}, want: "PATH of the token cloud is reserved"},
		"reserved for a file": {tokens: []any{tokenOf("builder", m{"fileEnv": "PATH"})}, want: "PATH of the token cloud is reserved"},
		"both":                {tokens: []any{tokenOf("builder", m{"env": "A", "fileEnv": "B"})}, want: "has both env and fileEnv"},
		"the same variable": {
			tokens: []any{tokenOf("builder", m{"env": "A"}), second(m{"name": "other", "fileEnv": "A"})},
			want:   "two tokens have the environment variable A",
		},
		"no process": {
			tokens: []any{tokenOf("builder", m{"env": "A"})}, linked: true,
			want: "is linked into the controller and has no environment of its own",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, a := configured(t, withTokens("", test.tokens...))
			if test.linked {
				r.Launcher = launcher{}
			}
			d := resolve(t, r).Diagnostics
			if !d.HasErrors() || !strings.Contains(d.Err().Error(), test.want) || !strings.Contains(d.Err().Error(), "spec.serviceAccountTokens") {
				t.Errorf("got %v", d)
			}
			if len(a.all()) > 0 {
				t.Errorf("tokens were requested: %q", a.all())
			}
		})
	}
}

// A namespace in a ProviderConfig does not count.
func TestTokensOfOtherNamespaces(t *testing.T) {
	t.Parallel()
	r, _, a := configured(t, withTokens("", tokenOf("builder", m{"serviceAccountRef": m{"name": "builder", "namespace": "team-b"}})))
	if d := resolve(t, r).Diagnostics; d.HasErrors() {
		t.Fatal(d)
	}
	if len(a.all()) != 1 || a.all()[0] != "token-1-of-builder-in-team-a-for-cloud" {
		t.Errorf("tokens %q", a.all())
	}
}

// Configurations for different ServiceAccounts are different accounts, and share no process.
func TestTokenAccounts(t *testing.T) {
	t.Parallel()
	content := func(tokens ...any) string {
		r, _, _ := configured(t, withTokens("", tokens...))
		h := resolve(t, r)
		if h.Diagnostics.HasErrors() {
			t.Fatal(h.Diagnostics)
		}
		return h.Account.Content
	}
	first := content(tokenOf("builder", nil))
	if first == "" || content(tokenOf("builder", nil)) != first || content(tokenOf("builder", m{"expirationSeconds": int64(600)})) != first {
		t.Error("the same ServiceAccount is another account")
	}
	if content(tokenOf("other", nil)) == first || content() == first {
		t.Error("another ServiceAccount is the same account")
	}
}
