package sbom

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Program is a Go program.
type Program struct {
	// Name tells the programs of one document apart, such as landbridge_linux_amd64.
	Name string
	// File is where it is.
	File string
}

type document struct {
	SPDXVersion       string         `json:"spdxVersion"`
	DataLicense       string         `json:"dataLicense"`
	ID                string         `json:"SPDXID"`
	Name              string         `json:"name"`
	DocumentNamespace string         `json:"documentNamespace"`
	CreationInfo      creationInfo   `json:"creationInfo"`
	Packages          []pkg          `json:"packages"`
	Relationships     []relationship `json:"relationships"`
}

type creationInfo struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type pkg struct {
	ID               string        `json:"SPDXID"`
	Name             string        `json:"name"`
	Version          string        `json:"versionInfo,omitempty"`
	DownloadLocation string        `json:"downloadLocation"`
	FilesAnalyzed    bool          `json:"filesAnalyzed"`
	LicenseDeclared  string        `json:"licenseDeclared"`
	Checksums        []checksum    `json:"checksums,omitempty"`
	ExternalRefs     []externalRef `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type externalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// SPDX returns an SPDX 2.3 document, in JSON, of the programs.
func SPDX(name, version string, created time.Time, programs ...Program) ([]byte, error) {
	d := &document{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name + "-" + version,
		CreationInfo: creationInfo{
			Created: created.UTC().Format(time.RFC3339), Creators: []string{
				"Organization: Landbridge", "Tool: landbridge-release",
			},
		},
	}
	known := map[string]bool{}
	all := sha256.New()
	for _, p := range programs {
		info, err := buildinfo.ReadFile(p.File)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
		sum, err := checksumOf(p.File)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(all, p.Name, sum)
		root := pkg{
			ID: "SPDXRef-Program-" + identifier(p.Name), Name: p.Name, Version: version,
			DownloadLocation: "NOASSERTION", LicenseDeclared: "NOASSERTION",
			Checksums: []checksum{{"SHA256", sum}},
		}
		d.Packages = append(d.Packages, root)
		d.Relationships = append(d.Relationships, relationship{d.ID, "DESCRIBES", root.ID})
		for _, m := range modules(info) {
			id := "SPDXRef-Module-" + identifier(m.Path+"-"+m.Version)
			d.Relationships = append(d.Relationships, relationship{root.ID, "CONTAINS", id})
			if known[id] {
				continue
			}
			known[id] = true
			d.Packages = append(d.Packages, module(id, m))
		}
	}
	d.DocumentNamespace = "https://github.com/landbridge-io/landbridge/sbom/" + name + "-" + version + "-" +
		hex.EncodeToString(all.Sum(nil))[:16]
	return json.MarshalIndent(d, "", "  ")
}

// modules returns what is linked into a program, sorted, with the standard library and the
// program's own module.
func modules(info *buildinfo.BuildInfo) []debug.Module {
	out := []debug.Module{{Path: "stdlib", Version: strings.TrimPrefix(strings.Fields(info.GoVersion)[0], "go")}}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil && m.Replace.Version != "" {
			m = m.Replace
		}
		out = append(out, debug.Module{Path: m.Path, Version: m.Version})
	}
	slices.SortFunc(out, func(a, b debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func module(id string, m debug.Module) pkg {
	p := pkg{ID: id, Name: m.Path, Version: m.Version, DownloadLocation: "NOASSERTION", LicenseDeclared: "NOASSERTION"}
	locator := "pkg:golang/" + m.Path
	if m.Version != "" && m.Version != "(devel)" {
		locator += "@" + m.Version
	}
	p.ExternalRefs = []externalRef{{"PACKAGE-MANAGER", "purl", locator}}
	return p
}

// identifier returns a text with the characters that SPDX allows in identifiers.
func identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, s)
}

func checksumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
