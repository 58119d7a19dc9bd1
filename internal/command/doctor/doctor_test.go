package doctor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/doctor"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// lease returns the Lease of a controller that was renewed before.
func lease(before time.Duration) coordinationv1.Lease {
	return coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name: "landbridge.landbridge.io", Namespace: "landbridge-system", Labels: map[string]string{
				"app.kubernetes.io/version": "v0.9.0",
			},
		},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: ptr.To("pod-1_x"), LeaseDurationSeconds: ptr.To[int32](15), RenewTime: &metav1.MicroTime{Time: now.Add(-before)},
		},
	}
}

// provider returns a TerraformProvider with conditions.
func provider(conditions ...xpv2.Condition) v1alpha1.TerraformProvider {
	p := v1alpha1.TerraformProvider{
		ObjectMeta: metav1.ObjectMeta{Name: "random"}, Spec: v1alpha1.TerraformProviderSpec{Source: "hashicorp/random"},
	}
	p.Status.SetConditions(conditions...)
	return p
}

func condition(t xpv2.ConditionType, status corev1.ConditionStatus, reason, message string) xpv2.Condition {
	return xpv2.Condition{Type: t, Status: status, Reason: xpv2.ConditionReason(reason), Message: message}
}

var (
	installed = condition(v1alpha1.TypeInstalled, corev1.ConditionTrue, "Installed", "")
	healthy   = condition(v1alpha1.TypeHealthy, corev1.ConditionTrue, "Healthy", "")
)

// good are facts without a problem.
func good() doctor.Facts {
	return doctor.Facts{
		Now: now, ServerTime: now, Host: "https://api:6443", Kubernetes: "v1.37.2", System: "landbridge-system",
		Leases:    []coordinationv1.Lease{lease(2 * time.Second)},
		Providers: []v1alpha1.TerraformProvider{provider(installed, healthy)},
		Sandbox:   true, Described: "the registry registry.opentofu.org",
	}
}

// TestDiagnose checks each finding: the facts are good but for one, and only findings that differ
// from the good ones are compared.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*doctor.Facts)
		want   []string // STATE check: message; help
		fails  bool
	}{
		"all is well": {change: func(*doctor.Facts) {}},
		"no cluster": {
			change: func(f *doctor.Facts) { f.Connection = errors.New("connection refused") },
			want: []string{
				"Problem cluster: connection refused; Check --kubeconfig and --context, and whether the API server " +
					"runs: kubectl version",
			}, fails: true,
		},
		"an old cluster": {
			change: func(f *doctor.Facts) { f.Kubernetes = "v1.33.9" },
			want:   []string{"Problem cluster: Kubernetes v1.33.9 at https://api:6443 is older than 1.34; Update the cluster."}, fails: true,
		},
		"a cluster of a vendor": {
			change: func(f *doctor.Facts) { f.Kubernetes = "v1.34.2-eks-1234" },
			want:   []string{"OK cluster: Kubernetes v1.34.2-eks-1234 at https://api:6443; "},
		},
		"no controller": {
			change: func(f *doctor.Facts) { f.Leases, f.Providers = nil, nil },
			want: []string{
				"Problem controller: no controller has a Lease in the namespace landbridge-system; Install it " +
					"(docs/install.md), or name its namespace with --system-namespace.",
				"OK providers: there is no TerraformProvider yet; ",
			}, fails: true,
		},
		"a controller without leader election": {
			change: func(f *doctor.Facts) { f.Leases = nil },
			want: []string{
				"Unknown controller: it has no Lease in the namespace landbridge-system: it runs without leader " +
					"election, or not at all; ",
			},
		},
		"a controller that is gone": {
			change: func(f *doctor.Facts) { f.Leases = []coordinationv1.Lease{lease(time.Minute)} },
			want: []string{
				"Problem controller: no controller is active: its Lease landbridge-system/landbridge.landbridge.io " +
					"has expired; See why it does not run: kubectl get pods -n landbridge-system",
			}, fails: true,
		},
		"one of several shards": {
			change: func(f *doctor.Facts) { f.Leases = []coordinationv1.Lease{lease(time.Minute), lease(time.Second)} },
		},
		"roles of an earlier release": {
			change: func(f *doctor.Facts) {
				f.MissingRoles = []string{"landbridge-configure", "landbridge:random:configure"}
			},
			want: []string{
				"Problem roles: only administrators may write ProviderConfigs: there is no ClusterRole " +
					"landbridge-configure, landbridge:random:configure; " +
					"Apply deploy/rbac/controller.yaml and deploy/rbac/roles.yaml of this release, or upgrade the " +
					"chart; list groups that do not end with .landbridge.io (docs/security.md).",
			},
			fails: true,
		},
		"roles that may not be read": {
			change: func(f *doctor.Facts) { f.RolesError = errors.New("forbidden") },
			want: []string{
				"Unknown roles: ClusterRoles cannot be read: forbidden; Ask for the permission to get ClusterRoles, " +
					"if you manage roles.",
			},
		},
		"leases that may not be read": {
			change: func(f *doctor.Facts) { f.LeasesError = errors.New("forbidden") },
			want: []string{
				"Unknown controller: its Lease cannot be read: forbidden; Ask for the permission to list Leases in " +
					"the namespace landbridge-system.",
			},
		},
		"a clock behind": {
			change: func(f *doctor.Facts) { f.Now = now.Add(-75 * time.Second) },
			want: []string{
				"Problem clock: this machine's is 1m15s behind the API server's; Synchronise the clocks of both, " +
					"such as by NTP: certificates and tokens depend on them.",
			}, fails: true,
		},
		"a clock ahead, though the lease is good": {
			change: func(f *doctor.Facts) { f.Now = now.Add(time.Hour) },
			want: []string{
				"Problem clock: this machine's is 1h0m0s ahead of the API server's; Synchronise the clocks of both, " +
					"such as by NTP: certificates and tokens depend on them.",
			}, fails: true,
		},
		"a permission": {
			change: func(f *doctor.Facts) {
				f.Denied = []doctor.Permission{
					{Verb: "get", Resource: "secrets", System: true, For: "landbridge state"},
					{Verb: "list", Group: "landbridge.io", Resource: "terraformproviders", For: "all"},
				}
			},
			want: []string{
				"Problem permissions: you may not get secrets in the namespace landbridge-system; it is for " +
					"landbridge state; Ask an administrator of the cluster for this permission, if you use these " +
					"commands (docs/security.md).",
				"Problem permissions: you may not list terraformproviders.landbridge.io in all namespaces; it is " +
					"for all; Ask an administrator of the cluster for this permission, if you use these commands " +
					"(docs/security.md).",
			}, fails: true,
		},
		"a provider that is not installed": {
			change: func(f *doctor.Facts) {
				f.Providers = []v1alpha1.TerraformProvider{
					provider(condition(v1alpha1.TypeInstalled, corev1.ConditionFalse, "RegistryUnavailable",
						"no\nanswer"), condition(v1alpha1.TypeHealthy, corev1.ConditionFalse, "Installing", "")),
				}
			},
			want: []string{
				"Problem providers: TerraformProvider random: Installed=False, RegistryUnavailable: no answer; See " +
					"landbridge explain terraformprovider/random, or docs/registries.md.",
			}, fails: true,
		},
		"a provider that nothing has handled": {
			change: func(f *doctor.Facts) { f.Providers = []v1alpha1.TerraformProvider{provider()} },
			want: []string{
				"Problem providers: TerraformProvider random has no condition Installed yet; See whether the " +
					"controller runs: kubectl get pods -n landbridge-system",
			}, fails: true,
		},
		"no definitions": {
			change: func(f *doctor.Facts) { f.Providers, f.ProvidersError = nil, errors.New("no matches for kind") },
			want: []string{
				"Problem providers: TerraformProviders cannot be listed: no matches for kind; Install Landbridge " +
					"(docs/install.md), or ask for the permission to list TerraformProviders.",
			}, fails: true,
		},
		"no webhook": {
			change: func(f *doctor.Facts) { f.Webhooks = map[string]doctor.Webhook{"random": {Missing: true}} },
			want: []string{
				"Problem webhook: TerraformProvider random has spec.admission, and no webhook is served; Give the " +
					"controller --webhook-port (the chart's value plans.enabled), or remove spec.admission.",
			}, fails: true,
		},
		"a webhook without endpoints": {
			change: func(f *doctor.Facts) {
				f.Webhooks = map[string]doctor.Webhook{"random": {Service: "landbridge-system/landbridge"}}
			},
			want: []string{
				"Problem webhook: the Service landbridge-system/landbridge of the webhook of TerraformProvider " +
					"random has no ready endpoint; See why no pod of the controller is ready: kubectl get pods -n " +
					"landbridge-system",
			}, fails: true,
		},
		"a webhook": {
			change: func(f *doctor.Facts) {
				f.Webhooks = map[string]doctor.Webhook{"random": {Service: "landbridge-system/landbridge", Ready: true}}
			},
			want: []string{"OK webhook: served for all 1 TerraformProviders with spec.admission; "},
		},
		"no sources": {
			change: func(f *doctor.Facts) { f.SourcesError = errors.New("--provider-mirror: open /x: no such file") },
			want: []string{
				"Problem sources: --provider-mirror: open /x: no such file; Correct what the message names " +
					"(docs/registries.md).",
			}, fails: true,
		},
		"a provider that is not found here": {
			change: func(f *doctor.Facts) {
				f.Sources = map[string]error{"hashicorp/random": errors.New("provider hashicorp/random: no answer"), "hashicorp/time": nil}
			},
			want: []string{
				"Problem sources: provider hashicorp/random: no answer; Commands cannot run this provider here: " +
					"name a mirror that has it with --provider-mirror, or a registry that can be reached " +
					"(docs/registries.md).",
			}, fails: true,
		},
		"no sandbox in the cluster": {
			change: func(f *doctor.Facts) { f.Providers[0].Status.Sandbox = v1alpha1.SandboxUnavailable },
			want: []string{
				"Problem sandbox: the provider of TerraformProvider random runs without a sandbox, since the kernel " +
					"of the controller's node has none; Run the controller on nodes with Linux 6.2 or later " +
					"(docs/sandbox.md).",
			}, fails: true,
		},
		"the sandbox is off": {
			change: func(f *doctor.Facts) { f.Providers[0].Status.Sandbox = v1alpha1.SandboxOff },
			want: []string{
				"Problem sandbox: the provider of TerraformProvider random runs without a sandbox; Remove the " +
					"controller's flag --sandbox=Off (docs/sandbox.md).",
			}, fails: true,
		},
		"no sandbox here": {
			change: func(f *doctor.Facts) { f.Sandbox = false },
			want:   []string{"OK sandbox: not needed here: commands run providers as you; this machine has none; "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			usual := map[string]bool{}
			for _, f := range doctor.Diagnose(good()) {
				usual[line(f)] = true
			}
			facts := good()
			test.change(&facts)
			findings := doctor.Diagnose(facts)
			var got []string
			for _, f := range findings {
				if l := line(f); !usual[l] {
					got = append(got, l)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if doctor.Failed(findings) != test.fails {
				t.Errorf("Failed is %t", !test.fails)
			}
		})
	}
}

func line(f doctor.Finding) string {
	return string(f.State) + " " + f.Check + ": " + f.Message + "; " + f.Help
}

// TestRead reads a real API server: as an administrator, and as a user without permissions.
func TestRead(t *testing.T) {
	t.Parallel()
	server := playgroundtest.Start(t)
	read := func(config *rest.Config) (f doctor.Facts) {
		t.Helper()
		c, err := doctor.Connect(config, "landbridge-system")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c.Read(ctx, &f)
		if f.Connection != nil {
			t.Fatal(f.Connection)
		}
		return f
	}
	f := read(server.Config)
	if f.Kubernetes == "" || time.Since(f.ServerTime).Abs() > time.Minute || len(f.Denied) > 0 ||
		f.PermissionsError != nil || f.LeasesError != nil {
		t.Errorf("got %+v", f)
	}
	unprivileged := rest.CopyConfig(server.Config)
	unprivileged.Impersonate = rest.ImpersonationConfig{UserName: "user-without-rights"}
	if f := read(unprivileged); len(f.Denied) != 4 || f.LeasesError == nil || f.ProvidersError == nil {
		t.Errorf("without permissions: %+v", f)
	}
	closed := rest.CopyConfig(server.Config)
	closed.Host = "https://127.0.0.1:1"
	c, err := doctor.Connect(closed, "landbridge-system")
	if err == nil {
		var f doctor.Facts
		if c.Read(t.Context(), &f); f.Connection == nil {
			t.Errorf("got %+v", f)
		}
	} else {
		t.Error(err)
	}
}
