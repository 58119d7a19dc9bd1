package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/schema"
)

// The magic cookie of the handshake between Terraform and its providers (contract § 1).
const (
	cookieName  = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

const (
	// maxMessage is the maximum size of a gRPC message, in bytes.
	maxMessage = 256 << 20
	// window is the flow-control window, in bytes. A fixed window avoids the pings with which gRPC
	// would measure one.
	window = 1 << 20
	// startTimeout and stopGrace are the defaults of Launcher.
	startTimeout = time.Minute
	stopGrace    = 2 * time.Second
)

// dialOptions returns those of each connection to a provider.
func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		grpc.WithInitialWindowSize(window),
		grpc.WithInitialConnWindowSize(window),
		grpc.WithIdleTimeout(0),
		grpc.WithDisableServiceConfig(),
	}
}

// Launcher starts child processes of one provider. Only Path is required. It must not be copied or
// changed after its first use.
type Launcher struct {
	// Path is the path of the provider's binary.
	Path string
	// Args are the provider's arguments. Released providers take none.
	Args []string
	// SHA256 is the checksum of the binary, in lower-case hex. A file with another one is not run.
	// Defaults to the checksum of the file.
	SHA256 string
	// Env is added to the provider's environment, and overrides it. From this program's environment
	// the provider only inherits PATH, HOME, TMPDIR, and the variables for proxies and
	// certificates.
	Env map[string]string
	// Logger receives the provider's logs and plain output, without secrets: errors and warnings at
	// V(0), information at V(1), debugging and plain output at V(2), traces at V(3).
	Logger logr.Logger
	// LogLevel is the provider's log level. Defaults to LogOff. With LogTrace, calls cost four
	// times as much.
	LogLevel LogLevel
	// Secrets are removed from logs and errors. Server.Redact adds more.
	Secrets []string
	// TerraformVersion is the version of Terraform that the provider is told, such as 1.16.0.
	// Defaults to that of ConfigureProvider's request.
	TerraformVersion string
	// StartTimeout bounds the time of a start. Defaults to 1m.
	StartTimeout time.Duration
	// StopGrace is the time a provider has to end after a request to shut down, before it is
	// killed. Defaults to 2s.
	StopGrace time.Duration
	// Dir is the parent directory of the directories for sockets. Its path must be short, because
	// the path of a socket is limited to about 100 bytes. Defaults to the system's temporary
	// directory.
	Dir string
	// Sandbox is what the provider's process may do. Nil does not restrict it.
	Sandbox *Sandbox
	// GOGC and MemoryLimit (in bytes) configure the garbage collector of providers written in Go.
	// Default to Go's own values, and GOGC of small programs to 200.
	GOGC        int
	MemoryLimit int64

	mu sync.Mutex
	// known is the schema of the provider with the key knownKey.
	known    *schema.Provider
	knownKey string
}

var (
	_ provider.Launcher      = (*Launcher)(nil)
	_ provider.Server        = (*Server)(nil)
	_ provider.UsageReporter = (*Server)(nil)
	_ provider.Redactor      = (*Server)(nil)
	_ provider.Aborter       = (*Server)(nil)

	_ provider.VariablesReporter = (*Launcher)(nil)
	_ provider.PrivateLauncher   = (*Launcher)(nil)
	_ provider.Launcher          = (*Attachment)(nil)
)

// Key returns a hash of the binary's content, arguments, environment and other settings. It changes
// when the file changes. It does not reveal the environment, but do not print it.
func (l *Launcher) Key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", l.checksum(), l.Args)
	if l.TerraformVersion != "" {
		fmt.Fprintf(h, " terraform %q", l.TerraformVersion)
	}
	for _, e := range l.environment(l.GOGC) {
		fmt.Fprintf(h, " %q", e)
	}
	if l.Sandbox != nil {
		fmt.Fprintf(h, " %q", fmt.Sprint(*l.Sandbox))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Variables implements provider.VariablesReporter.
func (l *Launcher) Variables() map[string]string { return l.Env }

func (l *Launcher) checksum() string {
	if l.SHA256 != "" {
		return l.SHA256
	}
	sum, err := checksum.Of(l.Path)
	if err != nil {
		return l.Path
	}
	return sum
}

// Launch starts the provider and reads its schema, unless the schema of an earlier process can be
// reused. If the provider does not start, the error is a *StartError.
func (l *Launcher) Launch(ctx context.Context) (provider.Server, error) {
	return l.LaunchPrivate(ctx, provider.Private{})
}

// LaunchPrivate implements provider.PrivateLauncher.
func (l *Launcher) LaunchPrivate(ctx context.Context, private provider.Private) (provider.Server, error) {
	s, err := l.launch(ctx, private)
	if err != nil {
		var e *StartError
		if errors.As(err, &e) {
			e.Path = l.Path
		}
		return nil, err
	}
	return s, nil
}

func (l *Launcher) launch(ctx context.Context, private provider.Private) (*Server, error) {
	binary, problem := openBinary(l.Path, l.SHA256)
	if problem != nil {
		return nil, problem
	}
	defer binary.Close()
	timeout := cmp.Or(l.StartTimeout, startTimeout)
	startCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	dir, held, err := privateDir(l.Dir)
	if err != nil {
		return nil, &StartError{Reason: Failed, Detail: "cannot create its private folder: " + err.Error(), Err: err}
	}
	out := &output{log: l.Logger, limit: unasked}
	if cmp.Or(l.LogLevel, LogOff) != LogOff {
		out.limit = asked
	}
	out.redact.AddStrings(l.Secrets...)
	out.redact.AddStrings(private.Secrets...)
	p := newProcess(binary, l.Args, out)
	if p.sandbox, p.cmd.Env, err = l.restrictions(dir, binary, private); err != nil {
		removeDir(dir, held)
		return nil, &StartError{Reason: SandboxFailed, Detail: "it cannot run in its sandbox: " + err.Error(), Err: err}
	}
	s := &Server{
		terraformVersion: l.TerraformVersion,
		process:          p,
		dir:              dir,
		held:             held,
		grace:            cmp.Or(l.StopGrace, stopGrace),
		ended:            private.Ended,
		settings:         l.settings(),
		client: goplugin.NewClient(&goplugin.ClientConfig{
			HandshakeConfig: goplugin.HandshakeConfig{
				ProtocolVersion:  4,
				MagicCookieKey:   cookieName,
				MagicCookieValue: cookieValue,
			},
			VersionedPlugins: map[int]goplugin.PluginSet{5: {}, 6: {}},
			AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
			AutoMTLS:         true,
			SkipHostEnv:      true,
			RunnerFunc:       p.runnerFunc,
			StartTimeout:     timeout + time.Minute, // startCtx ends the start
			UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: dir},
			Logger:           hclog.NewNullLogger(),
			SyncStdout:       &lineWriter{output: out, stream: "stdout"},
			SyncStderr:       &lineWriter{output: out, stream: "stderr"},
			GRPCDialOptions:  dialOptions(),
		}),
	}
	// go-plugin's start takes no context; it returns when the process has ended.
	stopWatch := context.AfterFunc(startCtx, func() { _ = p.Kill(startCtx) })
	defer stopWatch()
	err = s.connect()
	if err == nil {
		err = l.learnSchema(startCtx, s)
	}
	if !stopWatch() && err == nil {
		err = startCtx.Err()
	}
	if err != nil {
		died := p.over() && startCtx.Err() == nil
		s.discard()
		if p.started.Load() {
			<-p.done // all of the output is read
		}
		return nil, explainStart(err, p, died, startCtx.Err() != nil && ctx.Err() == nil, ctx.Err() != nil)
	}
	go s.watch()
	return s, nil
}

// learnSchema sets the server's schema. A provider without the capability
// get_provider_schema_optional must be asked in every process (contract § 1). Errors in the schema
// do not fail the start; Server.Schema returns them.
func (l *Launcher) learnSchema(ctx context.Context, s *Server) error {
	key := l.Key()
	l.mu.Lock()
	known := l.known
	if l.knownKey != key {
		known = nil
	}
	l.mu.Unlock()
	if known != nil && known.Protocol == s.protocol {
		if !known.Capabilities.GetProviderSchemaOptional {
			if err := s.askForSchema(ctx); err != nil {
				return err
			}
		}
		s.schema = known
		return nil
	}
	if err := s.readSchema(ctx); err != nil {
		return err
	}
	if s.schema != nil {
		l.mu.Lock()
		l.known, l.knownKey = s.schema, key
		l.mu.Unlock()
	}
	return nil
}

// privateDir creates the private folder of a process. It is locked, so that the next start of the
// controller can tell whether its process has been killed; held is nil where folders cannot be
// locked.
func privateDir(base string) (dir string, held *os.File, err error) {
	if dir, err = socketDir(base); err != nil {
		return "", nil, err
	}
	held, err = child.Own(dir, child.Lock)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, held, nil
}

func removeDir(dir string, held *os.File) {
	_ = os.RemoveAll(dir)
	if held != nil {
		_ = held.Close()
	}
}

// socketDir creates a directory whose path is short enough for sockets in a subdirectory.
func socketDir(base string) (string, error) {
	const room = 60 // go-plugin's directory and socket names take some 35 bytes of 104
	if base == "" {
		if base = os.TempDir(); len(base) > room-12 {
			base = "/tmp"
		}
	}
	dir, err := os.MkdirTemp(base, child.Prefix)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if len(dir) > room {
		_ = os.Remove(dir)
		return "", fmt.Errorf("the path %s is too long for sockets", dir)
	}
	return dir, nil
}
