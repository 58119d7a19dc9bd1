package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestRecord(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "schema.json")
	for _, name := range schematest.Providers {
		s := schematest.Provider(t, name)
		raw, err := (&schema.Record{Provider: name, Version: "1.2.3", Schema: s}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := schema.ReadRecord(file, name)
		if err != nil {
			t.Fatal(err)
		}
		if back.Version != "1.2.3" {
			t.Errorf("version %s", back.Version)
		}
		again, err := back.Encode()
		if diff := cmp.Diff(string(raw), string(again)); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		want, err := s.Sum()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := back.Schema.Sum(); err != nil || got != want {
			t.Errorf("%s: the checksum is %s after reading, %s before (%v)", name, got, want, err)
		}
	}
	_, err := schema.ReadRecord(file, "another")
	if err == nil || !strings.Contains(err.Error(), "is the schema of the provider time, and not of another") {
		t.Errorf("the schema of another provider: %v", err)
	}
}

func TestRecordErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                         "EOF",
		`{}`:                       "there is no schema",
		`{"schema":{"config":{}}}`: "of which provider and version",
		`{"provider":"a","version":"1","schema":{}}`:                                           "provider configuration: it has no schema",
		`{"provider":"a","version":"1","schema":{"config":{}},"sum":1}`:                        "unknown field",
		`{"provider":"a","version":"1","schema":{"config":{},"resources":{"x":{"type":"y"}}}}`: `it is called "y"`,
		`{"protocol":5,"config":{},"capabilities":{}}`:                                         "unknown field",
	} {
		if _, err := schema.DecodeRecord([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}
