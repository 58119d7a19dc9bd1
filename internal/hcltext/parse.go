package hcltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

const (
	// MaxSize is the maximum size of a text, in bytes.
	MaxSize = 8 << 20
	// MaxNesting is the maximum nesting of expressions, templates and blocks. A level takes the
	// parser up to 4 KiB of stack, of which Go allows 1 GiB.
	MaxNesting = 2000
)

// ParseConfig parses a file in HCL's native syntax, as hclsyntax.ParseConfig does.
func ParseConfig(text []byte, name string) (*hcl.File, hcl.Diagnostics) {
	if diags := check(text, name, hclsyntax.LexConfig); diags.HasErrors() {
		return nil, diags
	}
	return hclsyntax.ParseConfig(text, name, hcl.InitialPos)
}

// ParseTemplate parses a template, as hclsyntax.ParseTemplate does.
func ParseTemplate(text []byte, name string) (hclsyntax.Expression, hcl.Diagnostics) {
	if diags := check(text, name, hclsyntax.LexTemplate); diags.HasErrors() {
		return nil, diags
	}
	return hclsyntax.ParseTemplate(text, name, hcl.InitialPos)
}

// ParseExpression parses an expression, as hclsyntax.ParseExpression does.
func ParseExpression(text []byte, name string) (hclsyntax.Expression, hcl.Diagnostics) {
	if diags := check(text, name, hclsyntax.LexExpression); diags.HasErrors() {
		return nil, diags
	}
	return hclsyntax.ParseExpression(text, name, hcl.InitialPos)
}

// ParseJSON parses a file in HCL's JSON syntax, as json.Parse of hcl does. All texts in it may be
// templates, which are parsed later. A text with an invalid template is no error.
func ParseJSON(text []byte, name string) (*hcl.File, hcl.Diagnostics) {
	diags := EachText(text, name, func(template []byte, at hcl.Pos) hcl.Diagnostics {
		if check(template, name, hclsyntax.LexTemplate).HasErrors() {
			return tooDeep(name, at)
		}
		return nil
	})
	if diags.HasErrors() {
		return nil, diags
	}
	return hcljson.Parse(text, name)
}

// EachText calls do with each text of a JSON file that may be a template or a reference with an
// index, and with where it ends, until do returns an error. It returns an error also for a file
// that is not JSON by the standard.
func EachText(text []byte, name string, do func(text []byte, at hcl.Pos) hcl.Diagnostics) hcl.Diagnostics {
	if len(text) > MaxSize {
		return tooLarge(name)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	pos := hcl.Pos{Line: 1, Column: 1}
	at := func() hcl.Pos {
		end := int(d.InputOffset())
		pos.Line += bytes.Count(text[pos.Byte:end], []byte("\n"))
		pos.Byte = end
		return pos
	}
	depth := 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && depth == 0:
			return nil
		case err != nil:
			return failure(name, at(), "Invalid JSON", fmt.Sprintf("The file is not JSON by the standard (%s). Correct it.", err))
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if !strings.ContainsAny(token, "{[") {
				break
			}
			if diags := do([]byte(token), at()); diags.HasErrors() {
				return diags
			}
		}
		if depth > MaxNesting {
			return tooDeep(name, at())
		}
	}
}

func check(text []byte, name string, lex func([]byte, string, hcl.Pos) (hclsyntax.Tokens, hcl.Diagnostics)) hcl.Diagnostics {
	if len(text) > MaxSize {
		return tooLarge(name)
	}
	tokens, _ := lex(text, name, hcl.InitialPos) // the parser reports the errors
	if at, ok := deep(tokens); ok {
		return tooDeep(name, at)
	}
	return nil
}

func tooLarge(name string) hcl.Diagnostics {
	return failure(name, hcl.InitialPos, "File too large", fmt.Sprintf("The file is larger than %d MiB. Split it.", MaxSize>>20))
}

func tooDeep(name string, at hcl.Pos) hcl.Diagnostics {
	return failure(name, at, "Nested too deeply",
		fmt.Sprintf("Expressions, templates and blocks are nested more than %d levels "+
			"deep. Simplify them.", MaxNesting))
}

// refused marks the diagnostics of texts that were not parsed.
type refused struct{}

func failure(name string, at hcl.Pos, summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{
		Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &hcl.Range{Filename: name, Start: at, End: at}, Extra: refused{},
	}}
}

// Refused reports whether a text was refused by its size or nesting, although another parser may
// accept it.
func Refused(diags hcl.Diagnostics) bool {
	return slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool { return d.Extra == refused{} })
}

// ReadFile reads a file, of which it returns so much that the functions of this package can refuse
// it as too large.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxSize+1))
}
