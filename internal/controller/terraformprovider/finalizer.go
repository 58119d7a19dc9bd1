package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// finalizerPolicy is the name of a provider's MutatingAdmissionPolicy and its binding.
func finalizerPolicy(provider string) string { return "finalizer." + provider + "." + v1alpha1.Group }

// openAPILag is how much later than the OpenAPI document the API server's admission knows of a
// new API group: it looks every five seconds (k8s.io/apiserver's typeConverterManager), and each
// API server does for itself. Until then it answers a policy's requests with 503, whatever the
// policy's failurePolicy.
const openAPILag = 12 * time.Second

// ensureFinalizers has the API server put a finalizer on resources as they are created, so
// that none is without for a moment, and the controller need not write one before it begins. It is a courtesy
// of API servers since 1.36 whose administrator lets Landbridge ask for it: elsewhere the
// controller writes finalizers itself, as it does for all that have none.
func ensureFinalizers(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, provider, group string, plurals []string) error {
	name := finalizerPolicy(provider)
	labels := map[string]string{v1alpha1.LabelProvider: provider}
	slices.Sort(plurals)
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: plurals, Scope: new(admissionregistrationv1.AllScopes),
					},
				}}},
				MatchPolicy:       new(admissionregistrationv1.Exact),
				NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			},
			MatchConditions: []admissionregistrationv1.MatchCondition{{
				Name: "without", Expression: fmt.Sprintf("!has(object.metadata.finalizers) || !(%q in object.metadata.finalizers)", v1alpha1.FinalizerCreated),
			}},
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType: admissionregistrationv1.PatchTypeJSONPatch,
				JSONPatch: &admissionregistrationv1.JSONPatch{Expression: fmt.Sprintf(
					`[JSONPatch{op: "add", path: has(object.metadata.finalizers) ? "/metadata/finalizers/-" : "/metadata/finalizers", `+
						`value: has(object.metadata.finalizers) ? dyn(%[1]q) : dyn([%[1]q])}]`, v1alpha1.FinalizerCreated)},
			}},
			FailurePolicy:      new(admissionregistrationv1.Ignore),
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
		},
	}
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
	}
	have, err := client.MutatingAdmissionPolicies().Get(ctx, name, metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		_, err = client.MutatingAdmissionPolicies().Create(ctx, policy, metav1.CreateOptions{})
	case err == nil && !equality.Semantic.DeepEqual(have.Spec, policy.Spec):
		have.Spec = policy.Spec
		_, err = client.MutatingAdmissionPolicies().Update(ctx, have, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("cannot install the policy %s: %w", name, err)
	}
	if _, err := client.MutatingAdmissionPolicyBindings().Get(ctx, name, metav1.GetOptions{}); !kerrors.IsNotFound(err) {
		return err
	}
	_, err = client.MutatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{})
	return err
}

// removeFinalizers ends what ensureFinalizers asked for: nobody would take the finalizers off.
func removeFinalizers(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, provider string) error {
	name := finalizerPolicy(provider)
	// Without its binding a policy does nothing.
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

// unavailable says whether the API server does not have such policies, or not this one, or
// whether Landbridge may not ask for them.
func unavailable(err error) bool {
	return kerrors.IsNotFound(err) || kerrors.IsForbidden(err) || kerrors.IsMethodNotSupported(err)
}
