package faultpoint

import (
	"fmt"
	"slices"
	"strings"
)

// Point is an instant: between two steps of a process.
type Point struct {
	Process Process
	Step    Step
}

// String is the point's name.
func (p Point) String() string { return string(p.Process) + "/" + string(p.Step) }

// Process is something that consists of steps.
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

// What else is found out and stored.
const (
	// RecoverCreate and Recover find out what became of an operation that nobody has concluded.
	RecoverCreate Process = "recover-create"
	Recover       Process = "recover"
	// Import takes an object over.
	Import Process = "import"
	// Asked acts upon an annotation.
	Asked Process = "asked"
)

// What is written on the custom resource.
const (
	// Annotate writes down what singles out the remote object, and settles the finalizer.
	Annotate Process = "annotate"
	// Status tells of what was found out.
	Status Process = "status"
	// Finalize lets the custom resource go, and then forgets what is stored of it.
	Finalize Process = "finalize"
)

// Done by a program, where spec.execution is CLI.
const (
	// CommandLine has a program carry out a change.
	CommandLine Process = "command-line"
)

// Step is what a process is about to do.
type Step string

// Steps of the processes. An operation has the first five; what is else found out and stored
// has the last two of those.
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

	// BeforeAsk is when the program has asked for the change, and the provider has not been asked yet;
	// BeforeAnswer when the provider has answered, and the program does not know yet; BeforeState when the
	// program has ended, and nobody has looked at what it left behind.
	BeforeAsk    Step = "before-ask"
	BeforeAnswer Step = "before-answer"
	BeforeState  Step = "before-state"
)

var steps = []struct {
	processes []Process
	steps     []Step
}{
	{[]Process{Create, Update, Delete, Destroy, Recreate, CreateFirst, DestroyDeposed}, []Step{BeforeIntent, BeforeDispatch, InFlight, BeforeConclude, BeforeTold}},
	{[]Process{RecoverCreate, Recover, Import, Asked}, []Step{BeforeConclude, BeforeTold}},
	{[]Process{Annotate, Status}, []Step{BeforeWrite, AfterWrite}},
	{[]Process{Finalize}, []Step{BeforeRelease, BeforeForget, AfterForget}},
	{[]Process{CommandLine}, []Step{BeforeAsk, BeforeAnswer, BeforeState}},
}

// All are all points that there are.
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

// Parse finds a point by its name.
func Parse(name string) (Point, error) {
	process, step, _ := strings.Cut(name, "/")
	p := Point{Process(process), Step(step)}
	if !slices.Contains(All(), p) {
		return Point{}, fmt.Errorf("there is no fault point %q", name)
	}
	return p, nil
}

// Action is what is done at a point.
type Action string

// The actions.
const (
	// Kill ends the process, with no chance to clean up.
	Kill Action = "kill"
	// Pause stops the process until somebody sends it SIGCONT.
	Pause Action = "pause"
	// KillProviders ends the processes that the process has started: providers, and programs that do its
	// work. KillPrograms ends those of them only that have a directory of their own to work in.
	KillProviders Action = "kill-providers"
	KillPrograms  Action = "kill-programs"
)

// Variable is the environment variable that says what to do where, and Announcement what the
// process writes to its standard error before it does it, followed by the point's name and a newline.
const (
	Variable     = "LANDBRIDGE_FAULT_POINT"
	Announcement = "fault point reached: "
)
