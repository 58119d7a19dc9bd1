package kinds

import (
	"context"
	"fmt"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// approverPolicy returns the name of the MutatingAdmissionPolicy that notes who approves a plan of
// the kinds of an owner, which is a value of LabelProvider.
func approverPolicy(owner string) string {
	if module, ok := strings.CutPrefix(owner, moduleOwner); ok {
		return "approver-module." + module + "." + v1alpha1.Group
	}
	return "approver." + owner + "." + v1alpha1.Group
}

// ensureApprovers installs a policy by which the API server notes who approves a plan. The policy
// in deploy/rbac/approval.yaml decides who may. Without such policies, no approver is recorded.
func ensureApprovers(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, owner, group string, plurals []string) error {
	given := func(object string) string {
		return fmt.Sprintf("%s.?metadata.?annotations[?%q].orValue('')", object, v1alpha1.AnnotationApprove)
	}
	return ensurePolicy(ctx, client, owner, approverPolicy(owner), mutation{
		group: group, plurals: plurals,
		operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		condition: admissionregistrationv1.MatchCondition{
			Name: "approved", Expression: fmt.Sprintf("%[1]s != '' && (oldObject == null || %[1]s != %[2]s)", given("object"), given("oldObject")),
		},
		patch: fmt.Sprintf(`[JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey(%q), value: request.userInfo.username}]`,
			v1alpha1.AnnotationApprovedBy),
	})
}

// SyncApprovers keeps the policy that notes who approves plans of a module's kind. It returns when
// to call it again; 0 if never.
func (rt *Runtime) SyncApprovers(ctx context.Context, owner string, m *model.Resource, known *Publication) (again time.Duration) {
	wait, err := known.until(rt.OpenAPI, m.Group, m.Version)
	if wait > 0 {
		return wait
	}
	if err == nil {
		err = ensureApprovers(ctx, rt.Policies, owner, m.Group, []string{m.Plural})
	}
	switch {
	case err == nil:
	case unavailable(err):
		rt.Logger.V(1).Info("The API server does not note who approves plans", "owner", owner, "reason", err.Error())
	default:
		rt.Logger.Error(err, "The policy that notes who approves plans cannot be installed", "owner", owner)
	}
	return 0
}

// RemoveApprovers removes the policy of an owner.
func (rt *Runtime) RemoveApprovers(ctx context.Context, owner string) error {
	return removePolicy(ctx, rt.Policies, approverPolicy(owner))
}
