package sbom_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/tools/release/sbom"
)

// The document of the test's own program lists the modules that are linked into it.
func TestSPDX(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := sbom.Program{Name: "self", File: self}
	document, err := sbom.SPDX("test", "v1.0.0", time.Unix(1e9, 0), program)
	if err != nil {
		t.Fatal(err)
	}
	again, err := sbom.SPDX("test", "v1.0.0", time.Unix(1e9, 0), program)
	if err != nil || !bytes.Equal(document, again) {
		t.Errorf("two documents of the same program differ (%v)", err)
	}
	var read struct {
		SPDXVersion   string
		Packages      []struct{ SPDXID, Name, VersionInfo string }
		Relationships []struct{ RelationshipType, RelatedSPDXElement string }
	}
	if err := json.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	ids, named := map[string]bool{}, map[string]string{}
	for _, p := range read.Packages {
		if ids[p.SPDXID] {
			t.Errorf("the identifier %s is not unique", p.SPDXID)
		}
		ids[p.SPDXID], named[p.Name] = true, p.VersionInfo
	}
	if read.SPDXVersion != "SPDX-2.3" || named["self"] != "v1.0.0" || !strings.HasPrefix(named["stdlib"], "1.") {
		t.Errorf("the document is %s of %v", read.SPDXVersion, named)
	}
	for _, r := range read.Relationships {
		if !ids[r.RelatedSPDXElement] {
			t.Errorf("%s of %s, which is no package", r.RelationshipType, r.RelatedSPDXElement)
		}
	}
}
