package cloud

import (
	"net/http"
	"reflect"
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
	hiddenFrom   string
	seenFirst    int
	goneAfter    time.Duration
	reservedFor  time.Duration
	staleFor     time.Duration
	newID        bool
	expiresAfter time.Duration
	clock        time.Duration

	statusAfter int
	code        string
	message     string
	retryAfter  time.Duration
	retryAtDate bool

	normalise map[string][]string // by kind, the fields
	values    object              // what is answered instead
}

// add adds the effects of a fault that has been used so many times before.
func (e *effects) add(f *api.Fault, used int) {
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
		e.visibleAfter, e.hiddenFrom, e.seenFirst = time.Duration(f.VisibleAfter), f.HiddenFrom, f.SeenFirst
	}
	if f.StatusAfter != 0 {
		e.statusAfter = f.StatusAfter
	}
	if f.Status != 0 || f.StatusAfter != 0 {
		e.code, e.message = f.Code, f.Message
		e.retryAfter, e.retryAtDate = time.Duration(f.RetryAfter), f.RetryAtDate
	}
	e.goneAfter = max(e.goneAfter, time.Duration(f.GoneAfter))
	e.reservedFor = max(e.reservedFor, time.Duration(f.ReservedFor))
	e.staleFor = max(e.staleFor, time.Duration(f.StaleFor))
	e.newID = e.newID || f.NewID
	if f.ExpiresAfter != 0 {
		e.expiresAfter = time.Duration(f.ExpiresAfter)
	}
	e.clock += time.Duration(f.Clock)
	if f.Normalise != "" {
		if e.normalise == nil {
			e.normalise = map[string][]string{}
		}
		e.normalise[f.Normalise] = append(e.normalise[f.Normalise], f.Fields...)
	}
	for field, values := range f.Values {
		if e.values == nil {
			e.values = object{}
		}
		e.values[field] = values[used%len(values)]
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
	// used is when it was used first.
	used time.Time
}

// over reports whether a fault that lasts for some time has ended.
func (f *fault) over(now time.Time) bool {
	return f.Lasts > 0 && !f.used.IsZero() && now.Sub(f.used) >= time.Duration(f.Lasts)
}

// concerns reports whether the fault is for a request, regardless of its count.
func (f *fault) concerns(on, collection string, about object) bool {
	return (f.On == "" || f.On == on) && (f.Collection == "" || f.Collection == collection) && about.matches(f.Match)
}

// take collects the effects for one request and counts it.
func (all *faults) take(on, collection string, about func() object, now time.Time) effects {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	var sum effects
	if len(all.active) == 0 {
		return sum
	}
	object := about()
	all.active = slices.DeleteFunc(all.active, func(f *fault) bool {
		if f.over(now) {
			return true
		}
		if !f.concerns(on, collection, object) {
			return false
		}
		f.seen++
		if f.seen > f.Skip {
			if f.used.IsZero() {
				f.used = now
			}
			sum.add(&f.Fault, f.seen-f.Skip-1)
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
	case f.Status != 0 && (f.Status < 400 || f.Status > 599), f.StatusAfter != 0 && (f.StatusAfter < 400 || f.StatusAfter > 599):
		return invalid("status and status_after are between 400 and 599")
	case f.Status == 0 && f.StatusAfter == 0 && (f.Code != "" || f.Message != "" || f.RetryAfter != 0 || f.RetryAtDate):
		return invalid("code, message, retry_after and retry_at_date are for an answer with a status")
	case !slices.Contains([]string{"", api.OnRead, api.OnList}, f.HiddenFrom):
		return invalid("hidden_from is %q or %q", api.OnRead, api.OnList)
	case f.VisibleAfter == 0 && (f.HiddenFrom != "" || f.SeenFirst != 0):
		return invalid("hidden_from and seen_first are for visible_after")
	case f.Normalise != "" && !slices.Contains(api.Normalisations, f.Normalise):
		return invalid("normalise is one of %q", api.Normalisations)
	case (f.Normalise == "") != (len(f.Fields) == 0):
		return invalid("normalise and fields belong together")
	case f.Skip < 0 || f.Count < 0 || f.Lasts < 0 || f.SeenFirst < 0:
		return invalid("skip, count, lasts and seen_first are not negative")
	}
	for field, values := range f.Values {
		if len(values) == 0 {
			return invalid("values of %s are missing", field)
		}
	}
	var sum effects
	if sum.add(&f, 0); reflect.DeepEqual(sum, effects{}) {
		return invalid("the fault has no effect: give it one of delay, drop, status, status_after, lose_answer, task_delay, task_outcome, " +
			"visible_after, gone_after, reserved_for, stale_for, new_id, expires_after, clock, normalise, values")
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
	sum.add(&f, 0)
	return nil
}
