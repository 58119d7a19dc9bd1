package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	kversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// State is the outcome of a check.
type State string

// The states of a finding.
const (
	ok      State = "OK"
	problem State = "Problem"
	// unknown means that it could not be checked.
	unknown State = "Unknown"
)

// Finding is the outcome of a check; its JSON is for programs.
type Finding struct {
	// Check is what was checked, such as cluster.
	Check string `json:"check"`
	State State  `json:"state"`
	// Message says what is the case, in one line.
	Message string `json:"message"`
	// Help says what to do. Empty if there is nothing to do.
	Help string `json:"help,omitempty"`
}

const (
	// minKubernetes is the first version of Kubernetes that is supported.
	minKubernetes = "1.34.0"
	// maxSkew is how far clocks may be apart: the time of an answer has no fractions of seconds,
	// and it takes a while.
	maxSkew = 10 * time.Second
	// versionLabel is the label of a Lease with the controller's version.
	versionLabel = "app.kubernetes.io/version"
)

// Diagnose returns a finding for each thing that was checked.
func Diagnose(f Facts) (out []Finding) {
	if f.Connection != nil {
		out = append(
			out, finding("cluster", problem, "Check --kubeconfig and --context, and whether the API server runs: "+
				"kubectl version", "%s", oneLine(f.Connection.Error())),
		)
	} else {
		out = append(out, cluster(f), controller(f), clock(f))
		out = append(out, permitted(f)...)
		out = append(out, roles(f)...)
		out = append(out, providers(f)...)
		out = append(out, webhooks(f)...)
	}
	out = append(out, found(f)...)
	return append(out, sandboxes(f)...)
}

// Failed reports whether there is a problem.
func Failed(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.State == problem })
}

func finding(check string, state State, help, format string, args ...any) Finding {
	return Finding{Check: check, State: state, Message: fmt.Sprintf(format, args...), Help: help}
}

func cluster(f Facts) Finding {
	v, err := kversion.ParseGeneric(f.Kubernetes)
	if err == nil && v.LessThan(kversion.MustParseGeneric(minKubernetes)) {
		return finding("cluster", problem, "Update the cluster.", "Kubernetes %s at %s is older than %s",
			f.Kubernetes, f.Host, strings.TrimSuffix(minKubernetes, ".0"))
	}
	return finding("cluster", ok, "", "Kubernetes %s at %s", f.Kubernetes, f.Host)
}

// Version returns the version of the controllers that hold leases; empty if it is not known.
func Version(leases []coordinationv1.Lease) string {
	var out []string
	for _, l := range leases {
		if v := l.Labels[versionLabel]; v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// expired reports whether a lease was not renewed in time, by the clock of the API server.
func expired(l coordinationv1.Lease, now time.Time) bool {
	if l.Spec.RenewTime == nil || l.Spec.LeaseDurationSeconds == nil || l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity == "" {
		return true
	}
	return now.Sub(l.Spec.RenewTime.Time) > time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second+maxSkew
}

func controller(f Facts) Finding {
	const check = "controller"
	now := f.ServerTime
	if now.IsZero() {
		now = f.Now
	}
	switch {
	case f.LeasesError != nil:
		return finding(check, unknown, "Ask for the permission to list Leases in the namespace "+f.System+".",
			"its Lease cannot be read: %s", f.LeasesError)
	case len(f.Leases) == 0 && len(f.Providers) == 0:
		return finding(check, problem, "Install it (docs/install.md), or name its namespace with --system-namespace.",
			"no controller has a Lease in the namespace %s", f.System)
	case len(f.Leases) == 0:
		return finding(check, unknown, "", "it has no Lease in the namespace %s: it runs without leader election, or not at all", f.System)
	}
	for _, l := range f.Leases {
		if !expired(l, now) {
			version := Version(f.Leases)
			if version == "" {
				version = "a version that it does not tell"
			}
			return finding(check, ok, "", "%s, active as %s", version, *l.Spec.HolderIdentity)
		}
	}
	return finding(check, problem, fmt.Sprintf("See why it does not run: kubectl get pods -n %s", f.System),
		"no controller is active: its Lease %s/%s has expired", f.System, f.Leases[0].Name)
}

func clock(f Facts) Finding {
	const check = "clock"
	if f.ServerTime.IsZero() {
		return finding(check, unknown, "", "the API server does not tell its time")
	}
	skew := f.Now.Sub(f.ServerTime)
	if skew.Abs() <= maxSkew {
		return finding(check, ok, "", "as the API server's")
	}
	how := "ahead of"
	if skew < 0 {
		how = "behind"
	}
	return finding(check, problem, "Synchronise the clocks of both, such as by NTP: certificates and tokens "+
		"depend on them.", "this machine's is %s %s the API server's", skew.Abs().Round(time.Second), how)
}

func permitted(f Facts) (out []Finding) {
	const check = "permissions"
	if f.PermissionsError != nil {
		return []Finding{finding(check, unknown, "", "the API server does not tell: %s", f.PermissionsError)}
	}
	for _, p := range f.Denied {
		where := "in all namespaces"
		if p.System {
			where = "in the namespace " + f.System
		}
		resource := p.Resource
		if p.Group != "" {
			resource += "." + p.Group
		}
		out = append(
			out, finding(check, problem, "Ask an administrator of the cluster for this permission, if you use these "+
				"commands (docs/security.md).", "you may not %s %s %s; it is for %s", p.Verb, resource, where, p.For),
		)
	}
	if len(out) == 0 {
		out = append(out, finding(check, ok, "", "you have those that commands need"))
	}
	return out
}

// roles are missing ClusterRoles for ProviderConfigs.
func roles(f Facts) []Finding {
	const check = "roles"
	switch {
	case f.RolesError != nil:
		return []Finding{
			finding(check, unknown, "Ask for the permission to get ClusterRoles, if you manage roles.",
				"ClusterRoles cannot be read: %s", f.RolesError),
		}
	case len(f.MissingRoles) > 0:
		return []Finding{finding(check, problem,
			"Apply deploy/rbac/controller.yaml and deploy/rbac/roles.yaml of this release, or upgrade the chart; "+
				"list groups that do not end with .landbridge.io (docs/security.md).",
			"only administrators may write ProviderConfigs: there is no ClusterRole %s", strings.Join(f.MissingRoles, ", "))}
	}
	return nil
}

// providers are the conditions of TerraformProviders.
func providers(f Facts) (out []Finding) {
	const check = "providers"
	switch {
	case f.ProvidersError != nil:
		return []Finding{
			finding(check, problem, "Install Landbridge (docs/install.md), or ask for the permission to list "+
				"TerraformProviders.", "TerraformProviders cannot be listed: %s", f.ProvidersError),
		}
	case len(f.Providers) == 0:
		return []Finding{finding(check, ok, "", "there is no TerraformProvider yet")}
	}
	for _, p := range f.Providers {
		for _, condition := range []xpv2.ConditionType{v1alpha1.TypeInstalled, v1alpha1.TypeHealthy} {
			c := p.Status.GetCondition(condition)
			switch {
			case c.Status == corev1.ConditionTrue:
				continue
			case c.Status == corev1.ConditionFalse:
				out = append(
					out, finding(check, problem, "See landbridge explain terraformprovider/"+p.Name+
						", or docs/registries.md.", "TerraformProvider %s: %s=False, %s: %s", p.Name, condition,
						c.Reason, oneLine(c.Message)),
				)
			default:
				out = append(out, finding(check, problem, "See whether the controller runs: kubectl get pods -n "+
					f.System, "TerraformProvider %s has no condition %s yet", p.Name, condition))
			}
			break
		}
	}
	if len(out) == 0 {
		out = append(out, finding(check, ok, "", "all %d are healthy", len(f.Providers)))
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func webhooks(f Facts) (out []Finding) {
	const check = "webhook"
	for _, name := range slices.Sorted(maps.Keys(f.Webhooks)) {
		switch w := f.Webhooks[name]; {
		case w.Error != nil:
			out = append(out, finding(check, unknown, "", "the one of TerraformProvider %s cannot be read: %s", name, w.Error))
		case w.Missing:
			out = append(
				out, finding(check, problem, "Give the controller --webhook-port (the chart's value plans.enabled), "+
					"or remove spec.admission.", "TerraformProvider %s has spec.admission, and no "+
					"webhook is served",
					name),
			)
		case !w.Ready:
			out = append(
				out, finding(check, problem, "See why no pod of the controller is ready: kubectl get pods -n "+
					f.System, "the Service %s of the webhook of TerraformProvider %s has no ready endpoint",
					w.Service, name),
			)
		}
	}
	switch {
	case f.ProvidersError != nil || len(out) > 0:
	case len(f.Webhooks) == 0:
		out = append(out, finding(check, ok, "", "none is needed: no TerraformProvider has spec.admission"))
	default:
		out = append(out, finding(check, ok, "", "served for all %d TerraformProviders with spec.admission", len(f.Webhooks)))
	}
	return out
}

// found are the sources of providers on this machine.
func found(f Facts) (out []Finding) {
	const check = "sources"
	if f.SourcesError != nil {
		return []Finding{finding(check, problem, "Correct what the message names (docs/registries.md).", "%s", oneLine(f.SourcesError.Error()))}
	}
	for _, source := range slices.Sorted(maps.Keys(f.Sources)) {
		if err := f.Sources[source]; err != nil {
			out = append(
				out, finding(check, problem, "Commands cannot run this provider here: name a mirror that has it "+
					"with --provider-mirror, or a registry that can be reached (docs/registries.md).", "%s",
					oneLine(err.Error())),
			)
		}
	}
	if len(out) == 0 {
		out = append(out, finding(check, ok, "", "%s", f.Described))
	}
	return out
}

// sandboxes are about this machine, where commands run providers, and about the controller's.
func sandboxes(f Facts) (out []Finding) {
	const check = "sandbox"
	for _, p := range f.Providers {
		switch p.Status.Sandbox {
		case v1alpha1.SandboxUnavailable:
			out = append(
				out, finding(check, problem, "Run the controller on nodes with Linux 6.2 or later (docs/sandbox.md).",
					"the provider of TerraformProvider %s runs without a sandbox, since the kernel of the "+
						"controller's node has none",
					p.Name),
			)
		case v1alpha1.SandboxOff:
			out = append(out, finding(check, problem, "Remove the controller's flag --sandbox=Off (docs/sandbox.md).",
				"the provider of TerraformProvider %s runs without a sandbox", p.Name))
		}
	}
	switch {
	case len(out) > 0:
	case !f.Sandbox:
		out = append(out, finding(check, ok, "", "not needed here: commands run providers as you; this machine has none"))
	case f.Limitation != "":
		out = append(out, finding(check, ok, "", "available; it does not restrict %s", f.Limitation))
	default:
		out = append(out, finding(check, ok, "", "available"))
	}
	return out
}
