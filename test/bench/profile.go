package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"
)

// profiled is the number of profiled seconds.
const profiled = 6

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
