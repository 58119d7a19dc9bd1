package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// refused returns the node of the sandbox that has refused what a node failed for, and notes the
// refusal there. It is nil if no sandbox has, or if it is unknown which one.
func (b *builder) refused(n *Node) *Node {
	r, ok := plugin.RefusalIn(n.Message)
	if !ok {
		return nil
	}
	found := sandboxes(n)
	if len(found) != 1 {
		return nil
	}
	found[0].Health, found[0].Reason, found[0].Message = status.Failed, "Refused", r.Sentence
	return found[0]
}

// sandboxes returns the nodes of the sandboxes of the providers that a node uses, each once.
func sandboxes(n *Node) (out []*Node) {
	for i := range n.Nodes {
		switch child := &n.Nodes[i]; child.via {
		case viaSandbox:
			if child.Reason == "Enforced" || child.Reason == "Refused" {
				out = append(out, child)
			}
		case viaOwner, viaProvider:
			for _, s := range sandboxes(child) {
				if !slices.ContainsFunc(out, func(o *Node) bool { return o.key == s.key }) {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// helpRefusal returns what helps against the refusal of a sandbox. provider is the
// TerraformProvider; nil if it is unknown which.
func helpRefusal(r plugin.Refused, key Key, provider *unstructured.Unstructured) Help {
	name, inSpec := strings.CutPrefix(r.Setting, "spec.sandbox.")
	switch {
	case !inSpec && r.Value == "":
		return Help{Text: fmt.Sprintf("Start the controller with another folder in %s.", r.Setting)}
	case !inSpec:
		return Help{Text: fmt.Sprintf("Start the controller with %s=%s.", r.Setting, r.Value)}
	case provider == nil:
		return Help{fmt.Sprintf("Permit it in %s of the provider that was refused it.", r.Setting), "kubectl get terraformproviders"}
	case r.Value == "":
		return Help{fmt.Sprintf("Name another folder in %s, and have the provider use it.", r.Setting), edit(key)}
	}
	// A merge replaces lists as a whole.
	values, _, _ := unstructured.NestedSlice(provider.Object, "spec", "sandbox", name)
	var value any = r.Value
	if port, err := strconv.ParseInt(r.Value, 10, 64); err == nil && name == "connect" {
		value = port
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"sandbox": map[string]any{name: append(values, value)}}})
	if err != nil || strings.Contains(string(patch), "'") {
		return Help{fmt.Sprintf("Add %s to %s, if the provider may have it.", r.Value, r.Setting), edit(key)}
	}
	return Help{fmt.Sprintf("Add %s to %s, if the provider may have it.", r.Value, r.Setting),
		"kubectl patch " + key.resource() + " --type=merge -p '" + string(patch) + "'"}
}
