package architecture_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

const contractPage = "docs/contract.md"

var (
	contractSection = regexp.MustCompile(`(?m)^##+ (\d+(?:\.\d+)?)\.? `)
	contractVector  = regexp.MustCompile(`(?m)^\| (V\d+)\*? \|`)
	// sectionReference matches "§ 3.7", "§§ 3.2, 3.3" and "§§ 3.5 to 3.7".
	sectionReference = regexp.MustCompile(`§+ ?\d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*`)
	sectionNumber    = regexp.MustCompile(`\d+(?:\.\d+)?`)
	vectorReference  = regexp.MustCompile(`\bV\d{2,3}\b`)
)

// TestContractReferences checks that Go files and pages refer only to sections and test vectors
// that the contract has.
func TestContractReferences(t *testing.T) {
	files := sources(t)
	contract := known(files[contractPage])
	if len(contract) < 150 {
		t.Fatalf("%s has only %d sections and vectors", contractPage, len(contract))
	}
	count := 0
	for name, text := range files {
		if ext := filepath.Ext(name); ext != ".go" && ext != ".md" || name == "internal/architecture/references_test.go" {
			continue
		}
		for _, reference := range contractReferences(text) {
			count++
			if !contract[reference] {
				t.Errorf("%s refers to %s, which is not in %s", name, reference, contractPage)
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d references to %s found", count, contractPage)
	}
}

// known returns the sections and test vectors of the contract.
func known(contract string) map[string]bool {
	found := map[string]bool{}
	for _, m := range contractSection.FindAllStringSubmatch(contract, -1) {
		found["§ "+m[1]] = true
	}
	for _, m := range contractVector.FindAllStringSubmatch(contract, -1) {
		found[m[1]] = true
	}
	return found
}

// contractReferences returns the sections and test vectors that a text refers to.
func contractReferences(text string) []string {
	var found []string
	for _, list := range sectionReference.FindAllString(text, -1) {
		for _, number := range sectionNumber.FindAllString(list, -1) {
			found = append(found, "§ "+number)
		}
	}
	return append(found, vectorReference.FindAllString(text, -1)...)
}

func TestFindContractReferences(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"section":            {text: "see contract § 3.7.", want: []string{"§ 3.7"}},
		"item of a section":  {text: "§ 3.7-2 ENGINE", want: []string{"§ 3.7"}},
		"list of sections":   {text: "§§ 3.2, 3.3", want: []string{"§ 3.2", "§ 3.3"}},
		"range of sections":  {text: "§§ 3.5 to 3.7", want: []string{"§ 3.5", "§ 3.7"}},
		"several references": {text: "§ 3.4, § 6", want: []string{"§ 3.4", "§ 6"}},
		"vectors":            {text: "V01 and V131", want: []string{"V01", "V131"}},
		"log level":          {text: "log.V(1), IPV66", want: nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, contractReferences(test.text)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// outside are references that lead out of the repository: to notes that its readers do not
// have, and to issues whose tracker is not named.
var (
	outside = []string{
		"DESIGN.md", "../shared/", "shared/reference", "shared/sketches", "seeds/", "/work/", "feasibility.md",
		"crossplane-resource-model", "terraform-core-contract", "house.md",
	}
	outsideIssues = regexp.MustCompile(`\b[Ii]ssue #?\d+`)
)

// outsideReferences returns the references in a text that lead out of the repository.
func outsideReferences(text string) []string {
	var found []string
	for _, reference := range outside {
		if strings.Contains(text, reference) {
			found = append(found, reference)
		}
	}
	if strings.Contains(text, "ssue ") {
		found = append(found, outsideIssues.FindAllString(text, -1)...)
	}
	return found
}

// TestNoReferencesToOutside checks that no text leads to something that is not in the repository.
func TestNoReferencesToOutside(t *testing.T) {
	for name, text := range sources(t) {
		if name == "internal/architecture/references_test.go" {
			continue
		}
		for _, reference := range outsideReferences(text) {
			t.Errorf("%s refers to %q, which is not in the repository", name, reference)
		}
	}
}

func TestFindOutsideReferences(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"design notes":          {text: "see DESIGN.md", want: []string{"DESIGN.md"}},
		"path beside":           {text: "in ../shared/x", want: []string{"../shared/"}},
		"issue number":          {text: "(Issue 7, issue #8)", want: []string{"Issue 7", "issue #8"}},
		"issue in a tracker":    {text: "https://github.com/golang/go/issues/7"},
		"page of a provider":    {text: "https://docs.hetzner.cloud/reference/cloud"},
		"seed of a random test": {text: "several seeds, one each"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, outsideReferences(test.text)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

var (
	codeBlock  = regexp.MustCompile("(?ms)^( *)```.*?^ *```")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	pageLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageTitle  = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
	linkInText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// TestPageLinks checks that the relative links of Markdown pages lead to files and headings.
func TestPageLinks(t *testing.T) {
	files := sources(t)
	count := 0
	for name, text := range files {
		if filepath.Ext(name) != ".md" || strings.HasPrefix(name, "internal/command/repository/templates/") { // those lead to generated files
			continue
		}
		for _, link := range links(text) {
			count++
			path, anchor, _ := strings.Cut(link, "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(filepath.Join(root(t), target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, link)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(files[target]), anchor) {
				t.Errorf("%s links to %s: %s has no such heading", name, link, target)
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d links found", count)
	}
}

// codePath is a path of this repository in a page; other folders are also in repositories that
// landbridge init makes, which pages describe.
var codePath = regexp.MustCompile("`(internal/[a-zA-Z0-9_./-]+)`")

// TestPagePaths checks that the files and packages that pages under docs/ name exist.
func TestPagePaths(t *testing.T) {
	count := 0
	for name, text := range sources(t) {
		if filepath.Ext(name) != ".md" || !strings.HasPrefix(name, "docs/") {
			continue
		}
		for _, m := range codePath.FindAllStringSubmatch(text, -1) {
			count++
			if _, err := os.Stat(filepath.Join(root(t), m[1])); err != nil {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d paths found", count)
	}
}

// links returns the relative links of a Markdown page.
func links(page string) []string {
	page = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(page, ""), "")
	var found []string
	for _, m := range pageLink.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(m[1], ":") {
			found = append(found, m[1])
		}
	}
	return found
}

// anchors returns the anchors of a page's headings, as GitHub names them.
func anchors(page string) []string {
	var found []string
	for _, m := range pageTitle.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		title := linkInText.ReplaceAllString(m[1], "$1")
		found = append(found, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title))
	}
	return found
}

func TestLinks(t *testing.T) {
	page := "# Title, `code` & more …\n[a](b.md) [c](d.md#e) [f](#g) [h](https://i)\n`[j](k.md)`\n```\n# no heading\n[l](m.md)\n```\n"
	if diff := cmp.Diff([]string{"b.md", "d.md#e", "#g"}, links(page)); diff != "" {
		t.Errorf("links: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"title-code--more-"}, anchors(page)); diff != "" {
		t.Errorf("anchors: -want, +got:\n%s", diff)
	}
}
