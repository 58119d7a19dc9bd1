package repository_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/repository"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// Examples are those of the documentation that the provider accepts.
func TestExamples(t *testing.T) {
	t.Parallel()
	const good = "```terraform\nresource \"time_offset\" \"a\" {\n  offset_days = 7\n}\n```\n"
	const bad = "```terraform\nresource \"time_offset\" \"b\" {\n  base_rfc3339 = \"yesterday\"\n}\n```\n"
	written := func(content string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := t.TempDir()
			page := filepath.Join(dir, "docs", "resources", "offset.md")
			if err := os.MkdirAll(filepath.Dir(page), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(page, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	s := schematest.Provider(t, "time")
	p, err := model.NewProvider("time", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	binary := providertest.Binary(t, "time")
	seven := map[string]any{"offset_days": 7.0}
	tests := map[string]struct {
		source  func(*testing.T) string // nil: there is no documentation
		want    map[string]any          // of time_offset
		refused bool
	}{
		"no documentation":     {refused: true},
		"an example":           {source: written(good), want: seven},
		"the second is valid":  {source: written(bad + good), want: seven},
		"no example is valid":  {source: written(bad), refused: true},
		"of the real provider": {source: func(t *testing.T) string { return providertest.Documentation(t, "time") }, want: seven},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := ""
			if test.source != nil {
				source = test.source(t)
			}
			found, refused, err := repository.Examples(t.Context(), binary, time.Minute, p, s, source)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, found["time_offset"]); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if got := refused["time_offset"]; (got != nil) != test.refused || got != nil && !strings.Contains(got.Error(), "ttribute") {
				t.Errorf("refused: %v", got)
			}
			if name == "of the real provider" && len(refused) > 0 {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}
