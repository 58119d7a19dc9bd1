package decision

// Deed is what a step does. The scheduler carries it out.
type Deed string

// Rules are rules in the order of their precedence. A rule returns its step, and whether it applies
// to an input.
type Rules[Input, Step any] []func(Input) (Step, bool)

// Decide returns the step of the first rule that applies, and the number of that rule. The last
// rule of a list always applies.
func (rules Rules[Input, Step]) Decide(in Input) (step Step, number int) {
	for number, rule := range rules {
		if step, applies := rule(in); applies {
			return step, number
		}
	}
	return step, len(rules)
}

// Step is the next step of Apply or Delete.
type Step struct {
	Deed Deed
	// Refusal is why nothing begins; nil if the deed is no refusal.
	Refusal *Error
	// Destroys is set when the deed destroys an object.
	Destroys bool
	// Keeps is set when nothing is to be destroyed any more.
	Keeps bool
}

// Deeds of Apply and Delete.
const (
	// Nothing reports success: there is nothing to do, or the operation runs.
	Nothing Deed = "nothing"
	// Create, Update and Destroy start an operation on the current object.
	Create  Deed = "create"
	Update  Deed = "update"
	Destroy Deed = "destroy"
	// DestroyDeposed starts to destroy a deposed object.
	DestroyDeposed Deed = "destroy a deposed object"
	// CreateFirst and DestroyFirst start a replacement.
	CreateFirst  Deed = "replace, create first"
	DestroyFirst Deed = "replace, destroy first"
	// Refuse refuses.
	Refuse Deed = "refuse"
	// RefuseForNow refuses until policies change, or operations are not paused any more.
	RefuseForNow Deed = "refuse for now"
	// RefuseUnapproved refuses until the plan is approved.
	RefuseUnapproved Deed = "refuse because it is not approved"
	// RefuseRepeat refuses what would not help, which counts as if it had been done.
	RefuseRepeat Deed = "refuse to replace again what did not settle"
)

// nothing is the result of a rule that does not apply.
func nothing() (Step, bool) { return Step{}, false }

// refuse is the result of a rule that refuses.
func refuse(why *Error) (Step, bool) { return Step{Deed: Refuse, Refusal: why}, true }

// keep is the result of a rule that refuses to destroy anything.
func keep(why *Error) (Step, bool) { return Step{Deed: Refuse, Refusal: why, Keeps: true}, true }

// as changes the deed of a refusal.
func as(deed Deed, step Step) Step {
	step.Deed = deed
	return step
}
