package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

func newSchemaCommand() *cobra.Command {
	var flags providerFlags
	var inCluster clusterFlags
	var provider, output, dir string
	var files []string
	cmd := &cobra.Command{
		Use:   "schema [KIND...]",
		Short: "Print JSON schemas of kinds, for editors and kubeconform",
		Long: `Print JSON schemas of the kinds that Landbridge serves in a cluster, of those of a provider, or of
those in files with CustomResourceDefinitions. Editors complete and check manifests by them, and
kubeconform checks manifests without a cluster. Fields that a kind does not have are errors.

With --output-dir, each schema is a file in kubeconform's layout, GROUP/KIND_VERSION.json, and
all.json accepts objects of any of the kinds. Otherwise the schema of the kind, or one for all kinds,
is printed.

Rules that compare fields are not in a JSON schema; landbridge plan and the API server check them.`,
		Example: `  landbridge schema --output-dir schemas
  landbridge schema password.random.landbridge.io > password.json
  landbridge schema --provider ./terraform-provider-hcloud_v1.68.0 --output-dir schemas
  kubeconform -strict -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' manifests/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "json" && output != "yaml" {
				return fmt.Errorf("-o %s: the formats are json and yaml", output)
			}
			if dir != "" && cmd.Flags().Changed("output") {
				return errors.New("-o and --output-dir: files are JSON; leave out one of the two")
			}
			var all []*apiextensionsv1.CustomResourceDefinition
			var err error
			switch {
			case provider != "":
				all, err = providerDefinitions(cmd.Context(), &flags, provider)
			case len(files) > 0:
				all, err = readDefinitions(files, cmd.InOrStdin())
			default:
				all, err = clusterDefinitions(cmd.Context(), &inCluster)
			}
			if err != nil {
				return err
			}
			schemas, err := schemasOf(all, args)
			if err != nil {
				return err
			}
			if dir != "" {
				return writeSchemas(cmd.OutOrStdout(), dir, schemas)
			}
			return printSchemas(cmd.OutOrStdout(), output, schemas)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return inCluster.completeKinds(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags.add(cmd)
	inCluster.add(cmd)
	f := cmd.Flags()
	f.StringVar(&provider, "provider", "", "take the kinds of this provider: a binary, or a directory that holds one")
	f.StringSliceVarP(&files, "filename", "f", nil,
		"take the kinds of CustomResourceDefinitions in a file, a directory, or - for standard input")
	f.StringVarP(&output, "output", "o", "json", "format: json or yaml")
	f.StringVar(&dir, "output-dir", "", "directory to write one file per kind and version to")
	cmd.MarkFlagsMutuallyExclusive("provider", "filename")
	return cmd
}

// providerDefinitions returns the CRDs of a provider.
func providerDefinitions(ctx context.Context, flags *providerFlags, provider string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	p, err := flags.open(ctx, provider, nil)
	if err != nil {
		return nil, err
	}
	out := crd.ProviderConfig(p.model)
	for _, r := range p.model.All() {
		d, err := crd.Resource(r)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// clusterDefinitions returns the CRDs of Landbridge's kinds in a cluster.
func clusterDefinitions(ctx context.Context, flags *clusterFlags) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	config, _, err := flags.config()
	if err != nil {
		return nil, fmt.Errorf("%w; to work without one, give --provider or --filename", err)
	}
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	list := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := c.List(ctx, list); err != nil {
		return nil, fmt.Errorf("the kinds of the cluster: %w", err)
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for i := range list.Items {
		d := &list.Items[i]
		if d.Spec.Group == v1alpha1.Group || d.Labels[v1alpha1.LabelProvider] != "" || slices.Contains(d.Spec.Names.Categories, model.Category) {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there are no kinds of Landbridge in this cluster: install it, or give --provider or --filename")
	}
	return out, nil
}

// readDefinitions returns the CRDs in files. Other objects are left out.
func readDefinitions(files []string, stdin io.Reader) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var out []*apiextensionsv1.CustomResourceDefinition
	read := func(name string, in io.Reader) error {
		decoder := kyaml.NewYAMLOrJSONDecoder(in, 4096)
		for {
			d := &apiextensionsv1.CustomResourceDefinition{}
			switch err := decoder.Decode(d); {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", name, err)
			case d.Kind == "CustomResourceDefinition":
				out = append(out, d)
			}
		}
	}
	for _, name := range files {
		if name == "-" {
			if err := read("standard input", stdin); err != nil {
				return nil, err
			}
			continue
		}
		paths := []string{name}
		if info, err := os.Stat(name); err != nil {
			return nil, err
		} else if info.IsDir() {
			paths = nil
			for _, ext := range []string{"yaml", "yml", "json"} {
				found, err := filepath.Glob(filepath.Join(name, "*."+ext))
				if err != nil {
					return nil, err
				}
				paths = append(paths, found...)
			}
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if err := read(path, bytes.NewReader(content)); err != nil {
				return nil, err
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no CustomResourceDefinition in %s", strings.Join(files, ", "))
	}
	return out, nil
}

// schemasOf returns the schemas of CRDs; kinds, if there are any, are those that are wanted.
func schemasOf(all []*apiextensionsv1.CustomResourceDefinition, kinds []string) ([]crd.JSONSchema, error) {
	called := func(d *apiextensionsv1.CustomResourceDefinition, kind string) bool {
		name, group, _ := strings.Cut(strings.ToLower(kind), ".")
		n := d.Spec.Names
		return (group == "" || group == d.Spec.Group) &&
			(name == n.Plural || name == n.Singular || name == strings.ToLower(n.Kind) ||
				slices.Contains(n.ShortNames, name))
	}
	for _, kind := range kinds {
		if !slices.ContainsFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool { return called(d, kind) }) {
			return nil, fmt.Errorf("there is no kind %s", kind)
		}
	}
	var out []crd.JSONSchema
	for _, d := range all {
		if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool { return called(d, kind) }) {
			continue
		}
		schemas, err := crd.JSONSchemas(d)
		if err != nil {
			return nil, err
		}
		out = append(out, schemas...)
	}
	slices.SortFunc(out, func(a, b crd.JSONSchema) int { return strings.Compare(a.Path(), b.Path()) })
	return out, nil
}

// printSchemas prints the schema of one kind, or one for all kinds.
func printSchemas(w io.Writer, format string, schemas []crd.JSONSchema) error {
	document := schemas[0].Document
	if len(schemas) > 1 {
		definitions, alternatives := map[string]any{}, []any{}
		for _, s := range schemas {
			name := strings.NewReplacer("/", ".", ".json", "").Replace(s.Path())
			definitions[name] = s.Document
			alternatives = append(alternatives, map[string]any{"$ref": "#/definitions/" + name})
		}
		document = map[string]any{"$schema": document["$schema"], "definitions": definitions, "oneOf": alternatives}
	}
	raw, err := encodeSchema(document)
	if err == nil && format == "yaml" {
		raw, err = yaml.JSONToYAML(raw)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}

// writeSchemas writes one file per schema, and one that refers to all of them.
func writeSchemas(w io.Writer, dir string, schemas []crd.JSONSchema) error {
	write := func(name string, document map[string]any) error {
		raw, err := encodeSchema(document)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, raw, 0o644)
	}
	var alternatives []any
	for _, s := range schemas {
		if err := write(s.Path(), s.Document); err != nil {
			return err
		}
		alternatives = append(alternatives, map[string]any{"$ref": s.Path()})
	}
	if err := write("all.json", map[string]any{"$schema": schemas[0].Document["$schema"], "oneOf": alternatives}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s: %d schemas\n", dir, len(schemas))
	return err
}

func encodeSchema(document map[string]any) ([]byte, error) {
	raw, err := json.MarshalIndent(document, "", "  ")
	return append(raw, '\n'), err
}
