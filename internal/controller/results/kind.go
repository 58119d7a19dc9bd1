package results

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/schema"
)

// Kind is the kind of one data source or ephemeral resource, with the dependencies of its
// controller. Its executor is a terraform.DataReader and a terraform.EphemeralOpener.
type Kind struct {
	unmanaged.Kind
	// Claimed returns a channel that is closed when the remote objects of the resources of all
	// kinds are claimed. It is not needed without OwnedElsewhere.
	Claimed func() <-chan struct{}
	// Objects is the resource type of the same name; nil if there is none.
	Objects *schema.Resource
	// HashKey is the key of the hashes of arguments in status. Without it, a hash would let
	// sensitive arguments be guessed.
	HashKey []byte
	// OwnedElsewhere reports whether a resource of another namespace owns the object of Objects
	// that was read. It may be nil: none does.
	OwnedElsewhere func(ctx context.Context, namespace string, by ownership.Access, of *schema.Resource, data cty.Value) bool

	// Leases has what is open of ephemeral resources. It is not needed for a data source.
	Leases Leases

	looks unmanaged.Memory[look]
}

// look is what is remembered of an object between reconciles.
type look struct {
	// last is the last read that succeeded in this process.
	last read
	// opening and closing are the attempts to do so that have failed.
	opening, closing attempts
	// opened is what is not known to be stored and shown yet; nil if there is none.
	opened *opened
}

func (k *Kind) now() time.Time { return k.Clock.Now() }

// Gone implements unmanaged.Looker.
func (r *Reconciler) Gone(name types.NamespacedName) { r.kind.looks.Forget(name) }
