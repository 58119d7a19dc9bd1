package kinds

import (
	"context"
	"errors"
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

// actionApproverPolicy returns the name of the same for the actions of a provider, whose group is
// another one.
func actionApproverPolicy(provider string) string {
	return "approver-action." + provider + "." + v1alpha1.Group
}

// ensureApprovers installs policies by which the API server notes who approves a plan, with a name,
// and who changes a spec. The policy in deploy/rbac/approval.yaml decides who may. Without such
// policies, neither is recorded.
func ensureApprovers(
	ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, owner, name, group string,
	plurals []string,
) error {
	given := func(object string) string {
		return fmt.Sprintf("%s.?metadata.?annotations[?%q].orValue('')", object, v1alpha1.AnnotationApprove)
	}
	approval := mutation{
		group: group, plurals: plurals,
		operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		condition: admissionregistrationv1.MatchCondition{
			Name: "approved", Expression: fmt.Sprintf("%[1]s != '' && (oldObject == null || %[1]s != %[2]s)", given("object"), given("oldObject")),
		},
		patch: fmt.Sprintf(`[JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey(%q), value: request.userInfo.username}]`,
			v1alpha1.AnnotationApprovedBy),
	}
	return errors.Join(ensurePolicy(ctx, client, owner, name, approval),
		ensurePolicy(ctx, client, owner, authorPolicy(name), authorship(group, plurals)))
}

// removeApprovers removes the policies that ensureApprovers has installed.
func removeApprovers(ctx context.Context, client admissionregistration.AdmissionregistrationV1Interface, name string) error {
	return errors.Join(removePolicy(ctx, client, name), removePolicy(ctx, client, authorPolicy(name)))
}

// SyncApprovers keeps the policy that notes who approves plans of a module's kind. It returns when
// to call it again; 0 if never.
func (rt *Runtime) SyncApprovers(ctx context.Context, owner string, m *model.Resource, known *Publication) (again time.Duration) {
	return rt.syncApprovers(ctx, owner, approverPolicy(owner), []*model.Resource{m}, known)
}

// SyncActionApprovers keeps the policy that notes who approves plans of the provider's actions
// whose controllers run. It returns when to call it again; 0 if never.
func (p *ServedProvider) SyncActionApprovers(ctx context.Context) (again time.Duration) {
	var served []*model.Resource
	for _, name := range p.Serving(model.Action) {
		served = append(served, p.Model.Actions[name])
	}
	if len(served) > 0 {
		return p.runtime.syncApprovers(ctx, p.Name, actionApproverPolicy(p.Name), served, &p.publishedActions)
	}
	p.publishedActions.forget()
	if err := removeApprovers(ctx, p.runtime.Policies, actionApproverPolicy(p.Name)); err != nil && !unavailable(err) {
		p.runtime.Logger.Error(err, "The policy that notes who approves actions cannot be removed", "provider", p.Name)
	}
	return 0
}

// syncApprovers keeps a policy for kinds of one group.
func (rt *Runtime) syncApprovers(ctx context.Context, owner, name string, of []*model.Resource, known *Publication) (again time.Duration) {
	wait, err := known.until(rt.OpenAPI, of[0].Group, of[0].Version)
	if wait > 0 {
		return wait
	}
	if err == nil {
		plurals := make([]string, 0, len(of))
		for _, m := range of {
			plurals = append(plurals, m.Plural)
		}
		err = ensureApprovers(ctx, rt.Policies, owner, name, of[0].Group, plurals)
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
	return removeApprovers(ctx, rt.Policies, approverPolicy(owner))
}
