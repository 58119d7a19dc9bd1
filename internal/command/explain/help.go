package explain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// help returns what to do about the cause.
func (b *builder) help(root, cause *Node, next time.Time) Help {
	switch {
	case cause.row.NeverSettles:
		return helpSettle(cause)
	case cause.ok():
		return Help{Text: "Nothing has to be done."}
	case cause.Name == "controller" || cause.via == viaShard:
		return b.helpController(cause)
	case cause.via == viaSandbox:
		if r, ok := plugin.RefusalIn(cause.Message); ok {
			return helpRefusal(r, cause.key, cause.object)
		}
	case isConfig(cause.key) && unusable(cause.Message):
		return Help{"Correct the credentials or the endpoint, also in a Secret that it names. Changed ones are used at once.", edit(cause.key)}
	case cause.process:
		return b.helpProcess(root, cause, next)
	case cause.Health == missing:
		return helpMissing(root, cause)
	case cause.Health == status.Paused:
		return Help{"Have it reconciled again.", "kubectl annotate " + cause.key.resource() + cause.key.in() + " crossplane.io/paused-"}
	case cause.Health == status.Unseen:
		return Help{
			Text:    "Nothing has to be done: the controller looks at it soon. If it does not, its log tells why.",
			Command: "landbridge logs " + cause.key.resource() + cause.key.in(),
		}
	}
	if r, ok := plugin.RefusalIn(cause.Message); ok {
		return helpRefusal(r, cause.key, nil)
	}
	if cause.Reason == "ProviderUnavailable" || cause.Reason == "ProviderThrottled" {
		return b.helpProcess(root, cause, next)
	}
	if h, ok := helpData(cause); ok && b.s.modeOf(cause.key) == model.Data {
		return h
	}
	if h, ok := helpAction(cause); ok && b.s.modeOf(cause.key) == model.Action {
		return h
	}
	if h, ok := b.helpReason(cause); ok {
		return h
	}
	switch k := cause.key; cause.Health {
	case status.Changing:
		switch {
		case !cause.row.Deleting:
		case k.Group == landbridgeGroup:
			return Help{
				"Nothing has to be done: it is gone when the resources are gone that are being " +
					"deleted. Look at them.",
				"kubectl get managed -A",
			}
		case isConfig(k):
			return Help{"Delete the resources that use it, or give them another one. Then it is gone by itself.", "kubectl get managed -A"}
		}
		return Help{"Nothing has to be done: it goes on by itself. Watch it.", watch(root.key)}
	case status.Failed:
		return Help{"Correct what the message says.", edit(k)}
	default:
		if k.Group == landbridgeGroup || isConfig(k) || b.s.modeOf(k) != model.Managed {
			return Help{"Correct what the message says; it is tried again by itself, and at once with this.", again(k)}
		}
		text := "Correct what the message says. It is tried again by itself, and at once with this."
		if strings.HasPrefix(messageOf(cause.object, "Ready"), "The last apply did not make all changes") { // of a module
			text = "Correct what the message says. What was made stays, and status.plan has the changes that are " +
				"left. They are tried again by themselves, and at once with this."
		}
		return Help{text, "landbridge retry " + k.resource() + k.in()}
	}
}

// helpData returns what to do about a data source that cannot be read; ok is false if it is what
// helps resources.
func helpData(n *Node) (_ Help, ok bool) {
	switch n.Reason {
	case "ReadFailed":
		return Help{
			"Correct spec.forProvider, or wait until what it asks for exists. It is read again by itself, and at " +
				"once with this.",
			again(n.key),
		}, true
	case "IdentityConflict":
		return Help{"Change spec.forProvider, or refer to the resource that has the object.", edit(n.key)}, true
	}
	return Help{}, false
}

// helpAction returns what to do about an action that has not succeeded; ok is false if it is what
// helps resources.
func helpAction(n *Node) (_ Help, ok bool) {
	switch n.Reason {
	case "InvocationFailed":
		if n.Health != status.Failed {
			return Help{}, false
		}
		return Help{
			"Correct what the message says. Then create another object: each is invoked once.",
			"kubectl describe " + n.key.resource() + n.key.in(),
		}, true
	case "InvocationOutcomeUnknown":
		return Help{
			"Look at what it acts on: it may have done all of it, a part or nothing. To invoke it again, create " +
				"another object.",
			"kubectl describe " + n.key.resource() + n.key.in(),
		}, true
	case "Suspended":
		return Help{"Have it invoked.", "kubectl patch " + n.key.resource() + n.key.in() + ` --type=merge -p '{"spec":{"suspend":false}}'`}, true
	}
	return Help{}, false
}

func helpSettle(n *Node) Help {
	k := n.key
	if strings.Contains(n.Message, "ignore_changes = [") {
		return Help{"Change the module as the message says. Then have it tried again.", "landbridge retry " + k.resource() + k.in()}
	}
	return Help{"Set the fields to the values that the provider returns, or list them in spec.lifecycle.ignoreChanges.", edit(k)}
}

func isModule(k Key) bool { return k.Group == landbridgeGroup && k.Kind == "TerraformModule" }

// watch has an object explained until it is ready.
func watch(k Key) string { return "landbridge explain " + k.resource() + k.in() + " --watch" }

// flags is where the flags of the controller are.
func (b *builder) flags() string { return "kubectl edit deployment -n " + b.s.System + " landbridge" }

func edit(k Key) string { return "kubectl edit " + k.resource() + k.in() }

// again has an object reconciled now.
func again(k Key) string {
	return "kubectl annotate --overwrite " + k.resource() + k.in() + ` landbridge.io/reconcile-requested-at="$(date)"`
}

func (b *builder) helpController(cause *Node) Help {
	if cause.Reason == "ShardWithoutReplica" {
		return Help{
			"Wait half a minute, in which another replica takes the shard over. If none does, look at the replicas.",
			"kubectl get pods -n " + b.s.System,
		}
	}
	return Help{"Start the controller, or look why it does not run.", "kubectl get pods -n " + b.s.System}
}

var memory = regexp.MustCompile(`where (\d+) MiB is its limit`)

func (b *builder) helpProcess(root, cause *Node, next time.Time) Help {
	says := cause.Message
	text, command := "Correct what the message says. ", "landbridge logs "+root.key.resource()+root.key.in()
	provider := providerOf(root)
	switch m := memory.FindStringSubmatch(says); {
	case m != nil && provider != nil:
		limit, _ := strconv.Atoi(m[1]) // of digits
		return Help{"Raise the limit if the provider needs as much memory. It is started again by itself.",
			fmt.Sprintf(`kubectl patch %s --type=merge -p '{"spec":{"limits":{"memory":"%dMi"}}}'`, provider.resource(), 2*limit)}
	case strings.Contains(says, "limit of calls per second") && provider != nil:
		return Help{"Nothing has to be done: it goes on as the limit allows. Or raise spec.limits.callsPerSecond.", edit(*provider)}
	case strings.Contains(says, "No room for the provider's process"):
		return Help{
			"It is started when another process is idle. Or raise what all may have with --max-providers, " +
				"--max-providers-per-namespace and --max-provider-memory.",
			b.flags(),
		}
	case strings.Contains(says, "Provider is not ready"):
		text = "Nothing has to be done: the provider is being started. "
	case cause.Reason == "ProviderThrottled":
		text = "Nothing has to be done: the controller makes fewer calls. "
	}
	if next.IsZero() {
		text += "It is tried again within seconds."
	} else {
		text += "It is tried again by itself."
	}
	return Help{text + " The log has what the provider wrote.", command}
}

// providerOf returns the TerraformProvider of a resource or a provider configuration; nil if there
// is none, or several.
func providerOf(n *Node) *Key {
	for i := range n.Nodes {
		if child := &n.Nodes[i]; child.via == viaOwner && child.key.Kind == "TerraformProvider" {
			return &child.key
		}
	}
	return nil
}

func helpMissing(root, cause *Node) Help {
	l := cause.link
	switch {
	case l.via == viaSecret && l.key != "":
		return Help{fmt.Sprintf("Create the Secret that %s names.", l.field),
			fmt.Sprintf("kubectl create secret generic %s%s --from-file=%s=FILE", l.Name, l.in(), l.key)}
	case l.via == viaSecret:
		return Help{
			fmt.Sprintf("Create the Secret that %s names.", l.field),
			fmt.Sprintf("kubectl create secret generic %s%s --from-file=KEY=FILE", l.Name, l.in()),
		}
	case l.via == viaSource:
		return Help{fmt.Sprintf("Create the ConfigMap that %s names, from the folder of the module.", l.field),
			fmt.Sprintf("kubectl create configmap %s%s --from-file=FOLDER", l.Name, l.in())}
	case l.via == viaConfig:
		return Help{fmt.Sprintf("Create it, or name another one in %s. Its fields are listed by this.", l.field),
			fmt.Sprintf("kubectl explain %s.%s.spec", strings.ToLower(l.Kind), l.Group)}
	case l.via == viaOwner || l.via == viaProvider:
		return Help{
			fmt.Sprintf("Install the provider again, as the TerraformProvider %s: its resources go on as they were.",
				l.Name), "kubectl get terraformproviders,terraformmodules",
		}
	case l.Name == "":
		return Help{
			"Create one with the labels, or correct the selector. These exist.",
			fmt.Sprintf("kubectl get %s.%s%s --show-labels", strings.ToLower(l.Kind), l.Group, l.in()),
		}
	default:
		return Help{fmt.Sprintf("Create it, or correct the name in spec.references of %s. These exist.", root.Name),
			fmt.Sprintf("kubectl get %s.%s%s", strings.ToLower(l.Kind), l.Group, l.in())}
	}
}

var (
	resume  = regexp.MustCompile(`landbridge resume(?: --(?:all|(?:provider|account) [^\s.]+(?:\.[^\s.]+)*))+`)
	action  = regexp.MustCompile(`the action (\S+\.action\.\S+) (\S+)`)
	release = regexp.MustCompile(`landbridge release-brake(?: --(?:provider|account) [^\s;]+)*`)
	confirm = regexp.MustCompile(`landbridge\.io/confirm-create to "([^"]+)"`)
	accept  = regexp.MustCompile(`(kubectl annotate terraform(?:provider|module) \S+ --overwrite landbridge\.io/accept-changes=\S+)\.`)
	shown   = regexp.MustCompile(`(landbridge upgrade preview \S+ --to \S+);`)
	appears = regexp.MustCompile(`may still appear until (\S+Z)\.`)
	broken  = regexp.MustCompile(`PlanPolicy (\S+): it cannot be used`)
	adopt   = regexp.MustCompile(`set spec\.import to (\{.*)`)
)

// helpReason returns what helps for the reason of an object's condition; false if the reason does
// not tell.
func (b *builder) helpReason(n *Node) (Help, bool) {
	k := n.key
	res := k.resource() + k.in()
	patch := func(text, merge string) (Help, bool) {
		return Help{text, "kubectl patch " + res + " --type=merge -p '" + merge + "'"}, true
	}
	if n.Reason == "NotVisibleYet" || n.Health == status.Retrying && strings.Contains(n.Message, "not visible yet") {
		return Help{
			"Nothing has to be done: the object is looked at again until it is visible, or until the time for that " +
				"is over. Watch it.",
			watch(k),
		}, true
	}
	switch n.Reason {
	case "AwaitingApproval", "PlanChanged":
		return Help{"Look at the plan, and approve it.", "landbridge approve " + res}, true
	case "AwaitingDependents":
		if strings.Contains(n.Message, "because of what refers to it") {
			return Help{"Change the resources that the message names, or take the change back.", edit(k)}, true
		}
		return Help{
			"Nothing has to be done: the object is replaced when the resources that the message names are " +
				"ready. Watch it.",
			watch(k),
		}, true
	case "AwaitingAction", "ActionFailed":
		if named := action.FindStringSubmatch(n.Message); named != nil {
			what := "Look at the action that it waits for."
			if n.Reason == "ActionFailed" {
				what = "Look at the action that has failed, and delete it to have it invoked again."
			}
			return Help{what, "landbridge explain " + named[1] + " " + named[2] + k.in()}, true
		}
	case "AwaitingReplacement":
		return Help{"Nothing has to be done: the resource goes on when the object that the message names is replaced. Watch it.", watch(k)}, true
	case "DestroyBrake":
		return Help{
			"See whether all that waits is to be destroyed. If it is, an administrator releases the brake.",
			release.FindString(n.Message),
		}, true
	case "DestroyDelayed":
		return Help{"Nothing has to be done: it goes on within a minute. Watch it.", watch(k)}, true
	case "OperationsPaused":
		return Help{"Wait until an administrator has operations go on.", resume.FindString(n.Message)}, true
	case "DeniedByPolicy":
		if policy := broken.FindStringSubmatch(n.Message); policy != nil {
			return Help{"Correct the condition of the PlanPolicy, which cannot be used.", "kubectl edit planpolicy " + policy[1]}, true
		}
		return Help{"Change the spec so that the policy allows the plan, or the policy.", edit(k)}, true
	case "CreateAttemptsExhausted", "Interrupted":
		return Help{"Change the spec, or have it tried again as it is.", "landbridge retry " + res}, true
	case "NeverSettles":
		return helpSettle(n), true
	case "ProviderCrashes":
		return Help{"Change the resource, or use another version of the provider. Then have it tried again.", "landbridge retry " + res}, true
	case "InconsistentResult":
		if strings.Contains(n.Message, "objects of the module") {
			return Help{
				"Change the module's arguments to what the provider makes of them, or have the objects " +
					"replaced once more.",
				"landbridge retry " + res,
			}, true
		}
		return Help{
			"Keep the object as the provider has made it, or change the spec or the provider's version.",
			"landbridge untaint " + res,
		}, true
	case "ReplaceRefused":
		if n.row.State == "Tainted" {
			return Help{"Keep the tainted object, or allow its replacement in spec.lifecycle.", "landbridge untaint " + res}, true
		}
		return patch("Take the change back, or allow that the object is destroyed and created again.",
			`{"spec":{"lifecycle":{"replacePolicy":"Automatic"}}}`)
	case "DeletionProtected":
		if n.row.Deleting {
			return patch("Have the object destroyed, or leave it with spec.managementPolicies [\"Observe\"].",
				`{"spec":{"lifecycle":{"deletionProtection":false}}}`)
		}
		return patch("Take the change back, or allow that the object is destroyed.", `{"spec":{"lifecycle":{"deletionProtection":false}}}`)
	case "CreateOutcomeUnknown":
		return helpUnknown(n), true
	case "AlreadyExists":
		if command := adoption(n); command != "" {
			return Help{"Adopt the existing object, or give this one another name.", command}, true
		}
		return Help{"Adopt the existing object with spec.import, or give this one another name.", edit(k)}, true
	case "IdentityConflict":
		return Help{
			"Delete one of the two resources, without Delete in managementPolicies to keep the object; or let this " +
				"one declare another object.",
			edit(k),
		}, true
	case "DriftReported":
		return Help{"Have the drift adopted, or the object changed back by reapply.", "landbridge adopt-drift " + res}, true
	case "AccountChanged":
		return Help{
			"Go back to the former provider configuration, or confirm the new one with the annotation that " +
				"the message names.",
			edit(k),
		}, true
	case "Moved":
		return Help{"Delete this resource: another one has its object.", "kubectl delete " + res}, true
	case "StillReferredTo":
		return Help{"Delete the resources that refer to it, which the message names.", "kubectl get managed -A"}, true
	case "Deferred":
		return Help{"Nothing has to be done once what the message names exists: the provider is asked again then. Ask it now.", again(k)}, true
	case "StateTooLarge":
		return Help{"Make the object smaller, or see docs/operations.md, large states.", edit(k)}, true
	case "UnexpectedIdentityChange":
		return Help{
			"See whether the object is still the right one. If it is, pause the resource, and have its stored " +
				"identity forgotten.",
			"landbridge state forget-identity " + res,
		}, true
	case "InvalidConfiguration", "ImportFailed", "MoveFailed":
		return Help{"Correct the spec as the message says.", edit(k)}, true
	case "ReferenceNotResolved":
		return Help{"Correct spec.references, or wait until the other resource has the value.", edit(k)}, true
	case "NamespaceNotAllowed":
		return Help{"Use a configuration that the namespace may use, or allow it in spec.allowedNamespaces.", edit(k)}, true
	case "NoController":
		return Help{
			"Have its kind served again, with the TerraformProvider or TerraformModule that the message names.",
			"kubectl get terraformproviders,terraformmodules",
		}, true
	case "ProviderConfigError":
		return Help{"Correct the provider configuration as the message says.", edit(k)}, true
	case "ChangesHeld":
		if m := accept.FindStringSubmatch(n.Message); m != nil {
			return Help{
				fmt.Sprintf("Change the %s or the objects, or accept the loss of their values.",
					map[bool]string{true: "module", false: "version"}[isModule(k)]), m[1],
			}, true
		}
	case "UpgradeHeld":
		if m := shown.FindStringSubmatch(n.Message); m != nil {
			return Help{"Change the resources or the version, or accept the outcomes in spec.upgrade.accept. The preview shows them.", m[1]}, true
		}
	case "KindInUse":
		if n.row.Deleting {
			return Help{"Delete the objects of its kind. Then it is gone by itself.", "kubectl get managed -A"}, true
		}
		return Help{"Correct the spec as the message says, or delete the objects of the kind.", edit(k)}, true
	case "InvalidModule":
		return b.helpModule(n), true
	case "BinaryNotFound", "ChecksumMismatch", "RegistryDenied", "VerificationFailed", "InvalidSchema", "UnknownResourceType", "CRDConflict",
		"NotAllowed", "SourceNotAllowed", "DigestMismatch":
		return Help{"Correct the spec as the message says.", edit(k)}, true
	case "ExecutionUnavailable":
		return Help{
			"Start the controller with --cli=PROGRAM, or cli of the chart; a TerraformProvider can use another " +
				"spec.execution.",
			edit(k),
		}, true
	case "SandboxUnavailable":
		if strings.HasPrefix(n.Message, "--sandbox") {
			return Help{"Run the controller on a machine that the message asks for, or with --sandbox=BestEffort.", b.flags()}, true
		}
		return Help{"Correct the spec as the message says.", edit(k)}, true
	case "SourceNotAvailable":
		if n.Health == status.Failed {
			return Help{"Correct spec.source as the message says, or make what it names available.", edit(k)}, true
		}
		return Help{"Correct spec.source as the message says. It is tried again by itself, and at once with this.", again(k)}, true
	case "ProviderMissing":
		return Help{"Install the provider that the message names.", "kubectl get terraformproviders"}, true
	case "InstallationMisconfigured":
		return Help{"Correct the flags of the controller that the message names.", b.flags()}, true
	}
	if n.row.Deleting && n.Health == status.Retrying {
		return Help{
			"The object cannot be destroyed, for the reason in the message. Correct that; if it only cannot be " +
				"read, have it destroyed as it is stored.",
			"kubectl annotate " + res + " landbridge.io/delete-without-refresh=true",
		}, true
	}
	return Help{}, false
}

// adoption returns the command that adopts the object whose spec.import a message has; "" if it has
// none.
func adoption(n *Node) string {
	m := adopt.FindStringSubmatch(n.Message)
	if m == nil {
		return ""
	}
	var spec json.RawMessage
	if json.NewDecoder(strings.NewReader(m[1])).Decode(&spec) != nil || strings.Contains(string(spec), "'") {
		return ""
	}
	return "kubectl patch " + n.key.resource() + n.key.in() + ` --type=merge -p '{"spec":{"import":` + string(spec) + `}}'`
}

// helpUnknown returns what helps if it is not known whether a create has made an object.
func helpUnknown(n *Node) Help {
	confirmed := ""
	if m := confirm.FindStringSubmatch(n.Message); m != nil {
		confirmed = "kubectl annotate " + n.key.resource() + n.key.in() + " landbridge.io/confirm-create=" + m[1]
	}
	command := adoption(n)
	switch {
	case command != "":
		return Help{"Look whether the object in the message is the one that was created. If it is, adopt it.", command}
	case confirmed == "":
		return Help{"Look for the object at the provider, and adopt it with spec.import.", edit(n.key)}
	case strings.Contains(n.Message, "If it exists, delete it"): // in a module
		return Help{"Look for the object at the provider, and delete it if it exists. Then confirm that it may be created.", confirmed}
	}
	if m := appears.FindStringSubmatch(n.Message); m != nil {
		return Help{
			fmt.Sprintf("Nothing has to be done until %s: then it goes on by itself. If there certainly is no such "+
				"object, confirm that it may be created.", m[1]), confirmed,
		}
	}
	return Help{
		"Look for the object at the provider. If it exists, adopt it with spec.import; if it certainly does not, " +
			"confirm that it may be created.",
		confirmed,
	}
}

// helpModule returns what helps against a module that cannot be used: it is corrected where it is.
func (b *builder) helpModule(n *Node) Help {
	source, _, _ := unstructured.NestedMap(n.object.Object, "spec", "source")
	for _, l := range moduleLinks(n.object, b.s.System) {
		if l.via == viaSource {
			return Help{fmt.Sprintf("Correct the files of the module in the ConfigMap that %s names, as the message says.", l.field), edit(l.Key)}
		}
	}
	if _, ok := source["directory"]; ok {
		return Help{
			"Correct the module in spec.source.directory as the message says. It is read again within half a " +
				"minute, and at once with this.",
			again(n.key),
		}
	}
	return Help{"Correct the module as the message says, and name its new version in spec.source.", edit(n.key)}
}
