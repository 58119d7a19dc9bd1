package ui

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// Trouble is what kind of attention an object needs.
type Trouble string

// The values of Trouble, the most urgent first.
const (
	UnknownOutcome Trouble = "Unknown outcome"
	Failed         Trouble = "Failed"
	Conflict       Trouble = "Conflict"
	Retrying       Trouble = "Retrying"
	NeverSettles   Trouble = "Never settles"
	AwaitsApproval Trouble = "Awaits approval"
	Held           Trouble = "Version held"
	Drifted        Trouble = "Drifted"
	Waiting        Trouble = "Waiting"
	Unseen         Trouble = "Not looked at"
)

var troubles = []Trouble{UnknownOutcome, Failed, Conflict, Retrying, NeverSettles, AwaitsApproval, Held, Drifted, Waiting, Unseen}

// unseenAfter is how long the controller may take to look at an object.
const unseenAfter = time.Minute

// maxMembers bounds the objects of a group that are named.
const maxMembers = 50

// Attention is what needs attention, grouped by cause.
type Attention struct {
	// Resources is the number of managed resources, and Ready that of those that are ready.
	Resources int            `json:"resources"`
	Ready     int            `json:"ready"`
	Counts    []TroubleCount `json:"counts"`
	Groups    []Group        `json:"groups"`
	// Listed is set if all existing objects are known. Unread are kinds that could not be listed.
	Listed bool     `json:"listed"`
	Unread []Unread `json:"unread,omitempty"`
}

// TroubleCount is how many objects have a trouble.
type TroubleCount struct {
	Trouble Trouble `json:"trouble"`
	Count   int     `json:"count"`
}

// Group are objects whose trouble has one cause.
type Group struct {
	Trouble Trouble `json:"trouble"`
	Reason  string  `json:"reason,omitempty"`
	// Cause is the object that is the cause, if that is another one than the members. Missing is
	// set if it does not exist.
	Cause   *explain.Key `json:"cause,omitempty"`
	Missing bool         `json:"missing,omitempty"`
	// Message is the first sentence of what is wrong with the cause.
	Message string `json:"message,omitempty"`
	Count   int    `json:"count"`
	// Members are the objects, at most 50.
	Members []Line `json:"members"`
	// Command shows what helps, or is it.
	Command string `json:"command"`
}

// More is the number of members that are not named.
func (g Group) More() int { return g.Count - len(g.Members) }

// CauseName is the cause for people; "" if it is the members.
func (g Group) CauseName() string {
	if g.Cause == nil {
		return ""
	}
	return g.Cause.String()
}

// CauseLine is the cause as an object in a list.
func (g Group) CauseLine() Line { return Line{Key: *g.Cause} }

// AttentionOf returns what needs attention.
func AttentionOf(c Content, now time.Time) Attention {
	out := Attention{Listed: c.Listed, Unread: c.Unread}
	counts, groups := map[Trouble]int{}, map[string]*Group{}
	for _, e := range c.Entries {
		if !e.Supporting {
			out.Resources++
			if e.Health == status.Ready {
				out.Ready++
			}
		}
		t := troubleOf(e, now)
		if t == "" {
			continue
		}
		counts[t]++
		id, g := groupOf(c, e, t, now)
		if old := groups[id]; old == nil {
			groups[id] = &g
		} else if slices.Index(troubles, g.Trouble) < slices.Index(troubles, old.Trouble) {
			old.Trouble, old.Reason = g.Trouble, g.Reason
		}
		groups[id].add(e)
	}
	for _, t := range troubles {
		if counts[t] > 0 {
			out.Counts = append(out.Counts, TroubleCount{t, counts[t]})
		}
	}
	for _, g := range groups {
		out.Groups = append(out.Groups, *g)
	}
	slices.SortFunc(out.Groups, func(a, b Group) int {
		return cmp.Or(
			cmp.Compare(slices.Index(troubles, a.Trouble), slices.Index(troubles, b.Trouble)), cmp.Compare(b.Count, a.Count),
			strings.Compare(a.Reason, b.Reason), strings.Compare(a.Message, b.Message), compareKeys(a.Members[0].Key, b.Members[0].Key))
	})
	return out
}

// conflicts are the reasons with which an object belongs to another resource.
var conflicts = map[string]bool{
	string(decision.ReasonIdentityConflict): true, string(decision.ReasonAlreadyExists): true, string(v1alpha1.ReasonCRDConflict): true,
}

// troubleOf returns what kind of attention an object needs; "" for none.
func troubleOf(e *Entry, now time.Time) Trouble {
	switch {
	case e.Health == status.Paused, e.Health == status.Changing && e.Operation != nil:
		return ""
	case e.Reason == string(decision.ReasonCreateOutcomeUnknown):
		return UnknownOutcome
	case conflicts[e.Reason]:
		return Conflict
	case e.NeverSettles:
		return NeverSettles
	case e.Plan != nil:
		return AwaitsApproval
	case e.Reason == string(v1alpha1.ReasonChangesHeld), e.Reason == string(v1alpha1.ReasonUpgradeHeld):
		return Held
	}
	switch e.Health {
	case status.Failed:
		return Failed
	case status.Retrying:
		return Retrying
	case status.Waiting:
		return Waiting
	case status.Unseen:
		if now.Sub(e.Created) > unseenAfter {
			return Unseen
		}
		return ""
	}
	if e.Drifted {
		return Drifted
	}
	return ""
}

// maxChain bounds the chain from an object to the cause.
const maxChain = 20

// causeOf follows the chain from an object to the one that is the cause. It is the object itself if
// no other one is blamed.
func causeOf(c Content, e *Entry) (cause explain.Key, missing bool) {
	seen := map[explain.Key]bool{}
	for range maxChain {
		seen[e.Key] = true
		next, gone, found := blamedBy(c, e)
		switch {
		case !found || seen[next]:
			return e.Key, false
		case gone:
			return next, true
		}
		at := c.Find(next)
		if at == nil || at.Health == status.Ready {
			return next, false
		}
		e = at
	}
	return e.Key, false
}

// blamedBy returns the dependency that is to blame for the trouble of an object.
func blamedBy(c Content, e *Entry) (_ explain.Key, missing, found bool) {
	all, certain := explain.Blamed(e.Reason, e.Message, e.Uses)
	for _, d := range all {
		if d.Name == "" {
			continue // the message says which object is selected
		}
		at := c.Find(d.Key)
		switch {
		case certain:
			return d.Key, false, true
		case at == nil && e.Reason == "ReferenceNotResolved" && c.Listed:
			return d.Key, true, true
		case at != nil && at.Health != status.Ready:
			return d.Key, false, true
		}
	}
	return explain.Key{}, false, false
}

// groupOf returns the group of an object, without members, and what identifies it. Objects that
// wait for one that is in trouble itself are of its group.
func groupOf(c Content, e *Entry, t Trouble, now time.Time) (id string, _ Group) {
	cause, missing := causeOf(c, e)
	if at := c.Find(cause); cause != e.Key && at != nil {
		if other := troubleOf(at, now); other != "" {
			e, t = at, other
		}
	}
	g := Group{Trouble: t, Reason: e.Reason, Command: helpFor(e, t)}
	if e.Message != "" {
		g.Message = explain.FirstSentence(e.Message)
	}
	if cause != e.Key {
		g.Cause, g.Missing = &cause, missing
		g.Command = "landbridge explain " + e.Key.Resource() + e.Key.In()
		return kindOf(cause) + "\x00" + cause.Namespace + "/" + cause.Name, g
	}
	config := e.ProviderConfig.Kind + "/" + e.ProviderConfig.Name
	if e.ProviderConfig.Kind == model.ProviderConfigKind {
		config += " in " + e.Key.Namespace
	}
	return strings.Join([]string{string(t), e.Reason, config, alike(g.Message, e.Key)}, "\x00"), g
}

// add adds an object to the members.
func (g *Group) add(e *Entry) {
	if g.Count++; len(g.Members) < maxMembers {
		g.Members = append(g.Members, e.Line())
	}
}

// particular is what differs between messages about the same cause: quoted texts, and words with
// digits.
var particular = regexp.MustCompile(`"[^"]*"|\S*[0-9]\S*`)

// alike returns a message without what is particular to one object.
func alike(message string, k explain.Key) string {
	return particular.ReplaceAllString(strings.ReplaceAll(message, k.Name, "…"), "…")
}

// helpFor returns the command for a trouble of an object.
func helpFor(e *Entry, t Trouble) string {
	what := e.Key.Resource() + e.Key.In()
	switch t {
	case AwaitsApproval:
		return "landbridge approve " + what
	case Drifted:
		return "landbridge adopt-drift " + what
	}
	return "landbridge explain " + what
}
