package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/configure"
)

func newProviderConfigureCommand() *cobra.Command {
	var flags clusterFlags
	var file string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "configure --filename FILE",
		Short: "Apply provider configurations as soon as their providers are installed",
		Long: `Apply the ProviderConfigs and ClusterProviderConfigs in a file or a directory as soon as their kinds are
served, which are those of installed providers. Existing ones are changed.`,
		Example: `  landbridge provider configure --filename configurations.yaml --timeout 10m`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			objects, err := readConfigurations(cmd.InOrStdin(), file)
			if err != nil {
				return err
			}
			config, namespace, err := flags.config()
			if err != nil {
				return err
			}
			for _, o := range objects {
				if o.GetKind() == "ProviderConfig" && o.GetNamespace() == "" {
					o.SetNamespace(namespace)
				}
			}
			c, err := client.New(config, client.Options{})
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			const waiting = "Waiting until the kinds of the configurations are served"
			done := showProgress(cmd, waiting)
			defer func() { done() }()
			return configure.Apply(ctx, c, objects, func(o *unstructured.Unstructured) {
				done()
				defer func() { done = showProgress(cmd, waiting) }()
				fmt.Fprintf(cmd.OutOrStdout(), "%s %s applied\n", o.GetKind(), client.ObjectKeyFromObject(o))
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVarP(&file, "filename", "f", "", "file, or directory with files, of manifests; - for standard input")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "how long to wait for all of them")
	if err := cmd.MarkFlagRequired("filename"); err != nil {
		panic(err)
	}
	return cmd
}

// readConfigurations reads a file, the YAML files of a directory, or standard input.
func readConfigurations(stdin io.Reader, name string) ([]*unstructured.Unstructured, error) {
	if name == "-" {
		content, err := io.ReadAll(stdin)
		if err != nil {
			return nil, err
		}
		return configure.Read("standard input", content)
	}
	files := []string{name}
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(name, "*.y*ml")); err != nil {
			return nil, err
		}
	}
	var out []*unstructured.Unstructured
	var errs []error
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := configure.Read(file, content)
		out, errs = append(out, objects...), append(errs, err)
	}
	if len(out) == 0 && errors.Join(errs...) == nil {
		return nil, fmt.Errorf("%s has no manifests", name)
	}
	return out, errors.Join(errs...)
}
