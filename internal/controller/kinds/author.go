package kinds

import (
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// authorPolicy returns the name of the MutatingAdmissionPolicy that notes who changes specs, which
// belongs to one that notes who approves plans.
func authorPolicy(approver string) string { return "author" + strings.TrimPrefix(approver, "approver") }

// authorship is the mutation by which the API server notes who has made a generation of a spec
// (history.AuthorOf). A request that leaves the spec as it is leaves the author, too. The policy in
// deploy/rbac/approval.yaml refuses other names where the API server has no such policies.
func authorship(group string, plurals []string) mutation {
	noted := func(object string) string {
		return fmt.Sprintf("%s.?metadata.?annotations[?%q].orValue('')", object, v1alpha1.AnnotationChangedBy)
	}
	const changed = "(oldObject == null || object.?spec != oldObject.?spec)"
	author := "(oldObject == null ? '1' : string(oldObject.metadata.generation + 1)) + ' ' + " +
		"(request.options.?fieldManager.orValue('') == '' ? '-' : request.options.fieldManager.replace(' ', '-')) + " +
		"' ' + request.userInfo.username"
	path := fmt.Sprintf("'/metadata/annotations/' + jsonpatch.escapeKey(%q)", v1alpha1.AnnotationChangedBy)
	note := fmt.Sprintf("%s ? %s : %s", changed, author, noted("oldObject"))
	return mutation{
		group: group, plurals: plurals,
		operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		condition: admissionregistrationv1.MatchCondition{
			Name: "changed", Expression: fmt.Sprintf("%s || %s != %s", changed, noted("object"), noted("oldObject")),
		},
		patch: fmt.Sprintf(`!%[1]s && %[2]s == '' ? [JSONPatch{op: "remove", path: %[3]s}] : `+
			`has(object.metadata.annotations) ? [JSONPatch{op: "add", path: %[3]s, value: %[4]s}] : `+
			`[JSONPatch{op: "add", path: "/metadata/annotations", value: {%[5]q: %[4]s}}]`,
			changed, noted("oldObject"), path, note, v1alpha1.AnnotationChangedBy),
	}
}
