package schematest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestSchemasAreTheProviders(t *testing.T) {
	for _, name := range schematest.Providers {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			server, err := (&plugin.Launcher{Path: providertest.Binary(t, name)}).Launch(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close(ctx)
			s, diags := server.Schema(ctx)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			raw, err := json.MarshalIndent(s, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			raw = append(raw, '\n')
			file := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(file, raw, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(raw, want) {
				t.Errorf("%s differs from what the provider says; run the test with -update", file)
			}
			if again, err := json.MarshalIndent(schematest.Provider(t, name), "", " "); err != nil || !bytes.Equal(append(again, '\n'), want) {
				t.Errorf("%s does not come back as it is (%v)", file, err)
			}
		})
	}
}
