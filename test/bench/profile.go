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
	group, ctx := errgroup.WithContext(ctx)
	get := func(client *http.Client, host, name string) {
		group.Go(func() error {
			req, err := newRequest(ctx, fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", host, profiled))
			if err != nil {
				return err
			}
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			f, err := os.Create(filepath.Join(dir, name+".pprof"))
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(f, resp.Body)
			return err
		})
	}
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return func() error { return err }
	}
	get(client, c.config.Host, "apiserver")
	get(http.DefaultClient, "http://"+c.pprof, "controller")
	return group.Wait
}
