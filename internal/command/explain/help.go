package explain

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// help returns what to do about the cause.
func (b *builder) help(root, cause *Node, next time.Time) Help {
	switch {
	case cause.ok():
		return Help{Text: "Nothing has to be done."}
	case cause.Name == "controller":
		return b.helpController(cause)
	case cause.process:
		return helpProcess(root, next)
	case cause.Health == Missing:
		return helpMissing(root, cause)
	case cause.Health == status.Paused:
		return Help{"Have it reconciled again.", "kubectl annotate " + cause.key.resource() + cause.key.in() + " crossplane.io/paused-"}
	case cause.Health == status.Unseen:
		return Help{Text: "Nothing has to be done: the controller looks at it soon. If it does not, its log tells why.", Command: "landbridge logs " + cause.key.resource() + cause.key.in()}
	}
	if cause.Reason == "ProviderUnavailable" || cause.Reason == "ProviderThrottled" {
		return helpProcess(root, next)
	}
	if h, ok := helpReason(cause); ok {
		return h
	}
	switch k := cause.key; cause.Health {
	case status.Changing:
		if isConfig(k) && cause.row.Deleting {
			return Help{"Delete the resources that use it, or give them another one. Then it is gone by itself.", "kubectl get managed -A"}
		}
		return Help{"Nothing has to be done: it goes on by itself. Watch it.", "landbridge explain " + root.key.resource() + root.key.in() + " --watch"}
	case status.Failed:
		return Help{"Correct what the message says.", edit(k)}
	default:
		if k.Group == landbridgeGroup || isConfig(k) {
			return Help{"Correct what the message says; it is tried again by itself, and at once with this.", again(k)}
		}
		return Help{"Correct what the message says. It is tried again by itself, and at once with this.", "landbridge retry " + k.resource() + k.in()}
	}
}

func edit(k Key) string { return "kubectl edit " + k.resource() + k.in() }

// again has an object reconciled now.
func again(k Key) string {
	return "kubectl annotate --overwrite " + k.resource() + k.in() + ` landbridge.io/reconcile-requested-at="$(date)"`
}

func (b *builder) helpController(cause *Node) Help {
	if cause.Reason == "ShardWithoutReplica" {
		return Help{"Wait half a minute, in which another replica takes the shard over. If none does, look at the replicas.", "kubectl get pods -n " + b.s.System}
	}
	return Help{"Start the controller, or look why it does not run.", "kubectl get pods -n " + b.s.System}
}

func helpProcess(root *Node, next time.Time) Help {
	text := "Correct what the message says. "
	if root.Reason == "ProviderThrottled" {
		text = "Nothing has to be done: the controller makes fewer calls. "
	}
	if next.IsZero() {
		text += "It is tried again within seconds."
	} else {
		text += "It is tried again by itself."
	}
	return Help{text + " The log has what the provider wrote.", "landbridge logs " + root.key.resource() + root.key.in()}
}

func helpMissing(root, cause *Node) Help {
	l := cause.link
	switch {
	case l.via == viaSecret && l.key != "":
		return Help{fmt.Sprintf("Create the Secret that %s names.", l.field),
			fmt.Sprintf("kubectl create secret generic %s%s --from-file=%s=FILE", l.Name, l.in(), l.key)}
	case l.via == viaSecret:
		return Help{fmt.Sprintf("Create the Secret that %s names.", l.field), fmt.Sprintf("kubectl create secret generic %s%s --from-file=KEY=FILE", l.Name, l.in())}
	case l.via == viaSource:
		return Help{fmt.Sprintf("Create the ConfigMap that %s names, from the folder of the module.", l.field),
			fmt.Sprintf("kubectl create configmap %s%s --from-file=FOLDER", l.Name, l.in())}
	case l.via == viaConfig:
		return Help{fmt.Sprintf("Create it, or name another one in %s. Its fields are listed by this.", l.field),
			fmt.Sprintf("kubectl explain %s.%s.spec", strings.ToLower(l.Kind), l.Group)}
	case l.via == viaOwner || l.via == viaProvider:
		return Help{fmt.Sprintf("Install the provider again, as the TerraformProvider %s: its resources go on as they were.", l.Name), "kubectl get terraformproviders,terraformmodules"}
	case l.Name == "":
		return Help{"Create one with the labels, or correct the selector. These exist.", fmt.Sprintf("kubectl get %s.%s%s --show-labels", strings.ToLower(l.Kind), l.Group, l.in())}
	default:
		return Help{fmt.Sprintf("Create it, or correct the name in spec.references of %s. These exist.", root.Name),
			fmt.Sprintf("kubectl get %s.%s%s", strings.ToLower(l.Kind), l.Group, l.in())}
	}
}

var (
	confirm = regexp.MustCompile(`landbridge\.io/confirm-create to "([^"]+)"`)
	accept  = regexp.MustCompile(`(kubectl annotate terraformprovider \S+ --overwrite landbridge\.io/accept-changes=\S+)\.`)
)

// helpReason returns what helps for the reason of an object's condition; false if the reason does not tell.
func helpReason(n *Node) (Help, bool) {
	k := n.key
	res := k.resource() + k.in()
	patch := func(text, merge string) (Help, bool) {
		return Help{text, "kubectl patch " + res + " --type=merge -p '" + merge + "'"}, true
	}
	switch n.Reason {
	case "AwaitingApproval", "PlanChanged":
		return Help{"Look at the plan, and approve it.", "landbridge approve " + res}, true
	case "DeniedByPolicy":
		return Help{"Change the spec so that the policy allows the plan, or the policy.", edit(k)}, true
	case "CreateAttemptsExhausted", "Interrupted":
		return Help{"Change the spec, or have it tried again as it is.", "landbridge retry " + res}, true
	case "ReplaceRefused":
		if n.row.State == "Tainted" {
			return Help{"Keep the tainted object, or allow its replacement in spec.lifecycle.", "landbridge untaint " + res}, true
		}
		return patch("Take the change back, or allow that the object is destroyed and created again.", `{"spec":{"lifecycle":{"replacePolicy":"Automatic"}}}`)
	case "CreateOutcomeUnknown":
		if m := confirm.FindStringSubmatch(n.Message); m != nil {
			return Help{"Look for the object at the provider. If it exists, adopt it with spec.import; if it certainly does not, confirm that it may be created.",
				"kubectl annotate " + res + " landbridge.io/confirm-create=" + m[1]}, true
		}
		return Help{"Look for the object at the provider, and adopt it with spec.import.", edit(k)}, true
	case "AlreadyExists":
		return Help{"Adopt the existing object with the spec.import in the message, or give this one another name.", edit(k)}, true
	case "IdentityConflict":
		return Help{"Delete one of the two resources, without Delete in managementPolicies to keep the object; or let this one declare another object.", edit(k)}, true
	case "DriftReported":
		return Help{"Have the drift adopted, or the object changed back by reapply.", "landbridge adopt-drift " + res}, true
	case "Moved":
		return Help{"Delete this resource: another one has its object.", "kubectl delete " + res}, true
	case "StillReferredTo":
		return Help{"Delete the resources that refer to it, which the message names.", "kubectl get managed -A"}, true
	case "Deferred":
		return Help{"Nothing has to be done once what the message names exists: the provider is asked again then. Ask it now.", again(k)}, true
	case "StateTooLarge":
		return Help{"Make the object smaller, or see docs/operations.md, large states.", edit(k)}, true
	case "InvalidConfiguration", "ImportFailed", "MoveFailed", "UnexpectedIdentityChange":
		return Help{"Correct the spec as the message says.", edit(k)}, true
	case "ReferenceNotResolved":
		return Help{"Correct spec.references, or wait until the other resource has the value.", edit(k)}, true
	case "NamespaceNotAllowed":
		return Help{"Use a configuration that the namespace may use, or allow it in spec.allowedNamespaces.", edit(k)}, true
	case "NoController":
		return Help{"Have its kind served again, with the TerraformProvider or TerraformModule that the message names.", "kubectl get terraformproviders,terraformmodules"}, true
	case "ProviderConfigError":
		return Help{"Correct the provider configuration as the message says.", edit(k)}, true
	case "ChangesHeld":
		if m := accept.FindStringSubmatch(n.Message); m != nil {
			return Help{"Change the version or the objects, or accept the loss of their values.", m[1]}, true
		}
	case "BinaryNotFound", "ChecksumMismatch", "RegistryDenied", "VerificationFailed", "InvalidSchema", "UnknownResourceType", "KindInUse", "CRDConflict",
		"SandboxUnavailable", "InvalidModule", "NotAllowed", "SourceNotAllowed", "DigestMismatch":
		return Help{"Correct the spec as the message says.", edit(k)}, true
	case "ExecutionUnavailable":
		return Help{"Start the controller with --cli=PROGRAM, or cli of the chart; a TerraformProvider can use another spec.execution.", edit(k)}, true
	case "SourceNotAvailable":
		return Help{"Correct spec.source as the message says. It is tried again by itself, and at once with this.", again(k)}, true
	case "ProviderMissing":
		return Help{"Install the provider that the message names.", "kubectl get terraformproviders"}, true
	case "InstallationMisconfigured":
		return Help{"Correct the flags of the controller that the message names.", "kubectl edit deployment -n landbridge-system landbridge"}, true
	}
	if n.row.Deleting && n.Health == status.Retrying {
		return Help{"The object cannot be destroyed, for the reason in the message. Correct that; if it only cannot be read, have it destroyed as it is stored.",
			"kubectl annotate " + res + " landbridge.io/delete-without-refresh=true"}, true
	}
	return Help{}, false
}
