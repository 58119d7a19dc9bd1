package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// edit replaces code in a function. It finds the code by its tokens, wherever the function is in
// its package, and however the code is laid out.
type edit struct {
	// in is the path of the package relative to the root of the repository, and function the name
	// of the function in it, such as Type.Method.
	in, function string
	// old is an expression, a statement, several of them in a row, or the head of an if or a case.
	// The function has it once. new replaces it.
	old, new string
}

// sources are the files of packages, by their paths, as far as edits need them.
type sources map[string][]byte

// apply makes an edit of a file below root.
func (s sources) apply(root string, e edit) error {
	dir := filepath.Join(root, e.in)
	if err := s.read(dir); err != nil {
		return err
	}
	type place struct {
		file       string
		start, end int
	}
	bare := e.function[strings.LastIndex(e.function, ".")+1:]
	var functions int
	var places []place
	for _, file := range slices.Sorted(maps.Keys(s)) {
		if filepath.Dir(file) != dir || !bytes.Contains(s[file], []byte(bare+"(")) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, s[file], parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && nameOf(fn) == e.function {
				functions++
				for _, at := range spansIn(fset, fn) {
					if tokensOf(s[file][at.start:at.end]) == tokensOf([]byte(e.old)) {
						places = append(places, place{file, at.start, at.end})
					}
				}
			}
		}
	}
	if functions != 1 {
		return fmt.Errorf("%s has %d functions %s, and not one", e.in, functions, e.function)
	}
	if len(places) != 1 {
		return fmt.Errorf("%s in %s has %d places to change, and not one: %s", e.function, e.in, len(places), e.old)
	}
	at := places[0]
	s[at.file] = slices.Concat(s[at.file][:at.start], []byte(e.new), s[at.file][at.end:])
	return nil
}

// read reads the files of a package without its tests, unless they were read before.
func (s sources) read(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, known := s[file]; known || strings.HasSuffix(file, "_test.go") {
			continue
		}
		if s[file], err = os.ReadFile(file); err != nil {
			return err
		}
	}
	return nil
}

// nameOf returns the name of a function, after its receiver's type if it is a method.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if id, ok := of.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name // of a generic type
}

// span is a part of a file, by offsets.
type span struct{ start, end int }

// spansIn returns the parts of a function that an edit may change, each once.
func spansIn(fset *token.FileSet, fn *ast.FuncDecl) []span {
	all := map[span]bool{}
	add := func(from, to token.Pos) { all[span{fset.Position(from).Offset, fset.Position(to).Offset}] = true }
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			addRuns(add, n.List)
		case *ast.CaseClause:
			add(n.Case, n.Colon+1)
			addRuns(add, n.List)
			addRuns(add, n.Body)
		case *ast.CommClause:
			addRuns(add, n.Body)
		case *ast.IfStmt:
			add(n.If, n.Cond.End())
		case *ast.CallExpr:
			addRuns(add, n.Args)
		case *ast.CompositeLit:
			addRuns(add, n.Elts)
		case *ast.AssignStmt:
			addRuns(add, n.Lhs)
			addRuns(add, n.Rhs)
		case *ast.ReturnStmt:
			addRuns(add, n.Results)
		}
		switch n.(type) {
		case ast.Expr, ast.Stmt:
			add(n.Pos(), n.End())
		}
		return true
	})
	return slices.Collect(maps.Keys(all))
}

// addRuns adds each run of nodes that follow each other.
func addRuns[N ast.Node](add func(from, to token.Pos), list []N) {
	for i := range list {
		for _, last := range list[i:] {
			add(list[i].Pos(), last.End())
		}
	}
}

// tokensOf returns the tokens of code, without its comments and layout.
func tokensOf(code []byte) string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(code)), code, nil, 0)
	var out []string
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return strings.TrimSuffix(strings.Join(out, " "), " ;")
		}
		closes := tok == token.RPAREN || tok == token.RBRACE || tok == token.RBRACK
		if last := len(out) - 1; closes && last >= 0 && (out[last] == "," || out[last] == ";") {
			out = out[:last] // a list of several lines ends with one
		}
		switch {
		case tok == token.SEMICOLON:
			out = append(out, ";")
		case text != "":
			out = append(out, text)
		default:
			out = append(out, tok.String())
		}
	}
}
