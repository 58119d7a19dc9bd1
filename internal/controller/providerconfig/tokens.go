package providerconfig

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// tokenRetry is the delay after a renewal that failed.
	tokenRetry = 10 * time.Second
	// newToken is the age up to which a token that does not work is kept.
	newToken = time.Minute
	// tokenTimeout bounds the renewal of all tokens.
	tokenTimeout = 30 * time.Second
)

// tokens are the tokens of one provider configuration. While a process of the provider runs, they
// are renewed, and are in files that this process alone can read.
type tokens struct {
	specs   []tokenSpec
	request TokenRequester
	// dir is the folder of the files. It exists while a process runs. Processes cannot write it: a
	// process could have this program write elsewhere.
	dir string
	// outdated counts the renewals of tokens in environment variables, and renewed all renewals.
	outdated, renewed atomic.Int64

	// refreshing is held during requests.
	refreshing sync.Mutex
	mu         sync.Mutex
	held       []heldToken // as in specs
	launched   int
	servers    map[provider.Redactor]struct{}
	lock       *os.File // of dir; nil where folders cannot be locked
	stop       context.CancelFunc
}

type heldToken struct {
	IssuedToken
	requested, renewAt time.Time
}

func newTokens(specs []tokenSpec, request TokenRequester) *tokens {
	return &tokens{
		specs: specs, request: request, held: make([]heldToken, len(specs)), servers: map[provider.Redactor]struct{}{},
		dir: filepath.Join(os.TempDir(), child.Prefix+"tokens-"+rand.Text()),
	}
}

// paths returns the paths of the files, by the names of the tokens.
func (t *tokens) paths() map[string]string {
	out := map[string]string{}
	for _, spec := range t.specs {
		if spec.Env == "" {
			out[spec.Name] = filepath.Join(t.dir, spec.Name)
		}
	}
	return out
}

// values returns the tokens.
func (t *tokens) values() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, h := range t.held {
		if h.Value != "" {
			out = append(out, h.Value)
		}
	}
	return out
}

// refresh requests the tokens that are missing, or that are to be renewed. It fails if there is a
// token that cannot be used any more.
func (t *tokens) refresh(ctx context.Context) error {
	t.refreshing.Lock()
	defer t.refreshing.Unlock()
	var failure error
	for i := range t.specs {
		if err := t.refreshOne(ctx, i, time.Now()); err != nil {
			failure = err
		}
	}
	return failure
}

func (t *tokens) refreshOne(ctx context.Context, i int, now time.Time) error {
	t.mu.Lock()
	held := t.held[i]
	t.mu.Unlock()
	if now.Before(held.renewAt) {
		return nil
	}
	account := t.specs[i].ServiceAccountReference
	issued, err := t.request(ctx, account.Namespace, account.Name, t.specs[i].Audiences, lifetime(t.specs[i]))
	if err == nil {
		valid := issued.Expires.Sub(now)
		err = t.hold(i, heldToken{issued, now, now.Add(max(valid*4/5, tokenRetry))})
	} else if now.Before(held.Expires) {
		held.renewAt = now.Add(tokenRetry)
		t.mu.Lock()
		t.held[i] = held
		t.mu.Unlock()
		return nil
	}
	if err != nil {
		return fmt.Errorf("there is no token of ServiceAccount %s in namespace %s: %w", account.Name, account.Namespace, err)
	}
	return nil
}

// renewRefused has tokens renewed that do not work, unless they are new. That of a ServiceAccount
// that was created again is an example.
func (t *tokens) renewRefused() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, h := range t.held {
		if now := time.Now(); now.Sub(h.requested) >= newToken {
			t.held[i].renewAt = now
		}
	}
}

// hold keeps a new token, and hands it to the processes that run.
func (t *tokens) hold(i int, h heldToken) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for s := range t.servers {
		s.Redact(h.Value)
	}
	t.held[i] = h
	t.renewed.Add(1)
	if t.specs[i].Env != "" {
		t.outdated.Add(1)
		return nil
	}
	if t.launched == 0 {
		return nil
	}
	return t.write(i)
}

// write writes the file of a token, so that its readers have a whole one. The mutex is held.
func (t *tokens) write(i int) error {
	path := filepath.Join(t.dir, t.specs[i].Name)
	if err := os.WriteFile(path+".new", []byte(t.held[i].Value), 0o600); err != nil { // names have no dots
		return err
	}
	return os.Rename(path+".new", path)
}

// begin prepares a launch, and returns what the process gets.
func (t *tokens) begin() (provider.Private, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := provider.Private{Env: map[string]string{}, Read: []string{t.dir}}
	for i, spec := range t.specs {
		out.Secrets = append(out.Secrets, t.held[i].Value)
		switch {
		case spec.Env != "":
			out.Env[spec.Env] = t.held[i].Value
		case spec.FileEnv != "":
			out.Env[spec.FileEnv] = filepath.Join(t.dir, spec.Name)
		}
	}
	if t.launched == 0 {
		if err := t.makeDir(); err != nil {
			return provider.Private{}, err
		}
		for i, spec := range t.specs {
			if spec.Env != "" {
				continue
			}
			if err := t.write(i); err != nil {
				t.removeDir()
				return provider.Private{}, err
			}
		}
		var ctx context.Context
		ctx, t.stop = context.WithCancel(context.Background())
		go t.keep(ctx)
	}
	t.launched++
	return out, nil
}

// end removes the files with the last process.
func (t *tokens) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.launched--; t.launched == 0 {
		t.stop()
		t.removeDir()
	}
}

// makeDir makes the folder of the files. If this program is killed, its next start removes the
// folder.
func (t *tokens) makeDir() error {
	if err := os.Mkdir(t.dir, 0o700); err != nil {
		return err
	}
	var err error
	if t.lock, err = child.Own(t.dir, child.Lock); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return errors.Join(err, os.RemoveAll(t.dir))
	}
	return nil
}

func (t *tokens) removeDir() {
	_ = os.RemoveAll(t.dir)
	if t.lock != nil {
		_ = t.lock.Close()
	}
}

// keep renews the tokens until ctx ends.
func (t *tokens) keep(ctx context.Context) {
	for {
		t.mu.Lock()
		next := slices.MinFunc(t.held, func(a, b heldToken) int { return a.renewAt.Compare(b.renewAt) }).renewAt
		t.mu.Unlock()
		timer := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		refresh, cancel := context.WithTimeout(ctx, tokenTimeout)
		err := t.refresh(refresh)
		cancel()
		if err == nil {
			continue
		}
		select { // who uses the configuration next gets the error
		case <-ctx.Done():
			return
		case <-time.After(tokenRetry):
		}
	}
}

// tokenLauncher launches servers with tokens.
type tokenLauncher struct {
	provider.Launcher
	tokens *tokens
}

// Key implements provider.Launcher. Configurations with tokens share no processes.
func (l tokenLauncher) Key() string { return l.Launcher.Key() + " " + l.tokens.dir }

// Version implements provider.Renewer.
func (l tokenLauncher) Version() int64 { return l.tokens.outdated.Load() }

// Launch implements provider.Launcher.
func (l tokenLauncher) Launch(ctx context.Context) (provider.Server, error) {
	if err := l.tokens.refresh(ctx); err != nil {
		return nil, err
	}
	private, err := l.tokens.begin()
	if err != nil {
		return nil, fmt.Errorf("the files of tokens cannot be written: %w", err)
	}
	end := sync.OnceFunc(l.tokens.end)
	private.Ended = end
	var s provider.Server
	if p, ok := l.Launcher.(provider.PrivateLauncher); ok {
		s, err = p.LaunchPrivate(ctx, private)
	} else {
		s, err = l.Launcher.Launch(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	r := l.tokens.track(s)
	go func() {
		<-s.Done()
		l.tokens.untrack(r)
		end()
	}()
	return s, nil
}

// track has renewed tokens removed from the logs and errors of a server, too.
func (t *tokens) track(s provider.Server) provider.Redactor {
	r, ok := s.(provider.Redactor)
	if !ok {
		return nil
	}
	t.mu.Lock()
	t.servers[r] = struct{}{}
	t.mu.Unlock()
	r.Redact(t.values()...) // one may have been renewed since the launch
	return r
}

// untrack ends what track began.
func (t *tokens) untrack(r provider.Redactor) {
	t.mu.Lock()
	delete(t.servers, r)
	t.mu.Unlock()
}
