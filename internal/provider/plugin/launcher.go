package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// What Terraform and its providers tell each other apart by (contract § 1).
const (
	cookieName  = "TF_PLUGIN_MAGIC_COOKIE"
	cookieValue = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"
)

const (
	// maxMessage is the largest message providers send or take, in bytes.
	maxMessage = 256 << 20
	// window is the flow-control window, in bytes. Setting it spares both sides the pings
	// with which gRPC measures one.
	window = 1 << 20
)

// Launcher starts child processes of one provider. Path is all it needs. It must not be
// copied or changed after its first use.
type Launcher struct {
	// Path of the provider's binary.
	Path string
	// Args of the provider; released ones take none.
	Args []string
	// SHA256 of the binary in lower-case hex, where it is known; else Key reads the file.
	SHA256 string
	// Env is what the provider's environment holds beside PATH, HOME, TMPDIR, proxies and
	// certificates, and wins over them. Nothing else of this program's environment is given.
	Env map[string]string
	// Logger takes the provider's logs and its plain output, without secrets. Errors and
	// warnings come at V(0), information at V(1), debugging and plain output at V(2), traces
	// at V(3).
	Logger logr.Logger
	// LogLevel is what the provider logs; nothing unless set. Traces make calls four times
	// as dear.
	LogLevel LogLevel
	// Secrets never appear in logs and errors; Server.Redact adds to them.
	Secrets []string
	// StartTimeout is how long a start may take; a minute unless set.
	StartTimeout time.Duration
	// StopGrace is how long a provider may take to end after it was told to, before it is
	// killed; 2 seconds unless set.
	StopGrace time.Duration
	// Dir is where the directories for sockets are made, the system's temporary directory
	// unless set. Its path must be short: that of a socket is limited to about 100 bytes.
	Dir string
	// GOGC and MemoryLimit (in bytes) tune the garbage collector of providers written in
	// Go; 0 leaves it alone.
	GOGC        int
	MemoryLimit int64

	mu sync.Mutex
	// sum is the checksum of the file that stamp describes.
	sum   string
	stamp fileStamp
	// known is the schema of the provider with the key knownKey.
	known    *schema.Provider
	knownKey string
}

type fileStamp struct {
	size    int64
	changed time.Time
}

var (
	_ provider.Launcher      = (*Launcher)(nil)
	_ provider.Server        = (*Server)(nil)
	_ provider.UsageReporter = (*Server)(nil)
	_ provider.Redactor      = (*Server)(nil)
	_ provider.Aborter       = (*Server)(nil)
)

// Key is a hash of the binary's content and all that makes its process what it is. It is
// made anew when the file changes. It does not reveal the environment, but do not print it.
func (l *Launcher) Key() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", l.checksum(), l.Args)
	for _, e := range l.environment() {
		fmt.Fprintf(h, " %q", e)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (l *Launcher) checksum() string {
	if l.SHA256 != "" {
		return l.SHA256
	}
	info, err := os.Stat(l.Path)
	if err != nil {
		return l.Path
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := (fileStamp{info.Size(), info.ModTime()}); l.sum == "" || s != l.stamp {
		sum, err := fileSum(l.Path)
		if err != nil {
			return l.Path
		}
		l.sum, l.stamp = sum, s
	}
	return l.sum
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Launch starts the provider and asks for its schema, unless an earlier process of it gave
// one and said that this is enough. A provider that does not start is a *StartError.
func (l *Launcher) Launch(ctx context.Context) (provider.Server, error) {
	s, err := l.launch(ctx)
	if err != nil {
		var e *StartError
		if errors.As(err, &e) {
			e.Path = l.Path
		}
		return nil, err
	}
	return s, nil
}

func (l *Launcher) launch(ctx context.Context) (*Server, error) {
	if err := checkBinary(l.Path); err != nil {
		return nil, err
	}
	timeout := l.StartTimeout
	if timeout == 0 {
		timeout = time.Minute
	}
	startCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	dir, err := socketDir(l.Dir)
	if err != nil {
		return nil, &StartError{Reason: Failed, Detail: "no directory for its socket could be made: " + err.Error(), Err: err}
	}
	out := &output{log: l.Logger, limit: unasked}
	if cmp.Or(l.LogLevel, LogOff) != LogOff {
		out.limit = asked
	}
	out.redact.AddStrings(l.Secrets...)
	p := newProcess(l.Path, l.Args, out)
	p.cmd.Env = l.environment()
	s := &Server{
		process: p,
		dir:     dir,
		grace:   l.StopGrace,
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
			GRPCDialOptions: []grpc.DialOption{
				grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
				grpc.WithInitialWindowSize(window),
				grpc.WithInitialConnWindowSize(window),
				grpc.WithIdleTimeout(0),
				grpc.WithDisableServiceConfig(),
			},
		}),
	}
	if s.grace == 0 {
		s.grace = 2 * time.Second
	}
	// go-plugin's start knows no context: end the process to end the wait for it.
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

// learnSchema gives the server its schema. A provider that does not have the capability
// get_provider_schema_optional wants to be asked in every process (contract § 1). A schema
// with errors is no failed start: Server.Schema tells.
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

// socketDir makes a directory whose path is short enough for sockets in a directory in it.
func socketDir(base string) (string, error) {
	const room = 60 // go-plugin's directory and socket names take some 35 bytes of 104
	if base == "" {
		if base = os.TempDir(); len(base) > room-12 {
			base = "/tmp"
		}
	}
	dir, err := os.MkdirTemp(base, "lb-")
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
