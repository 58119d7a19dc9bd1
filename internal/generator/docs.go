package generator

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// addDocs adds a page for each kind, and one that lists all kinds.
func (o *Output) addDocs(packages map[string]*goPackage) error {
	var index bytes.Buffer
	fmt.Fprintf(&index, "<!-- %s -->\n\n# Kinds\n", mark)
	var all []*kind
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		kinds := packages[dir].kinds
		if len(kinds) == 0 {
			continue
		}
		r := kinds[0].resource
		fmt.Fprintf(&index, "\n## %s/%s\n\n| Kind | Terraform resource |\n|---|---|\n", r.Group, r.Version)
		for _, k := range kinds {
			fmt.Fprintf(&index, "| [%s](%s) | `%s` |\n", k.resource.Kind, strings.TrimPrefix(k.page(), "docs/kinds/"), k.resource.Type)
		}
		all = append(all, kinds...)
	}
	o.Files["docs/kinds/README.md"] = index.Bytes()
	return each(all, func(k *kind) (string, []byte, error) {
		page, err := k.markdown()
		return k.page(), page, err
	}, o.Files)
}

// page returns the path of a kind's documentation.
func (k *kind) page() string {
	label, _, _ := strings.Cut(k.resource.Group, ".")
	return path.Join("docs/kinds", label, k.resource.Singular+".md")
}

func (k *kind) markdown() ([]byte, error) {
	r, schema := k.resource, k.version().Schema.OpenAPIV3Schema
	manifest, err := yaml.Marshal(k.example())
	if err != nil {
		return nil, err
	}
	imported, err := yaml.Marshal(k.importExample())
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, about, _ := strings.Cut(schema.Description, "\n")
	fmt.Fprintf(&b, "<!-- %s -->\n\n# %s\n\n", mark, r.Kind)
	fmt.Fprintf(&b, "The Terraform resource `%s`, as `apiVersion: %s/%s`, `kind: %s`. `kubectl get %s` lists them",
		r.Type, r.Group, r.Version, r.Kind, r.CRDName())
	if len(r.ShortNames) > 0 {
		fmt.Fprintf(&b, ", and so does `kubectl get %s`", strings.Join(r.ShortNames, "` or `kubectl get "))
	}
	b.WriteString(".\n")
	if former := k.crd.Spec.Versions[1:]; len(former) > 0 {
		names := make([]string, len(former))
		for i, v := range former {
			names[i] = "`" + v.Name + "`"
		}
		fmt.Fprintf(&b, "\nObjects can be written and read as %s as well, and are converted.\n", strings.Join(names, " and "))
	}
	if about != "" {
		fmt.Fprintf(&b, "\n%s\n", about)
	}
	fmt.Fprintf(&b, "\n## Example\n\nWith what is required, and nothing else:\n\n```yaml\n%s```\n", manifest)

	b.WriteString("\n## Identity and import\n\n")
	if r.Identity() == nil {
		b.WriteString("The resource type has no identity: an existing object is imported by the id that the " +
			"provider's documentation describes.\n")
	} else {
		b.WriteString("An existing object is imported by its identity, or with `id` by the id that the provider's documentation describes.\n\n")
		fieldTable(&b, schema.Properties["spec"].Properties["import"].Properties["identity"], r.Identity(), false)
		b.WriteString("\nOnce the object is known, `status.identity` holds its identity.\n")
	}
	fmt.Fprintf(&b, "\n```yaml\nspec:\n%s```\n", indent(imported))
	b.WriteString("\n`spec.import` can be added later, but neither changed nor removed.\n")

	b.WriteString("\n## spec.forProvider\n\nWhat is required has to be given here, in `spec.initProvider` or by " +
		"`spec.references`, unless `spec.managementPolicies` let nothing be created or updated.\n\n")
	fieldTable(&b, schema.Properties["spec"].Properties["forProvider"], r.Root(), false)
	b.WriteString("\n## status.atProvider\n\nThe last observed state of the remote object, without sensitive values.\n\n")
	fieldTable(&b, schema.Properties["status"].Properties["atProvider"], r.Root(), true)
	return b.Bytes(), nil
}

// fieldTable lists fields by their paths, where [] is any element of a list and [key] of a map.
// status selects observed fields; otherwise settable ones.
func fieldTable(b *bytes.Buffer, schema props, t *model.Type, status bool) {
	if len(schema.Properties) == 0 {
		b.WriteString("There are no fields.\n")
		return
	}
	b.WriteString("| Field | Type | |\n|---|---|---|\n")
	fieldRows(b, "", schema, t, status)
}

func fieldRows(b *bytes.Buffer, prefix string, schema props, t *model.Type, status bool) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p, at := schema.Properties[name], prefix+name
		if status {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", at, typeName(p), cell(p.Description))
			innerRows(b, at, p, t.Object.ByJSON(name).Type, status)
			continue
		}
		text := cell(crd.WithoutRequirement(p.Description)) // in bold below
		if r := t.Object.ByReference(name); r != nil {
			kind := "selector"
			if name == r.Ref {
				kind = "reference"
			}
			if p.Items != nil {
				kind = "list of reference"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", at, kind, text)
			continue
		}
		f := t.Object.ByInput(name)
		switch {
		case f.Required && f.Reference != nil && schema.Properties[f.Reference.Ref].Type != "":
			text = strings.TrimSuffix(fmt.Sprintf("**Required**, or `%s` or `%s`. %s", f.Reference.Ref, f.Reference.Selector, text), " ")
		case f.Required:
			text = strings.TrimSuffix("**Required.** "+text, " ")
		}
		if f.SecretRef != "" {
			fmt.Fprintf(b, "| `%s` | `name` and `key` | %s |\n", at, text)
			continue
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", at, typeName(p), text)
		innerRows(b, at, p, f.Type, status)
	}
}

func innerRows(b *bytes.Buffer, at string, schema props, t *model.Type, status bool) {
	for t.Element != nil {
		switch {
		case schema.Items != nil:
			schema, at = *schema.Items.Schema, at+"[]"
		case schema.AdditionalProperties != nil:
			schema, at = *schema.AdditionalProperties.Schema, at+"[key]"
		}
		t = t.Element
	}
	if t.Object != nil {
		fieldRows(b, at+".", schema, t, status)
	}
}

func typeName(p props) string {
	switch {
	case p.Items != nil:
		kind := "list"
		if p.XListType != nil { // of sets: set, or atomic if Landbridge may write it
			kind = "set"
		}
		return kind + " of " + typeName(*p.Items.Schema)
	case p.AdditionalProperties != nil:
		return "map of " + typeName(*p.AdditionalProperties.Schema)
	case p.Type == "":
		return "any"
	default:
		return p.Type
	}
}

// cell returns text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(text)
}

func indent(text []byte) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ") + "\n"
}
