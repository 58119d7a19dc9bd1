package cloud

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// effects is what all faults of one request add up to.
type effects struct {
	delay        time.Duration
	drop         bool
	status       int
	loseAnswer   bool
	taskDelay    time.Duration
	taskOutcome  string
	visibleAfter time.Duration
}

func (e *effects) add(f *api.Fault) {
	e.delay += time.Duration(f.Delay)
	e.drop = e.drop || f.Drop
	e.loseAnswer = e.loseAnswer || f.LoseAnswer
	if f.Status != 0 {
		e.status = f.Status
	}
	if f.TaskDelay != 0 {
		e.taskDelay = time.Duration(f.TaskDelay)
	}
	if f.TaskOutcome != "" {
		e.taskOutcome = f.TaskOutcome
	}
	if f.VisibleAfter != 0 {
		e.visibleAfter = time.Duration(f.VisibleAfter)
	}
}

// faults are those that were asked for and are not used up.
type faults struct {
	mutex  sync.Mutex
	active []*fault
}

type fault struct {
	api.Fault
	seen int
}

// concerns reports whether the fault is for a request, regardless of its count.
func (f *fault) concerns(on, collection string, about object) bool {
	return (f.On == "" || f.On == on) && (f.Collection == "" || f.Collection == collection) && about.matches(f.Match)
}

// take collects the effects for one request and counts it.
func (all *faults) take(on, collection string, about func() object) effects {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	var sum effects
	if len(all.active) == 0 {
		return sum
	}
	object := about()
	all.active = slices.DeleteFunc(all.active, func(f *fault) bool {
		if !f.concerns(on, collection, object) {
			return false
		}
		f.seen++
		if f.seen > f.Skip {
			sum.add(&f.Fault)
		}
		return f.Count > 0 && f.seen >= f.Skip+f.Count
	})
	return sum
}

func (all *faults) add(f api.Fault) (api.Fault, *api.Error) {
	if err := checkFault(f); err != nil {
		return f, err
	}
	f.ID = "fault-" + randomHex(4)
	all.mutex.Lock()
	defer all.mutex.Unlock()
	all.active = append(all.active, &fault{Fault: f})
	return f, nil
}

func (all *faults) list() []api.Fault {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	list := []api.Fault{}
	for _, f := range all.active {
		list = append(list, f.Fault)
	}
	return list
}

// remove removes the fault with an id, or all for "".
func (all *faults) remove(id string) {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	all.active = slices.DeleteFunc(all.active, func(f *fault) bool { return id == "" || f.ID == id })
}

func checkFault(f api.Fault) *api.Error {
	ons := []string{"", api.OnCreate, api.OnRead, api.OnList, api.OnUpdate, api.OnDelete, api.OnTask}
	switch {
	case !slices.Contains(ons, f.On):
		return invalid("on is one of %q", ons[1:])
	case f.Collection != "" && f.Collection != "tasks" && kinds[f.Collection] == nil:
		return invalid("there is no collection %q", f.Collection)
	case !slices.Contains([]string{"", api.OutcomeFail, api.OutcomeHang}, f.TaskOutcome):
		return invalid("task_outcome is %q or %q", api.OutcomeFail, api.OutcomeHang)
	case f.Status != 0 && (f.Status < 400 || f.Status > 599):
		return invalid("status is between 400 and 599")
	case f.Skip < 0 || f.Count < 0:
		return invalid("skip and count are not negative")
	}
	var sum effects
	if sum.add(&f); sum == (effects{}) {
		return invalid("the fault has no effect: give it one of delay, drop, status, lose_answer, task_delay, task_outcome, visible_after")
	}
	return nil
}

// headerFault reads the fault that a request brings along.
func headerFault(r *http.Request, sum *effects) *api.Error {
	header := r.Header.Get(api.FaultHeader)
	if header == "" {
		return nil
	}
	var f api.Fault
	if err := decodeStrict([]byte(header), &f); err != nil {
		return invalid("header %s: %s", api.FaultHeader, err)
	}
	if err := checkFault(f); err != nil {
		return err
	}
	sum.add(&f)
	return nil
}
