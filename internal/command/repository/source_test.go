package repository_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/repository"
)

// A downloaded module replaces nothing by a directory, which only its author has.
func TestReplacements(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "go.mod")
	const content = `module example.org/terraform-provider-cloud

go 1.25

replace (
	example.org/a => example.org/fork/a v1.0.0
	example.org/b v1.2.0 => example.org/b v1.1.0
	example.org/c => ../c
	example.org/d => /src/d
)
`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	modules := [][2]string{{"example.org/a", "example.org/fork/a@v1.0.0"}, {"example.org/b@v1.2.0", "example.org/b@v1.1.0"}}
	for name, test := range map[string]struct {
		checkout string
		want     [][2]string
	}{
		"downloaded": {"", modules},
		"a checkout": {"/src/cloud", append(modules, [2]string{"example.org/c", "/src/c"}, [2]string{"example.org/d", "/src/d"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := repository.Replacements(file, test.checkout)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
