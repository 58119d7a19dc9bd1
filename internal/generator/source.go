package generator

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"
)

// header is the first line of every generated Go file, in the form that Go's tools recognize.
const header = "// " + mark

// The imports of the file of every kind, and those that only some need, by their names.
var (
	always = map[string]string{
		"managed":  "github.com/landbridge-io/landbridge/apis/managed",
		"metav1":   "k8s.io/apimachinery/pkg/apis/meta/v1",
		"resource": "github.com/crossplane/crossplane-runtime/v2/pkg/resource",
		"xpv2":     "github.com/crossplane/crossplane/apis/v2/core/v2",
	}
	sometimes = map[string]string{
		"apiextensionsv1": "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
		"runtime":         "k8s.io/apimachinery/pkg/runtime",
	}
)

// source returns the Go file of a kind.
func (k *kind) source() ([]byte, error) {
	var body bytes.Buffer
	// The declaration is in a group and indented, because gofmt rewrites the comments of
	// declarations outside groups, and this comment is the provider's text.
	var root bytes.Buffer
	k.root().write(&root)
	fmt.Fprintf(&body, "type (\n\t%s\n)\n\n", strings.ReplaceAll(strings.TrimSpace(root.String()), "\n", "\n\t"))
	if err := kindTemplate.Execute(&body, k.resource); err != nil {
		return nil, err
	}
	return k.types.file(k.resource.Version, body.String())
}

// file returns a Go file with the declared types after other declarations.
func (b *types) file(pkg, before string) ([]byte, error) {
	var file bytes.Buffer
	fmt.Fprintf(&file, "%s\n\npackage %s\n\nimport (\n%s)\n\n%s", header, pkg, b.imports(), before)
	for _, t := range b.declared {
		t.write(&file)
	}
	out, err := format.Source(file.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.of, err)
	}
	return out, nil
}

func (b *types) imports() string {
	needed := maps.Clone(always)
	for _, t := range b.declared {
		for name, pkg := range sometimes {
			if t.uses(name) {
				needed[name] = pkg
			}
		}
	}
	lines := make([]string, 0, len(needed))
	for _, name := range slices.SortedFunc(maps.Keys(needed), func(a, b string) int { return strings.Compare(needed[a], needed[b]) }) {
		alias := name
		if alias == path.Base(needed[name]) {
			alias = ""
		}
		lines = append(lines, fmt.Sprintf("\t%s %q\n", alias, needed[name]))
	}
	return strings.Join(lines, "")
}

// uses reports whether a type refers to a package.
func (t *goType) uses(pkg string) bool {
	of := func(typ string) bool { return strings.Contains(typ, pkg+".") }
	return of(t.underlying) || slices.ContainsFunc(t.fields, func(f goField) bool { return of(f.typ) })
}

func (t *goType) write(b *bytes.Buffer) {
	comment(b, "", t.doc)
	if t.doc != "" && len(t.markers) > 0 {
		b.WriteString("//\n")
	}
	for _, m := range t.markers {
		fmt.Fprintf(b, "// %s\n", m)
	}
	keyword := "type "
	if len(t.fields) > 0 && t.fields[0].typ == "metav1.TypeMeta" {
		keyword = ""
	}
	if t.underlying != "" {
		fmt.Fprintf(b, "type %s %s\n\n", t.name, t.underlying)
		return
	}
	fmt.Fprintf(b, "%s%s struct {\n", keyword, t.name)
	for i, f := range t.fields {
		if i > 0 && (f.doc != "" || len(f.markers) > 0) {
			b.WriteString("\n")
		}
		comment(b, "\t", f.doc)
		for _, m := range f.markers {
			fmt.Fprintf(b, "\t// %s\n", m)
		}
		tags := fmt.Sprintf("json:%q", f.json)
		if f.tf != "" {
			tags += fmt.Sprintf(" tf:%q", f.tf)
		}
		fmt.Fprintf(b, "%s %s `%s`\n", f.name, f.typ, tags)
	}
	b.WriteString("}\n\n")
}

// comment writes text as a comment. Without indentation gofmt would also rewrite comments of
// fields.
func comment(b *bytes.Buffer, indent, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight(indent+"// "+line, " ") + "\n")
	}
}

// kindTemplate has the parts that all kinds share: the methods of resource.ModernManaged and
// resource.ManagedList.
var kindTemplate = template.Must(template.New("kind").Parse(`
// {{.ListKind}} is a list of {{.Kind}}.
//
// +kubebuilder:object:root=true
type {{.ListKind}} struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []{{.Kind}} ` + "`json:\"items\"`" + `
}

var (
	_ resource.ModernManaged = &{{.Kind}}{}
	_ resource.ManagedList = &{{.ListKind}}{}
)

// GetCondition of this {{.Kind}}.
func (o *{{.Kind}}) GetCondition(t xpv2.ConditionType) xpv2.Condition { return o.Status.GetCondition(t) }

// SetConditions of this {{.Kind}}.
func (o *{{.Kind}}) SetConditions(c ...xpv2.Condition) { o.Status.SetConditions(c...) }

// GetManagementPolicies of this {{.Kind}}.
func (o *{{.Kind}}) GetManagementPolicies() xpv2.ManagementPolicies { return o.Spec.ManagementPolicies }

// SetManagementPolicies of this {{.Kind}}.
func (o *{{.Kind}}) SetManagementPolicies(p xpv2.ManagementPolicies) { o.Spec.ManagementPolicies = p }

// GetProviderConfigReference of this {{.Kind}}.
func (o *{{.Kind}}) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	return o.Spec.ProviderConfigReference
}

// SetProviderConfigReference of this {{.Kind}}.
func (o *{{.Kind}}) SetProviderConfigReference(r *xpv2.ProviderConfigReference) {
	o.Spec.ProviderConfigReference = r
}

// GetWriteConnectionSecretToReference of this {{.Kind}}.
func (o *{{.Kind}}) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	return o.Spec.WriteConnectionSecretToReference
}

// SetWriteConnectionSecretToReference of this {{.Kind}}.
func (o *{{.Kind}}) SetWriteConnectionSecretToReference(r *xpv2.LocalSecretReference) {
	o.Spec.WriteConnectionSecretToReference = r
}

// GetItems of this {{.ListKind}}.
func (l *{{.ListKind}}) GetItems() []resource.Managed {
	items := make([]resource.Managed, len(l.Items))
	for i := range l.Items {
		items[i] = &l.Items[i]
	}
	return items
}

`))

// groupVersion returns the file that registers the kinds of a package.
func groupVersion(group, version string, registered []registration) ([]byte, error) {
	slices.SortStableFunc(registered, func(a, b registration) int { return strings.Compare(a.of, b.of) })
	kinds := make([]struct{ Kind, ListKind string }, len(registered))
	for i, r := range registered {
		kinds[i].Kind, kinds[i].ListKind = r.kind, r.listKind
	}
	var body bytes.Buffer
	err := groupTemplate.Execute(&body, struct {
		Header, Group, Version string
		Kinds                  []struct{ Kind, ListKind string }
	}{header, group, version, kinds})
	if err != nil {
		return nil, err
	}
	return format.Source(body.Bytes())
}

// controllerGen is the release of controller-gen whose CRDs equal those of package crd.
const controllerGen = "sigs.k8s.io/controller-tools/cmd/controller-gen@v0.20.0"

var groupTemplate = template.Must(template.New("group").Parse(`{{.Header}}

// Package {{.Version}} has the kinds of the API group {{.Group}}.
//
// +kubebuilder:object:generate=true
// +groupName={{.Group}}
// +versionName={{.Version}}
package {{.Version}}

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:generate go run ` + controllerGen + ` object paths=.

// The group and version of the kinds.
const (
	CRDGroup   = "{{.Group}}"
	CRDVersion = "{{.Version}}"
)

var (
	// CRDGroupVersion is the group and version of the kinds.
	CRDGroupVersion = schema.GroupVersion{Group: CRDGroup, Version: CRDVersion}

	// SchemeBuilder registers the kinds.
	SchemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
		s.AddKnownTypes(CRDGroupVersion,
{{- range .Kinds}}
			&{{.Kind}}{}, &{{.ListKind}}{},
{{- end}}
		)
		metav1.AddToGroupVersion(s, CRDGroupVersion)
		return nil
	})

	// AddToScheme registers the kinds with a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
`))

// register returns the file that registers the kinds of all packages.
func register(module string, dirs []string) ([]byte, error) {
	type pkg struct{ Alias, Path string }
	var packages []pkg
	taken := scope{"runtime": true}
	for _, dir := range dirs {
		// A label of a group may contain dashes and begin with a digit.
		alias := strings.NewReplacer("apis/", "", "/", "", "-", "").Replace(dir)
		if alias[0] < 'a' {
			alias = "x" + alias
		}
		packages = append(packages, pkg{Alias: taken.claim(alias), Path: path.Join(module, dir)})
	}
	var body bytes.Buffer
	err := registerTemplate.Execute(&body, struct {
		Header   string
		Packages []pkg
	}{header, packages})
	if err != nil {
		return nil, err
	}
	return format.Source(body.Bytes())
}

var registerTemplate = template.Must(template.New("register").Parse(`{{.Header}}

// Package apis has the kinds of all API groups.
package apis

import (
	"k8s.io/apimachinery/pkg/runtime"
{{range .Packages}}
	{{.Alias}} "{{.Path}}"
{{- end}}
)

// SchemeBuilder registers the kinds of all API groups.
var SchemeBuilder = runtime.SchemeBuilder{
{{- range .Packages}}
	{{.Alias}}.AddToScheme,
{{- end}}
}

// AddToScheme registers the kinds of all API groups with a scheme.
var AddToScheme = SchemeBuilder.AddToScheme
`))
