package brake

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// tally is what was destroyed within a Window, beside the resource of a destroy.
type tally struct {
	// all and ofKind are by namespace, ofKind of those of the destroy's kind.
	all, ofKind []int
	// gone is how many of the kind were destroyed in the whole account.
	gone int
}

// others returns what is counted in an account.
func (a *account) others(d Destroy) (out tally) {
	for _, p := range a.parts {
		all, ofKind := p.count(d)
		if out.gone += ofKind; !p.own {
			out.all, out.ofKind = append(out.all, all), append(out.ofKind, ofKind)
		}
	}
	return out
}

// others returns what is counted in a namespace.
func (p *part) others(d Destroy) tally {
	all, ofKind := p.count(d)
	return tally{all: []int{all}, ofKind: []int{ofKind}, gone: p.of.others(d).gone}
}

// count returns how many other resources than that of a destroy are counted, and how many of them
// are of its kind. One that is tried again is counted once.
func (p *part) count(d Destroy) (all, ofKind int) {
	seen := map[types.UID]bool{d.ID: true}
	for _, c := range p.counted {
		if seen[c.id] {
			continue
		}
		if seen[c.id] = true; c.kind == d.Kind {
			ofKind++
		}
	}
	return len(seen) - 1, ofKind
}

// exceed returns why one more destroy exceeds the limit; empty if it does not.
func (t tally) exceed(d Destroy) string {
	whose := ""
	if len(t.all) > 1 {
		whose = " of several namespaces"
	}
	if reached(t.all, d.Limit.Destroys) {
		return fmt.Sprintf("%d objects%s were destroyed within a minute", sum(t.all), whose)
	}
	if d.Limit.Share <= 0 || d.Others == nil {
		return ""
	}
	kind := d.Others() + t.gone + 1
	if reached(t.ofKind, max(Few, d.Limit.Share*kind/100)) {
		return fmt.Sprintf("%d of %d objects of the kind %s%s were destroyed within a minute", sum(t.ofKind), kind, d.Kind, whose)
	}
	return ""
}

// exceedsFew reports whether one more destroy exceeds what may begin while it is not known what was
// destroyed before.
func (p *part) exceedsFew(d Destroy) bool {
	few := min(Few, d.Limit.Destroys)
	return reached(p.others(d).all, few) || !p.own && reached(p.of.others(d).all, few)
}

// reached reports whether counts of namespaces reach a limit: that of one namespace alone, or of
// several, each of which counts for half of the limit at most.
func reached(counts []int, limit int) bool {
	if len(counts) == 1 {
		return counts[0] >= limit
	}
	n := 0
	for _, c := range counts {
		n += min(c, (limit+1)/2)
	}
	return n >= limit
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
