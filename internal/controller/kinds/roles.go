package kinds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// The roles of a TerraformProvider or TerraformModule. The ClusterRoles in deploy/rbac select them
// by their labels.
const (
	roleView       = "view"
	roleEdit       = "edit"
	roleConfigure  = "configure"
	roleApprove    = "approve"
	roleInvoke     = "invoke"
	roleAdmin      = "admin"
	roleController = "controller"
)

var (
	reading = []string{"get", "list", "watch"}
	// approving is enforced by the policy in deploy/rbac/approval.yaml.
	approving = []string{"approve"}
	// invoking is to write actions: whoever creates one has it invoked.
	invoking = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "invoke"}
	writing  = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
)

func roleName(owner, role string) string { return "landbridge:" + owner + ":" + role }

// The resources of the kinds of provider configurations: that of a namespace, and that of the
// cluster.
const (
	configs        = "providerconfigs"
	clusterConfigs = "clusterproviderconfigs"
)

// rolesOf returns the ClusterRoles for resources. Only the controller gets permission to write a
// status: others could show in it what is not the case.
func rolesOf(owner string, resources []kschema.GroupResource) []*rbacv1.ClusterRole {
	byGroup := map[string][]string{}
	for _, r := range resources {
		byGroup[r.Group] = append(byGroup[r.Group], r.Resource)
	}
	rules := map[string][]rbacv1.PolicyRule{}
	add := func(role, group string, verbs []string, resources ...string) {
		rules[role] = append(rules[role], rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs})
	}
	for _, group := range slices.Sorted(maps.Keys(byGroup)) {
		all := slices.Compact(slices.Sorted(slices.Values(byGroup[group])))
		var managed, sub []string
		for _, resource := range all {
			sub = append(sub, resource+"/status", resource+"/finalizers")
			switch resource {
			case clusterConfigs:
				add(roleAdmin, group, writing, resource)
			case configs:
				// A configuration has the Secrets of its namespace sent to the endpoint that it
				// names.
				add(roleConfigure, group, writing, resource)
			default:
				managed = append(managed, resource)
			}
		}
		if len(managed) > 0 {
			if mode, _ := model.ModeOf(group); mode == model.Action {
				add(roleInvoke, group, invoking, managed...)
				// The controller creates those that spec.actions of resources name, and deletes
				// those whose time is over.
				add(roleController, group, []string{"create", "delete"}, managed...)
			} else {
				add(roleEdit, group, writing, managed...)
			}
			add(roleApprove, group, approving, managed...)
		}
		add(roleView, group, reading, all...)
		add(roleController, group, []string{"get", "list", "watch", "update", "patch"}, slices.Concat(all, sub)...)
	}
	var out []*rbacv1.ClusterRole
	for _, role := range slices.Sorted(maps.Keys(rules)) {
		out = append(out, &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: roleName(owner, role), Labels: map[string]string{
				v1alpha1.LabelProvider: owner, v1alpha1.Group + "/aggregate-to-" + role: "true",
			}},
			Rules: rules[role],
		})
	}
	return out
}

// ResourcesOf returns the resources of all kinds of a provider.
func ResourcesOf(p *model.Provider) []kschema.GroupResource {
	out := []kschema.GroupResource{{Group: p.Group, Resource: configs}, {Group: p.Group, Resource: clusterConfigs}}
	for _, r := range p.Resources {
		out = append(out, kschema.GroupResource{Group: r.Group, Resource: r.Plural})
	}
	return out
}

// EnsureRoles creates or updates the ClusterRoles for resources of an owner, which is a value of
// LabelProvider, and for the kinds that are defined for it already, whose objects may be left. It
// is called before kinds are defined, so that the roles that select these are complete when the
// kinds are served. Without resources, it only creates roles that do not exist. The controller may
// lack the permission: then permissions are managed elsewhere.
func (rt *Runtime) EnsureRoles(ctx context.Context, owner string, resources ...kschema.GroupResource) error {
	defined, err := ListCRDs(ctx, rt.Manager.GetAPIReader(), client.MatchingLabels{v1alpha1.LabelProvider: owner})
	if err != nil {
		return fmt.Errorf("cannot list the CRDs of its kinds: %w", err)
	}
	all := slices.Clone(resources)
	for _, c := range defined {
		all = append(all, kschema.ParseGroupResource(c.Name))
	}
	return errors.Join(Each(rolesOf(owner, all), func(want *rbacv1.ClusterRole) error {
		var update func(have *rbacv1.ClusterRole) bool
		if len(resources) > 0 {
			update = func(have *rbacv1.ClusterRole) bool {
				changed := !equality.Semantic.DeepEqual(have.Rules, want.Rules) || !equality.Semantic.DeepEqual(have.Labels, want.Labels)
				have.Rules, have.Labels = want.Rules, want.Labels
				return changed
			}
		}
		err := ensure(ctx, rt.Roles, want, update)
		switch {
		case kerrors.IsForbidden(err):
			rt.Logger.V(1).Info("There is no role for the kinds, since the controller may not create it", "owner", owner, "reason", err.Error())
			return nil
		case err != nil:
			return fmt.Errorf("cannot install the ClusterRole %s: %w", want.Name, err)
		}
		return nil
	})...)
}

// RemoveRoles removes the ClusterRoles of an owner whose kinds are not in use any more.
func (rt *Runtime) RemoveRoles(ctx context.Context, owner string) error {
	var errs []error
	for _, role := range []string{roleView, roleEdit, roleConfigure, roleApprove, roleInvoke, roleAdmin, roleController} {
		err := rt.Roles.Delete(ctx, roleName(owner, role), metav1.DeleteOptions{})
		if !kerrors.IsNotFound(err) && !kerrors.IsForbidden(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
