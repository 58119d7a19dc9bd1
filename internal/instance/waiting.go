package instance

// Waiting is what is kept of a plan while it waits for approval, so that it is the same one when it
// is made again.
type Waiting struct {
	// Change identifies what was planned: the configuration and the object as they were.
	Change string `json:"change"`
	// Private are the private bytes that the provider has planned.
	Private []byte `json:"private"`
}
