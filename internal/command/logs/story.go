package logs

import (
	"fmt"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/stream"
)

// Object is whose story is told.
type Object struct {
	// Kind is KIND.GROUP, such as Password.random.landbridge.io.
	Kind, Namespace, Name string
	// Provider is the name of the TerraformProvider that serves the kind, or that is the object;
	// empty if there is none.
	Provider string
}

// Story selects the entries about an object, in the order of the log.
type Story struct {
	Object Object
	// Since is the time before which nothing is told; zero for all.
	Since time.Time

	// recent are entries of providers that may turn out to be about the object.
	recent []Entry
	// running is the beginning of an operation of the object that is known to run, and of what
	// type.
	running time.Time
	kind    string
	// others are operations of other objects, by type; those that run have no end.
	others []span
}

// span is an operation of an object.
type span struct {
	id, kind   string
	begin, end time.Time
}

const (
	// remembered bounds the entries of providers and the operations of other objects that are
	// remembered.
	remembered = 2000
	// slack is the time around an operation in which the provider may log about it.
	slack = 100 * time.Millisecond
)

// Add takes the next entry, and returns the lines that are known of the object now.
func (s *Story) Add(e Entry) []string {
	switch {
	case s.ofProvider(e):
		return s.addProvider(e)
	case s.mine(e):
		return s.addMine(e)
	case !e.time("began").IsZero():
		s.addOther(e)
	}
	return nil
}

// mine reports whether the entry is about the object.
func (s *Story) mine(e Entry) bool {
	kind := e.text("object")
	if kind == "" {
		kind = e.text("kind")
	}
	return e.text("name") == s.Object.Name && e.text("namespace") == s.Object.Namespace &&
		(kind == s.Object.Kind || s.Object.Namespace == "" && kind == "")
}

// ofProvider reports whether the entry is what the provider of the object has logged, or is about
// the provider.
func (s *Story) ofProvider(e Entry) bool {
	return s.Object.Provider != "" && e.text("provider") == s.Object.Provider
}

func (s *Story) addProvider(e Entry) []string {
	kind := e.text("tf_resource_type")
	switch {
	case kind == "" && (e.Level == "error" || s.Object.Kind == "TerraformProvider.landbridge.io"):
		return s.tell(e, "provider: ") // it ended, for example
	case kind == "":
		return nil
	case !s.running.IsZero() && kind == s.kind:
		return s.tell(e, s.prefix(e, kind))
	}
	if s.recent = append(s.recent, e); len(s.recent) > remembered {
		s.recent = s.recent[len(s.recent)-remembered/2:]
	}
	return nil
}

func (s *Story) addMine(e Entry) []string {
	began := e.time("began")
	if began.IsZero() {
		return s.tell(e, "")
	}
	s.kind = e.text("type")
	// What the provider has logged since it began.
	var out, kept = []string(nil), s.recent[:0]
	for _, p := range s.recent {
		if p.text("tf_resource_type") == s.kind && !p.At.Before(began.Add(-slack)) {
			out = append(out, s.tell(p, s.prefix(p, s.kind))...)
		} else {
			kept = append(kept, p)
		}
	}
	s.recent = kept
	if s.running = began; e.text("outcome") != "" {
		s.running = time.Time{}
	}
	return append(out, s.tell(e, "")...)
}

func (s *Story) addOther(e Entry) {
	other := span{id: e.text("object") + " " + e.text("namespace") + "/" + e.text("name"), kind: e.text("type"), begin: e.time("began")}
	if e.text("outcome") != "" {
		other.end = e.At
	}
	for i := range s.others {
		if s.others[i].id == other.id && s.others[i].end.IsZero() {
			s.others[i] = other
			return
		}
	}
	if s.others = append(s.others, other); len(s.others) > remembered {
		s.others = s.others[len(s.others)-remembered/2:]
	}
}

// prefix returns what is before the text of a provider: whether it may be about another object.
func (s *Story) prefix(e Entry, kind string) string {
	for _, o := range s.others {
		if o.kind == kind && !e.At.Before(o.begin.Add(-slack)) && (o.end.IsZero() || !e.At.After(o.end.Add(slack))) {
			return "provider, of this object or another one: "
		}
	}
	return "provider: "
}

func (s *Story) tell(e Entry, prefix string) []string {
	if e.At.Before(s.Since) {
		return nil
	}
	text := prefix + e.Message
	switch said := e.text("text"); {
	case said != "":
		text = prefix + said
	case e.text("error") != "":
		text += ": " + e.text("error")
	}
	var more []string
	if e.text("outcome") != "" {
		more = append(more, e.text("operation")+" "+strings.ToLower(e.text("outcome"))+" after "+e.text("took"))
	}
	if because := e.text("because"); because != "" {
		more = append(more, "because of "+because)
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	level := ""
	if e.Level == "error" || e.Level == "warn" {
		level = strings.ToUpper(e.Level) + " "
	}
	return []string{fmt.Sprintf("%s  %s%s", e.At.Format("2006-01-02 15:04:05.000"), level, stream.OneLine(text))}
}
