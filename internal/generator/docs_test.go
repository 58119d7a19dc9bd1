package generator_test

import (
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/golden"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

func TestDocsGolden(t *testing.T) {
	out := output(t, provide(t, "everything", schematest.Everything(), schematest.References()))
	for _, name := range []string{"everything/thing.md", "everything/plain.md", "README.md"} {
		golden.Check(t, filepath.Base(name)+".golden", out.Files["docs/kinds/"+name])
	}
}
