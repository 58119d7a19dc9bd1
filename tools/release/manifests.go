package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/tools/release/chart"
)

func newManifestsCommand() *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use:   "manifests",
		Short: "Write the definitions and the schema of providers into the chart, and deploy/install.yaml",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return manifests(root) },
	}
	cmd.Flags().StringVar(&root, "root", ".", "the checkout")
	return cmd
}

func manifests(root string) error {
	dir := filepath.Join(root, "deploy", "chart")
	definitions, err := definitions()
	if err != nil {
		return err
	}
	for name, content := range definitions {
		if err := os.WriteFile(filepath.Join(dir, "crds", name), content, 0o644); err != nil {
			return err
		}
	}
	c, err := chart.Load(dir, "", "")
	if err != nil {
		return err
	}
	schema, err := chart.Schema(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, chart.SchemaFile), schema, 0o644); err != nil {
		return err
	}
	plain, err := chart.Plain(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "deploy", "install.yaml"), plain, 0o644)
}

// definitions returns the CRDs of Landbridge's own kinds as the controller installs them, by file.
func definitions() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, read := range []func() (*apiextensionsv1.CustomResourceDefinition, error){
		v1alpha1.CustomResourceDefinition, v1alpha1.ModuleCustomResourceDefinition, v1alpha1.PolicyCustomResourceDefinition,
		v1alpha1.QueryCustomResourceDefinition, v1alpha1.EstateCustomResourceDefinition,
	} {
		d, err := read()
		if err != nil {
			return nil, err
		}
		if err := kinds.Mark(d, kinds.OwnCRDs); err != nil {
			return nil, err
		}
		content, err := crd.YAML(d)
		if err != nil {
			return nil, err
		}
		out[d.Name+".yaml"] = content
	}
	return out, nil
}
