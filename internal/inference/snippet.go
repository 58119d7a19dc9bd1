package inference

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/landbridge-io/landbridge/internal/hcltext"
)

// maxFile is the maximum size of a file, maxSnippet that of a snippet of HCL in it.
const maxFile, maxSnippet = 4 << 20, 256 << 10

// snippet is a snippet of HCL in a file.
type snippet struct {
	file string
	body *hclsyntax.Body
}

// folders are where providers keep documentation and examples. A directory without them is searched
// itself.
var folders = []string{"docs", "website/docs", "templates", "examples"}

// snippets returns the snippets of HCL of all files, in the order of their names.
func snippets(docs fs.FS) ([]snippet, error) {
	var out []snippet
	err := files(docs, func(file string, raw []byte) {
		texts := [][]byte{raw}
		if path.Ext(strings.TrimSuffix(file, ".tmpl")) != ".tf" {
			texts = fenced(raw)
		}
		for _, text := range texts {
			if body := parse(text); body != nil {
				out = append(out, snippet{file, body})
			}
		}
	})
	return out, err
}

// files calls f with all files of documentation and examples, in the order of their names.
func files(docs fs.FS, f func(file string, raw []byte)) error {
	var roots []string
	for _, dir := range folders {
		if info, err := fs.Stat(docs, dir); err == nil && info.IsDir() {
			roots = append(roots, dir)
		}
	}
	if roots == nil {
		roots = []string{"."}
	}
	for _, root := range roots {
		err := fs.WalkDir(docs, root, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && file != root && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case !d.Type().IsRegular():
				return nil
			}
			if !slices.Contains([]string{".md", ".markdown", ".tf"}, path.Ext(strings.TrimSuffix(file, ".tmpl"))) {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if info.Size() > maxFile {
				return nil
			}
			raw, err := fs.ReadFile(docs, file)
			if err == nil {
				f(file, raw)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot read the documentation: %w", err)
		}
	}
	return nil
}

// parse parses a snippet of HCL. It returns nil if the snippet is invalid.
func parse(text []byte) (body *hclsyntax.Body) {
	if len(text) > maxSnippet {
		return nil
	}
	f, diags := hcltext.ParseConfig(text, "")
	if diags.HasErrors() || f == nil {
		return nil
	}
	body, _ = f.Body.(*hclsyntax.Body)
	return body
}

// languages are the names of HCL in fenced code blocks. Some code blocks have none.
var languages = []string{"hcl", "terraform", "tf", "hcl-terraform", "opentofu", ""}

// fenced returns the snippets in Markdown: its fenced code blocks in HCL or without a language.
func fenced(text []byte) [][]byte {
	var out [][]byte
	var fence []byte // of the block that is open; nil outside
	var block *bytes.Buffer
	end := func() {
		if block != nil {
			out = append(out, block.Bytes())
		}
		fence, block = nil, nil
	}
	for line := range bytes.Lines(text) {
		bare := bytes.TrimLeft(line, " \t>")
		mark := bare[:len(bare)-len(bytes.TrimLeft(bare, "`"))]
		if len(mark) == 0 {
			mark = bare[:len(bare)-len(bytes.TrimLeft(bare, "~"))]
		}
		rest := strings.TrimSpace(string(bare[len(mark):]))
		switch {
		case fence == nil && len(mark) >= 3 && !strings.Contains(rest, "`"):
			fence = slices.Clone(mark)
			language, _, _ := strings.Cut(strings.TrimPrefix(rest, "{."), " ")
			if slices.Contains(languages, strings.ToLower(strings.TrimSuffix(language, "}"))) {
				block = &bytes.Buffer{}
			}
		case fence != nil && len(mark) >= len(fence) && mark[0] == fence[0] && rest == "":
			end()
		case block != nil:
			block.Write(line)
		}
	}
	end()
	return out
}

// errNoExamples is the error of a directory without examples.
var errNoExamples = errors.New("the documentation has no examples in HCL: give the folder that has the provider's " +
	"docs, website/docs or examples")
