package demo

import (
	"context"
	_ "embed"

	"k8s.io/client-go/rest"
)

//go:embed deletion.yaml
var deletion []byte

// InstallDeletionWarnings installs the policy that warns of deletions that wait.
func InstallDeletionWarnings(ctx context.Context, config *rest.Config) error {
	c, err := newCluster(config, func(string, ...any) {})
	if err != nil {
		return err
	}
	objects, err := decode(deletion, "deletion.yaml")
	if err != nil {
		return err
	}
	for _, u := range objects {
		if err := c.apply(ctx, u); err != nil {
			return err
		}
	}
	return nil
}
