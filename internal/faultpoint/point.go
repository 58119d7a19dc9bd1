package faultpoint

import (
	"fmt"
	"slices"
	"strings"
)

// Point is a point between two steps of a process.
type Point struct {
	Process Process
	Step    Step
}

// String returns the point's name.
func (p Point) String() string { return string(p.Process) + "/" + string(p.Step) }

// Process is a sequence of steps.
type Process string

// The operations on remote objects.
const (
	Create Process = "create"
	Update Process = "update"
	Delete Process = "delete"
	// Destroy and Recreate are the halves of a replacement that destroys first, CreateFirst and
	// DestroyDeposed those of one that creates first.
	Destroy        Process = "destroy"
	Recreate       Process = "recreate"
	CreateFirst    Process = "create-first"
	DestroyDeposed Process = "destroy-deposed"
)

// Other results that are stored.
const (
	// RecoverCreate and Recover find the outcome of an interrupted operation.
	RecoverCreate Process = "recover-create"
	Recover       Process = "recover"
	// Import adopts an object.
	Import Process = "import"
	// Asked acts on an annotation.
	Asked Process = "asked"
)

// Writes to the custom resource.
const (
	// Annotate writes the annotations that identify the remote object, and the finalizer.
	Annotate Process = "annotate"
	// Status writes the status.
	Status Process = "status"
	// Finalize removes the finalizer, and then the stored state.
	Finalize Process = "finalize"
)

// Done by a program, where spec.execution is CLI.
const (
	// CommandLine runs a program to make a change.
	CommandLine Process = "command-line"
)

// Step is the next step of a process.
type Step string

// The steps of the processes. An operation has the first five; other results that are stored have
// the last two of those.
const (
	BeforeIntent   Step = "before-intent"
	BeforeDispatch Step = "before-dispatch"
	// InFlight is between the dispatch and the answer.
	InFlight       Step = "in-flight"
	BeforeConclude Step = "before-conclude"
	BeforeTold     Step = "before-told"

	BeforeWrite   Step = "before-write"
	AfterWrite    Step = "after-write"
	BeforeRelease Step = "before-release"
	BeforeForget  Step = "before-forget"
	AfterForget   Step = "after-forget"

	// BeforeAsk is after the program requested the change, and before the provider is asked;
	// BeforeAnswer is after the provider answered, and before the program gets the answer;
	// BeforeState is after the program ended, and before its state file is read.
	BeforeAsk    Step = "before-ask"
	BeforeAnswer Step = "before-answer"
	BeforeState  Step = "before-state"
)

var steps = []struct {
	processes []Process
	steps     []Step
}{
	{
		[]Process{Create, Update, Delete, Destroy, Recreate, CreateFirst, DestroyDeposed}, []Step{
			BeforeIntent, BeforeDispatch, InFlight, BeforeConclude, BeforeTold,
		},
	},
	{[]Process{RecoverCreate, Recover, Import, Asked}, []Step{BeforeConclude, BeforeTold}},
	{[]Process{Annotate, Status}, []Step{BeforeWrite, AfterWrite}},
	{[]Process{Finalize}, []Step{BeforeRelease, BeforeForget, AfterForget}},
	{[]Process{CommandLine}, []Step{BeforeAsk, BeforeAnswer, BeforeState}},
}

// All returns all points.
func All() []Point {
	var out []Point
	for _, s := range steps {
		for _, process := range s.processes {
			for _, step := range s.steps {
				out = append(out, Point{process, step})
			}
		}
	}
	return out
}

// Parse returns the point with a name.
func Parse(name string) (Point, error) {
	process, step, _ := strings.Cut(name, "/")
	p := Point{Process(process), Step(step)}
	if !slices.Contains(All(), p) {
		return Point{}, fmt.Errorf("there is no fault point %q", name)
	}
	return p, nil
}

// Action is the action at a point.
type Action string

// The actions.
const (
	// Kill ends the process, with no chance to clean up.
	Kill Action = "kill"
	// Pause stops the process until it receives SIGCONT.
	Pause Action = "pause"
	// KillProviders kills the child processes: providers and command lines. KillPrograms kills only
	// those with a working directory of their own, which are command lines.
	KillProviders Action = "kill-providers"
	KillPrograms  Action = "kill-programs"
)

// Variable is the environment variable that selects the point and the action. Announcement is what
// the process writes to standard error before the action, followed by the point's name and a
// newline.
const (
	Variable     = "LANDBRIDGE_FAULT_POINT"
	Announcement = "fault point reached: "
)
