package providerconfig

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// tell writes the status of a configuration if it differs, and reports whether the configuration
// can be used.
func (r *reconciler) tell(ctx context.Context, u *unstructured.Unstructured, ref Reference, users []User) (usable bool, _ error) {
	raw, _, _ := unstructured.NestedMap(u.Object, "status")
	before := managed.ProviderConfigStatus{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &before); err != nil {
		return false, fmt.Errorf("the status cannot be decoded: %w", err)
	}
	after := before.DeepCopy()
	after.Users, after.ObservedGeneration = int64(len(users)), u.GetGeneration()
	after.LastHandledReconcileAt = cmp.Or(u.GetAnnotations()[v1alpha1.AnnotationReconcile], before.LastHandledReconcileAt)
	var wrong *Problem
	if u.GetDeletionTimestamp() != nil {
		wrong = inUse(ref, users)
	} else {
		wrong = r.Check(ctx, ref)
	}
	setReady(&after.ConditionedStatus, u.GetGeneration(), wrong)
	setPlainCredentials(&after.ConditionedStatus, u, r.Provider)
	r.setAccountChanged(ctx, &after.ConditionedStatus, u.GetGeneration(), ref, users)
	_, counted := raw["users"]
	if counted && equality.Semantic.DeepEqual(&before, after) {
		return wrong == nil, nil
	}
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(after)
	if err != nil {
		return false, err
	}
	status["users"] = after.Users // also if there are none
	u.Object["status"] = status
	return wrong == nil, r.client.Status().Update(ctx, u)
}

// maxNamed bounds how many users, or groups of them, a message names.
const maxNamed = 5

// inUse returns what keeps a configuration that is being deleted. Those who may read a
// configuration of the cluster may not know the resources of its namespaces, so they are only
// counted.
func inUse(ref Reference, users []User) *Problem {
	return &Problem{
		v1alpha1.ReasonInUse,
		fmt.Sprintf("It is being deleted, and stays until no resource uses it any more. It is used by: %s.",
			usersText(ref, users)),
	}
}

// usersText names users of a configuration. Those of one of the cluster are counted by namespace.
func usersText(ref Reference, users []User) string {
	counts := map[string]int{}
	for _, u := range users {
		if ref.Namespace != "" {
			counts[u.Kind+" "+u.Name] = 1
		} else {
			counts[fmt.Sprintf("%s in namespace %s", u.Kind, u.Namespace)]++
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if ref.Namespace == "" {
			name = fmt.Sprintf("%d %s", counts[name], name)
		}
		names = append(names, name)
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// setAccountChanged sets the condition AccountChanged if objects of resources are not known to be
// in the account of their configuration.
func (r *reconciler) setAccountChanged(ctx context.Context, status *xpv2.ConditionedStatus, generation int64, ref Reference, users []User) {
	changed := slices.DeleteFunc(slices.Clone(users), func(u User) bool { return !u.AccountChanged })
	if len(changed) == 0 || r.AccountCode == nil {
		status.Conditions = slices.DeleteFunc(status.Conditions, func(c xpv2.Condition) bool { return c.Type == v1alpha1.TypeAccountChanged })
		return
	}
	status.SetConditions(xpv2.Condition{
		Type: v1alpha1.TypeAccountChanged, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonAccountChanged,
		Message:            accountChanged(ref, changed, len(users), r.AccountCode(ctx, ref)),
		LastTransitionTime: metav1.Now(), ObservedGeneration: generation,
	})
}

// accountChanged is the message of a configuration for users whose objects are not known to be in
// its account.
func accountChanged(ref Reference, changed []User, of int, code string) string {
	out := fmt.Sprintf("Nothing is done for %d of %d resources, whose objects are not known to be in the account of "+
		"this configuration: %s.", len(changed), of, usersText(ref, changed))
	if code == "" {
		return out
	}
	return out + fmt.Sprintf(" If its arguments have changed, and it is for the same account as before for all of "+
		"them, set the annotation landbridge.io/confirm-account of this configuration to %q.", code)
}

// setReady sets the condition Ready, and Reconciling while the configuration cannot be used: it is
// checked again and again.
func setReady(status *xpv2.ConditionedStatus, generation int64, wrong *Problem) {
	ready := xpv2.Available()
	ready.ObservedGeneration = generation
	status.Conditions = slices.DeleteFunc(status.Conditions, func(c xpv2.Condition) bool {
		return c.Type == v1alpha1.TypeStalled || c.Type == v1alpha1.TypeReconciling && wrong == nil
	})
	if wrong == nil {
		status.SetConditions(ready)
		return
	}
	ready.Status, ready.Reason, ready.Message = corev1.ConditionFalse, wrong.Reason, wrong.Message
	status.SetConditions(ready, xpv2.Condition{
		Type: v1alpha1.TypeReconciling, Status: corev1.ConditionTrue, Reason: wrong.Reason, Message: wrong.Message,
		LastTransitionTime: metav1.Now(), ObservedGeneration: generation,
	})
}

// setPlainCredentials sets the condition PlainTextCredentials if a configuration looks as if it has
// credentials in plain text.
func setPlainCredentials(status *xpv2.ConditionedStatus, u *unstructured.Unstructured, p *model.Provider) {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	found := model.PlainCredentials(p.Config, spec)
	if len(found) == 0 {
		status.Conditions = slices.DeleteFunc(status.Conditions, func(c xpv2.Condition) bool {
			return c.Type == v1alpha1.TypePlainTextCredentials
		})
		return
	}
	var paths, fields []string
	for _, c := range found {
		paths = append(paths, "spec."+c.Path)
		if field := fmt.Sprintf("providerConfig.fields.%s.sensitive: true", c.Field); !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if more := len(paths) - maxNamed; more > 0 {
		paths = append(paths[:maxNamed], fmt.Sprintf("%d more", more))
	}
	if len(fields) > maxNamed {
		fields = append(fields[:maxNamed], "…")
	}
	status.SetConditions(xpv2.Condition{
		Type: v1alpha1.TypePlainTextCredentials, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonNotInSecrets,
		Message: fmt.Sprintf("These arguments look like credentials, and are not in Secrets: %s. Set %s in spec of "+
			"the TerraformProvider, and refer to Secrets.",
			strings.Join(paths, ", "), strings.Join(fields, ", ")),
		LastTransitionTime: metav1.Now(), ObservedGeneration: u.GetGeneration(),
	})
}
