package kubeconfig

import (
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// ErrNone means that there is no kubeconfig file, and that the process runs in no cluster.
var ErrNone = errors.New("no cluster to work with: there is no kubeconfig file; name one with --kubeconfig or in $KUBECONFIG")

// Options are what a user names. Everything may be empty: the kubeconfig file is then that of
// $KUBECONFIG, ~/.kube/config, or the cluster that the process runs in, and the context and the
// namespace are those of the file.
type Options struct{ Path, Context, Namespace string }

// Load returns the configuration of a client and the namespace. The error is ErrNone if there is no
// cluster at all.
func Load(o Options) (config *rest.Config, namespace string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Path
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	if config, err = loader.ClientConfig(); err != nil {
		return nil, "", explain(o, err)
	}
	if namespace = o.Namespace; namespace == "" {
		namespace, _, err = loader.Namespace()
	}
	return config, namespace, err
}

// explain replaces an error that is about the file as a whole by one that says what to do.
// client-go's suggests an environment variable that does not help.
func explain(o Options, err error) error {
	switch {
	case !clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("no cluster to work with: %w", err)
	case o.Path != "":
		return fmt.Errorf("no cluster to work with: %s has no current context; give a file that has one, or --context", o.Path)
	case os.Getenv(clientcmd.RecommendedConfigPathEnvVar) != "":
		return fmt.Errorf("no cluster to work with: $%s is %s, where there is no current context; name a file with "+
			"one there or with --kubeconfig",
			clientcmd.RecommendedConfigPathEnvVar, os.Getenv(clientcmd.RecommendedConfigPathEnvVar))
	}
	return ErrNone
}
