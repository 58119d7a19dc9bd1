package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/landbridge-io/landbridge/playground"
	"github.com/landbridge-io/landbridge/playground/internal/landbridge"
)

// controllerLog is the name of the controller's log in a data directory.
const controllerLog = "landbridge.log"

// session is a control plane with Landbridge's controller beside it.
type session struct {
	dir          string // has all files
	controlPlane *playground.ControlPlane
	controller   *landbridge.Process
	cloud        *landbridge.Process // nil: none
	page         *landbridge.Process // nil: none
	log          string              // the controller's
	closeLog     func()
}

// sessionOptions are where to find what a session needs. The defaults are where a release or `make`
// puts it.
type sessionOptions struct {
	landbridge, mirror, examples string
	poll                         time.Duration
	args                         []string // further flags for the controller
}

func (o *sessionOptions) addFlags(f *pflag.FlagSet) {
	bin := "bin"
	if self, err := os.Executable(); err == nil {
		bin = filepath.Dir(self)
	}
	f.StringVar(&o.landbridge, "landbridge", filepath.Join(bin, "landbridge"), "the landbridge program")
	f.StringVar(&o.mirror, "provider-mirror", existing(filepath.Join(bin, "providers")),
		"directory with providers, in the layout of Terraform's filesystem mirrors; without it they are downloaded")
	f.StringVar(&o.examples, "examples",
		cmp.Or(existing(filepath.Join(bin, "examples", "demo")),
			filepath.Join(filepath.Dir(bin), "examples", "demo")), "directory with the example manifests")
	f.DurationVar(&o.poll, "poll", 5*time.Second, "how often the controller looks for drift")
}

// existing returns the path, or nothing if there is no such file.
func existing(path string) string {
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// check returns an error if a required file is missing.
func (o *sessionOptions) check() error {
	for _, path := range []string{o.landbridge, o.mirror, o.examples} {
		if path == "" {
			continue // providers are downloaded
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("%w (it is part of a release, and make build makes it; flags say where else it is)", err)
		}
	}
	return nil
}

// startSession starts both, with all their files in dir.
func startSession(ctx context.Context, dir string, port int, o sessionOptions) (_ *session, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	tuneCollector()
	s := &session{dir: dir, log: filepath.Join(dir, controllerLog)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop())
		}
	}()
	log := filepath.Join(dir, "playground.log")
	if s.closeLog, err = logTo(log); err != nil {
		return nil, err
	}
	if err = keepStderr(log); err != nil {
		return nil, err
	}
	if s.controlPlane, err = playground.Start(ctx, playground.Options{Dir: dir, Port: port, LogFile: log}); err != nil {
		return nil, err
	}
	s.controller, err = landbridge.StartController(landbridge.Options{
		Binary: o.landbridge, Kubeconfig: s.controlPlane.Kubeconfig, Mirror: o.mirror,
		Cache: filepath.Join(dir, "provider-cache"), Log: s.log, Poll: o.poll, Args: o.args,
	})
	return s, err
}

// watch returns a context that also ends, with the reason as its cause, when one
// of the processes does.
func (s *session) watch(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var cloud <-chan struct{}
	if s.cloud != nil {
		cloud = s.cloud.Done()
	}
	go func() {
		select {
		case <-ctx.Done():
		case <-cloud:
			cancel(s.cloud.Err())
		case <-s.controller.Done():
			cancel(s.controller.Err())
		case <-s.controlPlane.Done():
			cancel(s.controlPlane.Err())
		}
	}()
	return ctx, cancel
}

// stop stops the controller and then what it works in.
func (s *session) stop() error {
	var err error
	// Those that need others first.
	for _, p := range []*landbridge.Process{s.page, s.controller, s.cloud} {
		if p == nil {
			continue
		}
		select {
		case <-p.Done(): // reported already
		default:
			err = errors.Join(err, p.Stop())
		}
	}
	if s.controlPlane != nil {
		s.controlPlane.Stop()
	}
	if s.closeLog != nil {
		s.closeLog()
	}
	return err
}
