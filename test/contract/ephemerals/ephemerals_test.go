package ephemerals_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/contract/ephemerals"
)

// Many more cases are the business of cmd/differential.
func TestSomeCases(t *testing.T) {
	t.Setenv("TF_LOG_SDK_PROTO", "OFF") // the server logs everything by default
	path, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	var all []*ephemerals.Case
	for i := range 200 {
		all = append(all, ephemerals.Generate(7, i))
	}
	found, err := ephemerals.Run(t.Context(), path, t.TempDir(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range found {
		if i < 5 {
			t.Error(d)
		}
	}
	if len(found) > 5 {
		t.Errorf("and %d further differences", len(found)-5)
	}
}
