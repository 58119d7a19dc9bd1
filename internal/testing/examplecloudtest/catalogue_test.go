package examplecloudtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The cloud refuses faults that it does not know, or that have no effect.
func TestCatalogueFaults(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	for _, b := range examplecloudtest.Catalogue {
		for _, f := range b.For("name", b.Name) {
			cloud.Fault(t, f)
		}
	}
	made := cloud.Make(t, "records", map[string]any{"name": "other", "value": "Kept"})
	if stored := cloud.Stored(t, "records"); len(stored) != 1 || stored[0]["id"] != made["id"] || stored[0]["value"] != "Kept" {
		t.Errorf("faults for others have changed %v", stored)
	}
	if events := cloud.Changes(t); len(events) != 2 || events[1].What != "creates" ||
		events[1].ObjectID != made["id"] || events[1].Key != "other" {
		t.Errorf("events: %v", events)
	}
}

var row = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|(.*)$")

// docs/faults.md has a row for each behaviour, in this order, with all of its sources.
func TestCatalogueIsDocumented(t *testing.T) {
	t.Parallel()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	rows := map[string]string{}
	for _, match := range row.FindAllStringSubmatch(string(page), -1) {
		got = append(got, match[1])
		rows[match[1]] = match[2]
	}
	for _, b := range examplecloudtest.Catalogue {
		want = append(want, b.Name)
		if len(b.Sources) == 0 {
			t.Errorf("%s has no source", b.Name)
		}
		for _, source := range b.Sources {
			if !strings.HasPrefix(source, "https://") || !strings.Contains(rows[b.Name], "("+source+")") {
				t.Errorf("the row of %s does not link to %s", b.Name, source)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-catalogue +docs/faults.md): %s", diff)
	}
}
