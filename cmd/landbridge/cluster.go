package main

import (
	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/kubeconfig"
)

// clusterFlags are the flags of commands that work with resources in a cluster.
type clusterFlags struct {
	kubeconfig, context, namespace string
}

func (f *clusterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.kubeconfig, "kubeconfig", "",
		"kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the cluster the process runs in)")
	flags.StringVar(&f.context, "context", "", "context of the kubeconfig")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of custom resources (default: that of the context)")
}

// config returns the client configuration and the namespace.
func (f *clusterFlags) config() (config *rest.Config, namespace string, err error) {
	return kubeconfig.Load(kubeconfig.Options{Path: f.kubeconfig, Context: f.context, Namespace: f.namespace})
}

// given returns the flags that say which cluster and context are meant, as they were given.
func (f *clusterFlags) given() []string {
	var out []string
	for _, x := range [][2]string{{"kubeconfig", f.kubeconfig}, {"context", f.context}} {
		if x[1] != "" {
			out = append(out, "--"+x[0]+"="+x[1])
		}
	}
	return out
}

// open returns a client and the namespace.
func (f *clusterFlags) open() (*status.Client, string, error) {
	config, namespace, err := f.config()
	if err != nil {
		return nil, "", err
	}
	c, err := status.NewClient(config)
	return c, namespace, err
}

// completeKinds returns the kinds of managed resources, for shell completion.
func (f *clusterFlags) completeKinds() []cobra.Completion {
	return f.completeKindsOf((*status.Client).Kinds)
}

// completeKindsOf returns the kinds that a function lists, for shell completion.
func (f *clusterFlags) completeKindsOf(list func(*status.Client) ([]status.Kind, error)) []cobra.Completion {
	c, _, err := f.open()
	if err != nil {
		return nil
	}
	kinds, err := list(c)
	if err != nil {
		return nil
	}
	called := map[string]int{}
	for _, k := range kinds {
		called[k.Singular]++
	}
	var out []cobra.Completion
	for _, k := range kinds {
		name := k.Singular
		if called[name] > 1 {
			name = k.String()
		}
		out = append(out, cobra.CompletionWithDesc(name, k.Group))
	}
	return out
}

// completeNames returns the resources of a kind, for shell completion.
func (f *clusterFlags) completeNames(cmd *cobra.Command, kind string) []cobra.Completion {
	c, namespace, err := f.open()
	if err != nil {
		return nil
	}
	kinds, err := c.AllKinds()
	if err != nil {
		return nil
	}
	k, err := status.Find(kinds, kind)
	if err != nil {
		return nil
	}
	names, err := c.Names(cmd.Context(), k, namespace)
	if err != nil {
		return nil
	}
	return names
}
