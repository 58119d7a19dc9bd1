package servercode

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"path"
	"slices"
	"strings"
)

// Code is a package that makes the servers of a provider.
type Code struct {
	// Source of the package, which is named server. Its function New has the provider's version as
	// argument, and returns a server and an error.
	Source []byte
	// Parent is the import path below which the package has to be, since it imports internal
	// packages. Empty: it can be anywhere.
	Parent string
	// Legacy is set if the provider, or a part of it, is on the legacy SDK.
	Legacy bool
}

// file is the source file while it is written.
type file struct {
	protocol int
	from     string
	// imports has the import paths by name.
	imports map[string]string
	// statements of New, and declarations of other functions.
	statements, declarations []string
	lifts                    int
	legacy                   bool
}

func (p *Packages) newFile(protocol int, from string) *file {
	return &file{protocol: protocol, from: from, imports: map[string]string{}, legacy: p.kinds()[legacyProvider] != nil}
}

// use imports a package and returns its name in the file.
func (f *file) use(importPath, name string) string {
	for _, n := range slices.Sorted(maps.Keys(f.imports)) {
		if f.imports[n] == importPath {
			return n
		}
	}
	for f.imports[name] != "" {
		name += "x"
	}
	f.imports[name] = importPath
	return name
}

// code returns the file with a function that returns what the factories make, muxed if there are
// several.
func (f *file) code(factories []string) (*Code, error) {
	types := f.use(fmt.Sprintf(protocol, f.protocol), fmt.Sprintf("tfprotov%d", f.protocol))
	last := "return " + factories[0] + "(), nil"
	if len(factories) > 1 {
		f.statements = append(f.statements, fmt.Sprintf("mux, err := %s.NewMuxServer(%s.Background(), %s)",
			f.use(fmt.Sprintf(mux, f.protocol), fmt.Sprintf("tf%dmuxserver", f.protocol)),
			f.use("context", "context"), strings.Join(factories, ", ")), check)
		last = "return mux.ProviderServer(), nil"
	}
	parent, err := f.parent()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Package server makes the servers of a Terraform provider, as %s does.\npackage server\n\nimport (\n", f.from)
	var std, others []string
	for name, p := range f.imports {
		spec := fmt.Sprintf("%q", p)
		if name != path.Base(p) {
			spec = name + " " + spec
		}
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
			others = append(others, spec)
		} else {
			std = append(std, spec)
		}
	}
	slices.Sort(std)
	slices.Sort(others)
	fmt.Fprintf(&b, "%s\n\n%s\n)\n\n", strings.Join(std, "\n"), strings.Join(others, "\n"))
	fmt.Fprintf(&b, "// New returns a new server. Each provider configuration has one, so servers must share "+
		"nothing.\nfunc New(version string) (%s.ProviderServer, error) {\n", types)
	for _, s := range append(f.statements, last) {
		b.WriteString(s + "\n")
	}
	b.WriteString("}\n")
	for _, d := range f.declarations {
		b.WriteString("\n" + d + "\n")
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, b.Bytes())
	}
	return &Code{Source: source, Parent: parent, Legacy: f.legacy}, nil
}

// parent returns the import path below which the internal packages permit to be imported.
func (f *file) parent() (string, error) {
	var longest string
	var parents []string
	for _, p := range f.imports {
		if parent, ok := parentOfInternal(p); ok {
			parents = append(parents, parent)
			if len(parent) > len(longest) {
				longest = parent
			}
		}
	}
	for _, p := range parents {
		if longest != p && !strings.HasPrefix(longest, p+"/") {
			return "", fmt.Errorf("it needs internal packages of both %s and %s, which no package may import together", p, longest)
		}
	}
	return longest, nil
}

func parentOfInternal(importPath string) (string, bool) {
	elements := strings.Split(importPath, "/")
	i := len(elements) - 1
	for ; i > 0 && elements[i] != "internal"; i-- {
	}
	return strings.Join(elements[:max(i, 0)], "/"), i > 0
}
