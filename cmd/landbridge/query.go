package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// queryFlag names a ResourceQuery of the cluster, which says what is listed and how.
type queryFlag struct{ name string }

// add adds --query, which excludes the flags that say the same, and those given.
func (f *queryFlag) add(cmd *cobra.Command, others ...string) {
	cmd.Flags().StringVar(&f.name, "query", "",
		"name of a ResourceQuery in the namespace: its objects are listed as it says, with your permissions")
	for _, other := range append(others, "filename", "set", "limit", "provider", "provider-config", "terraform-provider") {
		cmd.MarkFlagsMutuallyExclusive("query", other)
	}
}

// check returns an error if resource types are given, too.
func (f *queryFlag) check(args []string) error {
	if f.name != "" && len(args) > 0 {
		return errors.New("--query and resource types cannot be combined: the query names its type")
	}
	return nil
}

// selection reads the query, and returns what it lists. It sets which provider and configuration
// are used.
func (f *queryFlag) selection(ctx context.Context, flags *remoteFlags, list *listFlags) (selection, error) {
	r := &remote{flags: flags, namespace: flags.namespace}
	if err := r.connect(); err != nil {
		return selection{}, err
	}
	q := &v1alpha1.ResourceQuery{}
	err := r.client.Get(ctx, client.ObjectKey{Namespace: r.namespace, Name: f.name}, q)
	if kerrors.IsNotFound(err) {
		return selection{}, fmt.Errorf("there is no ResourceQuery %s in namespace %s", f.name, r.namespace)
	}
	if err != nil {
		return selection{}, err
	}
	arguments := map[string]any{}
	if c := q.Spec.Config; c != nil {
		if err := json.Unmarshal(c.Raw, &arguments); err != nil {
			return selection{}, fmt.Errorf("ResourceQuery %s: spec.config: %w", f.name, err)
		}
	}
	if ref := q.Spec.ProviderConfigRef; ref != nil {
		flags.configuration = ref.Kind + "/" + ref.Name
	}
	if q.Spec.TerraformProvider != "" {
		flags.installed = []string{q.Spec.TerraformProvider}
	}
	flags.need, list.limit = forTypes([]string{q.Spec.ResourceType}), cmp.Or(q.Spec.Limit, 1000)
	// What has the characters of a pattern is no name of a type.
	if strings.ContainsAny(q.Spec.ResourceType, `*?[\`) {
		return selection{}, fmt.Errorf("ResourceQuery %s: spec.resourceType %s is not the name of a resource type", f.name, q.Spec.ResourceType)
	}
	return selection{patterns: []string{q.Spec.ResourceType}, list: list, given: arguments}, nil
}
