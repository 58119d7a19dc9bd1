package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// remoteObjects measures the commands that find and import many remote objects, without a cluster.
func remoteObjects(ctx context.Context, r *figure.Report, bin string, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cloud, err := startCloud(ctx)
	if err != nil {
		return err
	}
	defer cloud.stop()
	if err := cloud.fill(ctx, n); err != nil {
		return err
	}
	provider, err := testbin.Build(ctx, examplecloudtest.ProviderProgram(examplecloudtest.Framework6))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "landbridge-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config,
		fmt.Appendf(nil, "apiVersion: examplecloud.landbridge.io/v1alpha1\nkind: ClusterProviderConfig\nmetadata: "+
			"{name: default}\nspec: {endpoint: %q}\n", cloud.url), 0o600); err != nil {
		return err
	}
	landbridge := func(args ...string) *exec.Cmd {
		cmd := command(filepath.Join(bin, "landbridge"), append(args, "--provider", provider, "--configuration", config)...)
		cmd.Stderr = io.Discard
		return cmd
	}
	r.Add(figure.Figure{Name: "commands: remote objects", Value: float64(n), Unit: "objects"})
	const floor = "commands: floor: landbridge discover --limit 1"
	var floors []time.Duration
	for range 3 {
		one, err := measure(landbridge("discover", "--limit", "1"), 2)
		if err != nil {
			return err
		}
		floors = append(floors, one.last)
	}
	slices.Sort(floors)
	r.Add(figure.Figure{Name: floor, Value: seconds(floors[1]), Unit: "s"})
	found, err := landbridge("discover", "-o", "json").Output()
	if err != nil {
		return err
	}
	objects := filepath.Join(dir, "objects.json")
	if err := os.WriteFile(objects, found, 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{{"discover"}, {"discover", "-o", "json"}, {"discover", "-o", "yaml"}, {"import", "--objects", objects}} {
		name := strings.ReplaceAll("landbridge "+strings.Join(args, " "), objects, "FILE")
		m, err := measure(landbridge(args...), n)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.add(r, "commands: "+name, floor)
	}
	return ctx.Err()
}

// fill makes things, and waits until all exist.
func (c *exampleCloud) fill(ctx context.Context, n int) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error {
			body, err := json.Marshal(map[string]any{
				"name": fmt.Sprintf("thing-%d", i), "region": "us-east-1", "size": 1,
				"tags": map[string]string{"team": "a"},
			})
			if err != nil {
				return err
			}
			return c.call(groupCtx, http.MethodPost, "/v1/things", bytes.NewReader(body), nil)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for {
		running, err := c.running(ctx)
		if err != nil || running == 0 {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
