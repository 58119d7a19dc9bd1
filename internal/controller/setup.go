package controller

import (
	"context"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/controller/planpolicy"
	"github.com/landbridge-io/landbridge/internal/controller/query"
	"github.com/landbridge-io/landbridge/internal/controller/terraformmodule"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// setupPolicies sets up what reads PlanPolicies.
func setupPolicies(rt *kinds.Runtime, changed func()) error {
	library := &policy.Library{List: func(ctx context.Context) ([]v1alpha1.PlanPolicy, error) {
		list := &v1alpha1.PlanPolicyList{}
		err := rt.Manager.GetClient().List(ctx, list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	}}
	rt.Managed.Policies = library.Policies
	return (&planpolicy.Reconciler{Client: rt.Manager.GetClient(), Changed: changed}).SetupWithManager(rt.Manager)
}

// setupAdmission sets up what shows plans at admission, and what is wrong with queries.
func setupAdmission(rt *kinds.Runtime, queries *query.Reconciler, kube clients, o Options) error {
	if o.Admission == nil {
		return nil
	}
	return (&admission.Webhooks{
		Options: *o.Admission, Client: rt.Manager.GetClient(), Secrets: kube.core.Secrets(o.Admission.Service.Namespace),
		Configurations: kube.admission.ValidatingWebhookConfigurations(),
		Endpoints:      kube.endpoints.EndpointSlices(o.Admission.Service.Namespace),
		Groups: func(ctx context.Context, provider string) (groups []string, _ error) {
			crds, err := kinds.ListCRDs(ctx, rt.Manager.GetClient(), client.MatchingLabels{v1alpha1.LabelProvider: provider})
			for _, d := range crds {
				if g := admission.GroupOf(d.Name); !slices.Contains(groups, g) {
					groups = append(groups, g)
				}
			}
			return groups, err
		},
		Preview: func(ctx context.Context, kind kschema.GroupKind, u *unstructured.Unstructured) []string {
			if kind == (kschema.GroupKind{Group: v1alpha1.Group, Kind: "ResourceQuery"}) {
				return queries.Preview(u)
			}
			return rt.Registry.Preview(ctx, kind, u)
		},
		Logger: o.Logger.WithName("admission"),
	}).SetupWithManager(rt.Manager)
}

// setupInstalled sets up what serves TerraformProviders and TerraformModules. previews is set if
// plans are shown at admission.
func setupInstalled(rt *kinds.Runtime, o Options, previews bool) error {
	for _, a := range o.Attached {
		o.Logger.Error(nil, "A provider is attached: its version and checksum are not checked, and no sandbox "+
			"restricts it. This is for development alone",
			"provider", a.Source, "pid", a.PID)
	}
	installed := &terraformprovider.Reconciler{
		Runtime: rt, Installer: o.Installer, Attached: o.Attached, Linked: o.Linked, CommandLine: o.CommandLine,
		Logger: o.Logger.WithName("terraformprovider"), StartTimeout: o.StartTimeout, Limits: o.Pool.Limits,
		Sandbox: o.Sandbox, Previews: previews, TellBehind: gaugeBehind,
	}
	modules := &terraformmodule.Reconciler{
		Runtime: rt, Namespace: o.Namespace, CommandLine: o.CommandLine, Providers: installed,
		Logger: o.Logger.WithName("terraformmodule"), Resync: min(30*time.Second, 10*o.Poll),
		CreationGracePeriod: o.CreationGracePeriod, Artifacts: o.Installer.Registry,
	}
	rt.OtherUsers, rt.OthersBeingDeleted = modules.Users, modules.BeingDeleted
	return errors.Join(installed.SetupWithManager(rt.Manager), modules.SetupWithManager(rt.Manager),
		settle(rt, installed.Expected, modules.Expected))
}

// setupPackaged sets up what serves the provider that this program is made for.
func setupPackaged(ctx context.Context, rt *kinds.Runtime, kube clients, o Options) error {
	p := &packaged.Reconciler{Runtime: rt, Provider: o.Packaged, Logger: o.Logger.WithName("packaged")}
	if o.Conversions != nil {
		p.Conversions = &conversion.Conversions{
			Options: *o.Conversions, Definitions: rt.CRDs, Secrets: kube.core.Secrets(o.Conversions.Service.Namespace),
			Logger: o.Logger.WithName("conversion"),
		}
	}
	return errors.Join(p.SetupWithManager(ctx, rt.Manager), settle(rt, p.Expected))
}

// settle ends the startup when the expected kinds are served again.
func settle(rt *kinds.Runtime, expected ...func(context.Context) ([]kinds.Source, error)) error {
	return rt.Manager.Add(manager.RunnableFunc(func(ctx context.Context) error { return rt.Registry.Settle(ctx, expected...) }))
}
