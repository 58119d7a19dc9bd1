package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// The health of nodes beyond those of status.Health.
const (
	// missing: the object does not exist.
	missing status.Health = "Missing"
	// unknown: it could not be read, or nothing tells.
	unknown status.Health = "Unknown"
)

// Explanation says how an object is doing, and why.
type Explanation struct {
	Key
	At     time.Time     `json:"at"`
	Health status.Health `json:"health"`
	// Summary is one line: how the object is doing, and the cause.
	Summary string `json:"summary"`
	// Tree is the chain from the object to the cause. Exactly one node is the cause, unless the
	// object is Ready.
	Tree Node `json:"tree"`
	// History is what happened to the object, the oldest first.
	History []Happening `json:"history,omitempty"`
	// NextAttempt is when what failed is tried again; zero if that is unknown, or nothing failed.
	NextAttempt time.Time `json:"nextAttempt,omitzero"`
	// Help is what to do.
	Help Help `json:"help"`
}

// Node is an object in the chain, or a part of the controller.
type Node struct {
	// Name of the object, such as Password team-a/db, or of a part of the controller, such as
	// provider process.
	Name string `json:"name"`
	// Via is how the object above depends on it, such as a field; empty for the first.
	Via    string        `json:"via,omitempty"`
	Health status.Health `json:"health"`
	// Reason is that of its condition, and Message is the whole message.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Cause is set on the node that is the cause.
	Cause bool   `json:"cause,omitempty"`
	Nodes []Node `json:"nodes,omitempty"`

	key     Key
	object  *unstructured.Unstructured
	row     status.Row
	via     via
	link    link
	process bool
}

// ok reports whether nothing is wrong with the node.
func (n *Node) ok() bool { return n.Health == status.Ready }

// Happening is what happened to an object.
type Happening struct {
	// At is when, and Since when it first happened if it did several times.
	At    time.Time `json:"at"`
	Since time.Time `json:"since,omitzero"`
	Count int32     `json:"count,omitempty"`
	// Reason is that of an event; What is its text.
	Reason string `json:"reason,omitempty"`
	What   string `json:"what"`
}

// Help is what helps.
type Help struct {
	// Text says what to do. Command is the command for it; empty if nothing has to be done, or no
	// command does it.
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
}

// Explain explains the subject of a snapshot. Its object must be in the snapshot.
func Explain(s *Snapshot) Explanation {
	b := builder{s: s, seen: map[Key]bool{}}
	root := b.node(link{Key: s.Subject})
	root.Nodes = append(root.Nodes, b.controller(&root))
	out := Explanation{Key: s.Subject, At: s.At, Health: root.Health, History: s.history(root.object)}
	cause := b.cause(&root)
	unattended := b.idle(&root, cause)
	if unattended != nil {
		cause = unattended
	}
	cause.Cause = !root.ok() || cause != &root
	out.Summary = summary(&root, cause)
	if !root.ok() && unattended == nil {
		out.NextAttempt = nextAttempt(&root, s.At)
	}
	out.Help = b.help(&root, cause, out.NextAttempt)
	out.Tree = root
	return out
}

type builder struct {
	s    *Snapshot
	seen map[Key]bool
}

// node returns the node of an object, with what it depends on.
func (b *builder) node(l link) Node {
	n := Node{Name: l.Key.String(), Via: l.field, key: l.Key, via: l.via, link: l}
	if why := b.s.unread(l.Key); why != "" {
		n.Health, n.Message = unknown, why
		return n
	}
	if n.object = b.s.find(l.Key); n.object == nil {
		n.Health, n.Reason = missing, "NotFound"
		return n
	}
	if l.Group == "" {
		n.Health = status.Ready // it exists, and has no conditions
		return n
	}
	n.row = status.RowOf(n.object)
	n.Health, n.Reason, n.Message = n.row.Health, n.row.Reason, n.row.Message
	if n.Health == status.Unseen {
		n.Reason, n.Message = "Unseen", unseen(n.object)
	}
	if l.Group == landbridgeGroup && n.row.Deleting && n.Message == "" {
		n.Message = messageOf(n.object, "Healthy") // which has what its removal waits for
	}
	if b.seen[l.Key] {
		n.Message = "" // it stands in the tree already
		return n
	}
	b.seen[l.Key] = true
	defer delete(b.seen, l.Key)
	for _, next := range b.s.links(n.object) {
		if l.via == viaConfig && next.via == viaOwner {
			continue // the resource has it, too
		}
		n.Nodes = append(n.Nodes, b.dependency(&n, next)...)
	}
	if l.Group == landbridgeGroup && l.Kind == "TerraformProvider" {
		n.Nodes = append(n.Nodes, sandbox(&n)...)
	}
	if process := processOf(&n); process != nil {
		n.Nodes = append(n.Nodes, *process)
	}
	return n
}

// dependency returns the nodes of a link. Those that a selector selects may be several, or none.
func (b *builder) dependency(of *Node, l link) []Node {
	if l.Name != "" {
		n := b.node(l)
		if l.via == viaConfig && n.Health == missing && of.Reason != "ProviderConfigError" {
			n.Health, n.Reason, n.Message = status.Ready, "", "There is none, and the provider is used without settings."
		}
		if l.via == viaSecret && n.ok() && l.key != "" {
			n.Via += ", key " + l.key
		}
		return []Node{n}
	}
	var out []Node
	for _, u := range b.s.selected(l) {
		at := l
		at.Name = u.GetName()
		out = append(out, b.node(at))
	}
	if out == nil {
		out = []Node{{
			Name: l.Kind + " " + l.Namespace + "/?", Via: l.field, Health: missing, Reason: "NotFound",
			Message: "The selector of the reference selects none.", via: l.via, link: l, key: l.Key,
		}}
	}
	return out
}

func unseen(u *unstructured.Unstructured) string {
	if _, found, _ := unstructured.NestedSlice(u.Object, "status", "conditions"); !found {
		return fmt.Sprintf("The controller has not looked at it since it was created, at %s.",
			u.GetCreationTimestamp().UTC().Format(time.DateTime))
	}
	return "The controller has not looked at it since its spec was changed. Its conditions are those before the change."
}

// sandbox returns a node with the sandbox of a provider.
func sandbox(provider *Node) []Node {
	state, _, _ := unstructured.NestedString(provider.object.Object, "status", "sandbox")
	if state == "" {
		return nil
	}
	n := Node{Name: "sandbox", Health: status.Ready, via: viaSandbox, key: provider.key, object: provider.object, Message: map[string]string{
		"Enforced":    "The provider can use only its own folder, and what spec.sandbox of the TerraformProvider opens.",
		"Unavailable": "The kernel has none, so the provider is not restricted.",
		"Off":         "It is off, so the provider is not restricted.",
	}[state], Reason: state}
	return []Node{n}
}

// processOf returns a node for the process of the provider of a resource that cannot use it; nil if
// it is not known to be the trouble.
func processOf(n *Node) *Node {
	if slices.ContainsFunc(n.Nodes, func(child Node) bool { return child.via == viaConfig && child.Reason == n.Reason }) {
		return nil // it is that of the configuration
	}
	var says string
	switch {
	case unusable(n.Message):
		return nil // it is the configuration
	case n.Reason == "ProviderUnavailable":
		says = "The provider cannot be used with this configuration."
	case n.Reason == "ProviderThrottled":
		says = "The provider's cloud throttles this configuration."
	default:
		return nil
	}
	return &Node{
		Name: "provider process", Health: status.Retrying, Reason: n.Reason, Message: cmp.Or(n.Message, says),
		process: true, key: n.key,
	}
}

// cause follows the chain from a node down to the node that is the cause.
func (b *builder) cause(n *Node) *Node {
	if n.ok() {
		return n
	}
	if refused := b.refused(n); refused != nil {
		return refused
	}
	if config := configOf(n); config != nil && unusable(n.Message) {
		config.Health, config.Reason, config.Message = status.Retrying, n.Reason, n.Message
		return config
	}
	for _, v := range causesOf(n.Reason) {
		for i := range n.Nodes {
			child := &n.Nodes[i]
			if child.ok() || child.Health == unknown || v == viaSecret && child.Health != missing {
				continue
			}
			if v == "process" && child.process || v == "controller" && child.Name == "controller" || v == child.via && child.via != "" {
				return b.cause(child)
			}
		}
	}
	return n
}

// unusable reports whether a message is about calls that fail because of the credentials or the
// endpoint of a configuration.
func unusable(message string) bool {
	return strings.Contains(message, "Provider configuration does not work")
}

// configOf returns the provider configuration of a resource; nil if there is none, or several.
func configOf(n *Node) (config *Node) {
	for i := range n.Nodes {
		if n.Nodes[i].via != viaConfig || n.Nodes[i].object == nil {
			continue
		}
		if config != nil {
			return nil
		}
		config = &n.Nodes[i]
	}
	return config
}

// causesOf returns which dependencies may be the cause of a reason, the likeliest first.
func causesOf(reason string) []via {
	switch reason {
	case "ReferenceNotResolved":
		return []via{viaReference}
	case "InvalidConfiguration":
		return []via{viaSecret}
	case "ProviderConfigError", "NamespaceNotAllowed":
		return []via{viaConfig, viaSecret, viaOwner}
	case "ProviderUnavailable", "ProviderThrottled":
		return []via{viaConfig, viaOwner, "process"}
	case "NoController":
		return []via{viaOwner, viaProvider}
	case "SourceNotAvailable":
		return []via{viaSource, viaSecret}
	case "ProviderMissing":
		return []via{viaProvider}
	case "Unseen":
		return []via{viaOwner, "controller"}
	case "Deferred":
		return []via{viaReference, viaConfig}
	case "ShardWithoutReplica":
		return []via{viaShard}
	}
	return nil
}

var words = map[status.Health]string{
	status.Ready: "is ready", status.Paused: "is paused", status.Changing: "is being changed", status.Unseen: "was not looked at yet",
	status.Waiting: "waits", status.Retrying: "is not ready, and is tried again", status.Failed: "is not ready, and needs a change",
}

// summary returns how the object is doing, and the cause.
func summary(root, cause *Node) string {
	out := root.Name + " " + words[root.Health]
	if root.row.Deleting {
		out = root.Name + " is being deleted"
		if root.Health != status.Changing || cause.Name == "controller" || cause.via == viaShard {
			out += ", which does not go on"
		}
	}
	if cause.Name == "controller" || cause.via == viaShard { // no replica works on it
		switch {
		case root.row.Deleting:
		case root.Health == status.Retrying:
			out = root.Name + " is not ready, and is not tried again"
		case root.Health == status.Changing:
			out = root.Name + " is being changed, which does not go on"
		}
	}
	switch {
	case root.row.Operation != nil && cause == root:
		return out + ": its " + root.row.Operation.Kind + " is running."
	case cause == root && root.ok():
		return out + "."
	case cause == root && root.Message == "":
		return out + strings.TrimSuffix(": "+root.Reason, ": ") + "."
	case cause == root:
		return out + ": " + FirstSentence(root.Message)
	case cause.Health == missing && cause.link.Name == "":
		return out + ": no " + cause.link.Kind + " is selected."
	case cause.Health == missing:
		return out + ": there is no " + cause.Name + "."
	case cause.Message != "":
		return out + ", because of " + cause.Name + ": " + FirstSentence(cause.Message)
	default:
		return out + ", because of " + cause.Name + "."
	}
}

// FirstSentence returns the first sentence of a message, in one line.
func FirstSentence(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	if i := strings.Index(message, ". "); i >= 0 {
		return message[:i+1]
	}
	return strings.TrimSuffix(message, ".") + "."
}

// nextAttempt returns when a node, or what it waits for, is tried again.
func nextAttempt(n *Node, now time.Time) time.Time {
	var out time.Time
	if n.object != nil {
		for _, c := range Conditions(n.object) {
			if at := crd.NextAttemptIn(c.Message); at.After(now) {
				out = at
			}
		}
	}
	return out
}

// Conditions returns the conditions of an object, with their whole messages.
func Conditions(u *unstructured.Unstructured) []metav1.Condition {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	out := make([]metav1.Condition, 0, len(list))
	for _, x := range list {
		m, _ := x.(map[string]any)
		text := func(name string) string { s, _ := m[name].(string); return s }
		c := metav1.Condition{Type: text("type"), Status: metav1.ConditionStatus(text("status")), Reason: text("reason")}
		c.Message = crd.WholeMessage(u, c.Type, text("message"))
		at, _ := time.Parse(time.RFC3339, text("lastTransitionTime")) // zero if it is malformed
		c.LastTransitionTime = metav1.NewTime(at)
		out = append(out, c)
	}
	return out
}

// messageOf returns the message of a condition; "" if there is none.
func messageOf(u *unstructured.Unstructured, of string) string {
	for _, c := range Conditions(u) {
		if c.Type == of {
			return c.Message
		}
	}
	return ""
}

// maxEvents bounds the events of a history.
const maxEvents = 12

// history returns what happened to an object.
func (s *Snapshot) history(u *unstructured.Unstructured) []Happening {
	if u == nil {
		return nil
	}
	out := []Happening{{At: u.GetCreationTimestamp().Time, What: "The object was created."}}
	var events []Happening
	for _, e := range s.Events {
		at := lastTime(e)
		h := Happening{At: at, Reason: e.Reason, What: e.Message, Count: max(e.Count, 1)}
		if first := e.FirstTimestamp.Time; h.Count > 1 && first.Before(at) {
			h.Since = first
		}
		events = append(events, h)
	}
	slices.SortStableFunc(events, func(a, b Happening) int { return a.At.Compare(b.At) })
	out = append(out, events[max(0, len(events)-maxEvents):]...)
	if t := u.GetDeletionTimestamp(); t != nil {
		out = append(out, Happening{At: t.Time, What: "The deletion of the object was requested."})
	}
	row := status.RowOf(u)
	if op := row.Operation; op != nil && !op.StartedAt.IsZero() {
		what := op.Kind + " began, and is running."
		if !op.Deadline.IsZero() {
			what = op.Kind + " began, and is running. It times out at " + op.Deadline.UTC().Format(time.RFC3339) + "."
		}
		out = append(out, Happening{At: op.StartedAt, What: what})
	}
	for _, c := range Conditions(u) {
		if c.Type == "Ready" && !c.LastTransitionTime.IsZero() {
			out = append(out, Happening{At: c.LastTransitionTime.Time, What: "Ready is " + string(c.Status) + " since then."})
		}
	}
	slices.SortStableFunc(out, func(a, b Happening) int { return a.At.Compare(b.At) })
	return out
}

func lastTime(e corev1.Event) time.Time {
	switch {
	case e.Series != nil && !e.Series.LastObservedTime.IsZero():
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}

// TheCause returns the node that is the cause; nil if there is none.
func (n *Node) TheCause() *Node {
	if n.Cause {
		return n
	}
	for i := range n.Nodes {
		if c := n.Nodes[i].TheCause(); c != nil {
			return c
		}
	}
	return nil
}
