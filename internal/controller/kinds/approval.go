package kinds

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// approverPolicy returns the name of a provider's MutatingAdmissionPolicy that notes who approves a plan.
func approverPolicy(provider string) string { return "approver." + provider + "." + v1alpha1.Group }

// ensureApprovers installs a policy by which the API server notes who approves a plan. The policy in
// deploy/rbac/approval.yaml decides who may. Where there are no such policies, nobody is noted.
func ensureApprovers(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, provider, group string, plurals []string) error {
	given := func(object string) string {
		return fmt.Sprintf("%s.?metadata.?annotations[?%q].orValue('')", object, v1alpha1.AnnotationApprove)
	}
	return ensurePolicy(ctx, client, provider, approverPolicy(provider), mutation{
		group: group, plurals: plurals,
		operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		condition: admissionregistrationv1.MatchCondition{
			Name: "approved", Expression: fmt.Sprintf("%[1]s != '' && (oldObject == null || %[1]s != %[2]s)", given("object"), given("oldObject")),
		},
		patch: fmt.Sprintf(`[JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey(%q), value: request.userInfo.username}]`,
			v1alpha1.AnnotationApprovedBy),
	})
}
