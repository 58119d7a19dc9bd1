package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
)

const (
	// profiled is the number of profiled seconds of creates.
	profiled = 6
	// profiledRestart is the same of a restart.
	profiledRestart = 12
)

// profile writes CPU profiles of the API server and the controller into a directory. wait
// returns when they are complete.
func (c *cluster) profile(ctx context.Context, dir string) (wait func() error) {
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return func() error { return err }
	}
	group, ctx := errgroup.WithContext(ctx)
	query := fmt.Sprintf("profile?seconds=%d", profiled)
	group.Go(func() error {
		return download(ctx, client, c.config.Host, query, filepath.Join(dir, "apiserver.pprof"))
	})
	group.Go(func() error {
		return download(ctx, http.DefaultClient, "http://"+c.pprof, query, filepath.Join(dir, "controller.pprof"))
	})
	return group.Wait
}

// restarted writes a CPU profile of the controller's first seconds, and what it has allocated, into
// a directory. It waits until the controller serves profiles.
func (c *cluster) restarted(ctx context.Context, dir string) error {
	query := fmt.Sprintf("profile?seconds=%d", profiledRestart)
	return c.until(ctx, time.Minute, func() (bool, error) {
		err := download(ctx, http.DefaultClient, "http://"+c.pprof, query, filepath.Join(dir, "controller-restart.pprof"))
		if errors.Is(err, syscall.ECONNREFUSED) {
			return false, nil
		}
		return true,
			errors.Join(err, download(ctx, http.DefaultClient, "http://"+c.pprof, "allocs",
				filepath.Join(dir, "controller-restart-allocs.pprof")))
	})
}

// profileLooks writes a profile of the API server's processor time in a window into a directory.
func (c *cluster) profileLooks(ctx context.Context, dir string, window time.Duration) error {
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return err
	}
	return download(ctx, client, c.config.Host, fmt.Sprintf("profile?seconds=%.0f", window.Seconds()),
		filepath.Join(dir, "apiserver-looks.pprof"))
}

// heap writes a profile of the controller's heap, after a garbage collection, into a directory.
func (c *cluster) heap(ctx context.Context, dir string) error {
	return download(ctx, http.DefaultClient, "http://"+c.pprof, "heap?gc=1", filepath.Join(dir, "controller-heap.pprof"))
}

func download(ctx context.Context, client *http.Client, host, query, path string) error {
	resp, err := get(ctx, client, host+"/debug/pprof/"+query)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, resp.Body)
	return err
}
