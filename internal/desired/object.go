package desired

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Import is what spec.import asks for. The zero value asks for nothing.
type Import struct {
	// Target is the object to import; nil when none is asked for, or when it is invalid.
	Target *terraform.ImportTarget
	// Invalid explains why spec.import cannot be read; Target is nil then. It only matters
	// while nothing is stored: an object that was imported by an identity of an older schema is
	// not imported again.
	Invalid diagnostic.Diagnostics
}

// Asked reports whether an import is asked for, even if it is invalid.
func (i Import) Asked() bool { return i.Target != nil || i.Invalid != nil }

// KnownObject is the object that the annotations of a resource name. It is looked up if nothing
// is stored. If it is not found, it is gone, but an interrupted create may have made another
// object since.
type KnownObject struct {
	Target terraform.ImportTarget
	// Recognize reports whether Target names the object; nil when that cannot be compared.
	Recognize func(instance.Instance) bool
	// Observed is set when Target was recorded while the object was observed, so that
	// Recognize must hold for it. A Target that a user wrote may name the object differently
	// than the object names itself.
	Observed bool
}
