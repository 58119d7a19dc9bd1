package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// Policies returns the PlanPolicies, sorted by name.
func (c *Reader) Policies(ctx context.Context) ([]*policy.Policy, error) {
	list := &v1alpha1.PlanPolicyList{}
	if err := c.Client.List(ctx, list); meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
		return nil, nil // of an earlier version
	} else if err != nil {
		return nil, fmt.Errorf("the cluster's PlanPolicies are not considered: %w", err)
	}
	var out []*policy.Policy
	for i := range list.Items {
		out = append(out, policy.Compile(&list.Items[i]))
	}
	slices.SortFunc(out, func(a, b *policy.Policy) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}
