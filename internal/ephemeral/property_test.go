package ephemeral_test

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/ephemeral"
)

// TestDue checks the bounds of every lifetime.
func TestDue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		since := now.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "since")))
		life := time.Duration(rapid.Int64Range(-int64(time.Hour), int64(1000*time.Hour)).Draw(t, "life"))
		l := ephemeral.Lease{Since: since, RenewAt: since.Add(life)}
		due := ephemeral.Due(rapid.String().Draw(t, "name"), l)
		switch {
		case due.Before(since.Add(5 * time.Second)):
			t.Fatalf("with a lifetime of %s it is renewed after %s", life, due.Sub(since))
		case life > 8*time.Second && (!due.Before(l.RenewAt) || l.RenewAt.Sub(due) > max(15*time.Minute, life/2)):
			t.Fatalf("with a lifetime of %s it is renewed %s early", life, l.RenewAt.Sub(due))
		case life > time.Hour && l.RenewAt.Sub(due) > 15*time.Minute:
			t.Fatalf("with a lifetime of %s it is renewed %s early", life, l.RenewAt.Sub(due))
		}
	})
}

// object is one of many in virtual time.
type object struct {
	in ephemeral.Input
	at time.Time // when it is decided next
}

// queue has the objects by the times of their decisions.
type queue []*object

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*object)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// TestThousandOfOneMinute keeps a thousand objects of one minute for five minutes, whose calls take
// time, and sometimes get no answer: none is renewed late, and the calls are spread.
func TestThousandOfOneMinute(t *testing.T) {
	const objects, life, duration = 1000, time.Minute, 5 * time.Minute
	rapid.Check(t, func(t *rapid.T) {
		took := time.Duration(rapid.IntRange(0, 1000).Draw(t, "call takes ms")) * time.Millisecond
		failing := rapid.SampledFrom([]int{0, 4, 10, 100}).Draw(t, "one call of so many fails")
		q := &queue{}
		for i := range objects {
			*q = append(*q, &object{in: ephemeral.Input{Name: fmt.Sprint("object-", i)}, at: now})
		}
		perSecond, calls, late := map[int]int{}, 0, time.Duration(0)
		for q.Len() > 0 {
			o := heap.Pop(q).(*object)
			if o.at.Sub(now) > duration {
				continue
			}
			o.in.Now = o.at
			d := ephemeral.Decide(o.in)
			switch d.Step {
			case ephemeral.Wait:
				o.at = d.Until
				heap.Push(q, o)
				continue
			case ephemeral.Open, ephemeral.Renew:
				if d.Step == ephemeral.Open && o.in.Current != nil {
					t.Fatalf("%s was opened anew at %s: %+v", o.in.Name, o.at, o.in)
				}
			default:
				t.Fatalf("got the step %s", d.Step)
			}
			calls++
			if d.Step == ephemeral.Renew {
				perSecond[int(o.at.Sub(now)/time.Second)]++
			}
			o.at = o.at.Add(took)
			if failing > 0 && o.in.Failures < 2 && o.in.Current != nil && calls%failing == 0 {
				o.in.Failures, o.in.Tried = o.in.Failures+1, o.at
			} else {
				if o.in.Current != nil {
					late = max(late, o.at.Sub(o.in.Current.RenewAt))
				}
				o.in.Current, o.in.Failures = &ephemeral.Lease{Since: o.at, RenewAt: o.at.Add(life)}, 0
			}
			heap.Push(q, o)
		}
		if late > 0 {
			t.Fatalf("a renewal was late by %s", late)
		}
		for second, n := range perSecond {
			if n > 120 {
				t.Fatalf("there were %d calls in second %d", n, second)
			}
		}
		if most := objects * int(duration/life) * 2; calls > most {
			t.Fatalf("there were %d calls, more than %d", calls, most)
		}
	})
}
