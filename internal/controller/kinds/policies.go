package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// mutation is how the API server changes requests for the kinds of a provider.
type mutation struct {
	group      string
	plurals    []string
	operations []admissionregistrationv1.OperationType
	condition  admissionregistrationv1.MatchCondition
	// patch is a CEL expression of a JSON patch.
	patch string
}

// policy returns the mutation as a policy. Requests pass unchanged if it cannot be evaluated. It is
// evaluated again for what webhooks have changed, such as a change of a spec that one takes back.
func (m mutation) policy() admissionregistrationv1.MutatingAdmissionPolicySpec {
	return admissionregistrationv1.MutatingAdmissionPolicySpec{
		MatchConstraints: &admissionregistrationv1.MatchResources{
			ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
				Operations: m.operations,
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{m.group}, APIVersions: []string{"*"}, Resources: slices.Sorted(slices.Values(m.plurals)),
					Scope: new(admissionregistrationv1.AllScopes),
				},
			}}},
			MatchPolicy:       new(admissionregistrationv1.Exact),
			NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
		},
		MatchConditions: []admissionregistrationv1.MatchCondition{m.condition},
		Mutations: []admissionregistrationv1.Mutation{{
			PatchType: admissionregistrationv1.PatchTypeJSONPatch,
			JSONPatch: &admissionregistrationv1.JSONPatch{Expression: m.patch},
		}},
		FailurePolicy:      new(admissionregistrationv1.Ignore),
		ReinvocationPolicy: admissionregistrationv1.IfNeededReinvocationPolicy,
	}
}

// ensurePolicy creates or updates a policy and its binding.
func ensurePolicy(
	ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, provider,
	name string, m mutation,
) error {
	meta := metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelProvider: provider}}
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{ObjectMeta: meta, Spec: m.policy()}
	err := ensure(ctx, client.MutatingAdmissionPolicies(), policy, func(have *admissionregistrationv1.MutatingAdmissionPolicy) bool {
		changed := !equality.Semantic.DeepEqual(have.Spec, policy.Spec)
		have.Spec = policy.Spec
		return changed
	})
	if err != nil {
		return fmt.Errorf("cannot install the policy %s: %w", name, err)
	}
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: meta,
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
	}
	return ensure(ctx, client.MutatingAdmissionPolicyBindings(), binding, nil)
}

func removePolicy(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, name string) error {
	// The binding first: without it the policy has no effect.
	err := client.MutatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{})
	if unavailable(err) {
		err = nil
	}
	policyErr := client.MutatingAdmissionPolicies().Delete(ctx, name, metav1.DeleteOptions{})
	if unavailable(policyErr) {
		policyErr = nil
	}
	return errors.Join(err, policyErr)
}

// unavailable reports whether the API server has no such policies, not this one, or does not permit
// Landbridge to install them.
func unavailable(err error) bool {
	return kerrors.IsNotFound(err) || kerrors.IsForbidden(err) || kerrors.IsMethodNotSupported(err)
}
