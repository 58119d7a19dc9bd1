package store

// Tokens are the values of annotations with which users request something. A token that differs
// from the last handled one is a new request. An empty token requests nothing.
type Tokens struct {
	// Taint requests a replacement of the object, Untaint keeps a tainted one.
	Taint   string `json:"taint,omitempty"`
	Untaint string `json:"untaint,omitempty"`
	// Retry requests a retry of a failed operation now.
	Retry string `json:"retry,omitempty"`
	// Reapply requests that the arguments of the object are set again.
	Reapply string `json:"reapply,omitempty"`
	// Interrupt requests that the running operation ends early.
	Interrupt string `json:"interrupt,omitempty"`
	// Approve approves one plan, by its hash. As a handled token, it is the plan that was carried
	// out last because it was approved, with its action, by whom and when (RFC 3339).
	Approve        string `json:"approve,omitempty"`
	ApprovedAction string `json:"approvedAction,omitempty"`
	ApprovedBy     string `json:"approvedBy,omitempty"`
	ApprovedAt     string `json:"approvedAt,omitempty"`
	// ApprovedCreate identifies the create that completes a replacement that was approved, or that
	// policies have permitted, and whose object is destroyed.
	ApprovedCreate string `json:"approvedCreate,omitempty"`
	// Held is the generation of the resource for which nothing begins, because an operation for it
	// was interrupted; 0 if there is none.
	Held int64 `json:"held,omitempty"`
	// MovedTo is the resource that has taken the object over; empty if none has.
	MovedTo string `json:"movedTo,omitempty"`
	// MovedFrom identifies the move by which the resource has taken an object over, and the
	// resource that had it. MoveOpen is set until that resource has let it go.
	MovedFrom string `json:"movedFrom,omitempty"`
	MoveOpen  bool   `json:"moveOpen,omitempty"`
	// Round is what the last operation belongs to that was begun with one, and RoundEnded is set
	// when such an operation has succeeded and completed the change.
	Round      string `json:"round,omitempty"`
	RoundEnded bool   `json:"roundEnded,omitempty"`
	// Imported is set when spec.import, which cannot be changed or removed, was carried out and
	// found an object.
	Imported bool `json:"imported,omitempty"`
}
