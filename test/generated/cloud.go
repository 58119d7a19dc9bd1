package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/hcloudtest"
)

// cloud is where a provider creates its objects.
type cloud struct {
	// replacer inserts values into manifests that are known only at run time.
	replacer *strings.Replacer
	// check checks, after the manifests were deleted, that exactly the requested operations were
	// done.
	check func() error
	stop  func() error
}

func nothing() error { return nil }

// noCloud returns the cloud of providers with objects that exist only in the state.
func noCloud(context.Context, string) (*cloud, error) {
	return &cloud{strings.NewReplacer(), nothing, nothing}, nil
}

// files returns the cloud of the provider local.
func files(_ context.Context, dir string) (*cloud, error) {
	file := filepath.Join(dir, "greeting.txt")
	return &cloud{strings.NewReplacer("FILE", file), func() error {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s was not removed: %w", file, err)
		}
		return nil
	}, nothing}, nil
}

func hetzner(context.Context, string) (*cloud, error) {
	server, stop := hcloudtest.Run(hcloudtest.Options{})
	return &cloud{strings.NewReplacer("ENDPOINT", server.Endpoint, "TOKEN", server.Token), func() error {
		done := map[string]int{}
		for _, r := range server.Requests() {
			switch {
			case r.Method == http.MethodPost && r.Path == "/volumes":
				done["create"]++
			case r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/actions/resize"):
				done["resize"]++
			case r.Method == http.MethodDelete:
				done["delete"]++
			}
		}
		if len(server.Volumes()) != 0 || done["create"] != 1 || done["resize"] != 1 || done["delete"] != 1 {
			return fmt.Errorf("the cloud was asked for %v, and has %d volumes left", done, len(server.Volumes()))
		}
		return nil
	}, func() error { stop(); return nil }}, nil
}

// exampleCloud returns an example cloud in which that many objects are created, and one of them is
// changed.
func exampleCloud(objects int) func(context.Context, string) (*cloud, error) {
	return func(ctx context.Context, dir string) (*cloud, error) { return runExampleCloud(ctx, dir, objects) }
}

func runExampleCloud(ctx context.Context, dir string, objects int) (*cloud, error) {
	server, stop, err := examplecloudtest.Run(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &cloud{strings.NewReplacer("ENDPOINT", server.URL), func() error {
		answer, err := http.Get(server.URL + "/admin/audit")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		var audit struct {
			Total examplecloudtest.Counts `json:"total"`
		}
		if err := json.NewDecoder(answer.Body).Decode(&audit); err != nil {
			return err
		}
		if a := audit.Total; a.Creates != objects || a.Updates != 1 || a.Deletes != objects || a.Live != 0 {
			return fmt.Errorf("the cloud's audit: %+v", a)
		}
		return nil
	}, stop}, nil
}
