package store

import (
	"errors"
	"fmt"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	// MaxState is the maximum size of an encoded instance without its operation, in bytes.
	MaxState = 64 << 20
	// withOperation is the factor by which an instance with its operation may be larger: it has the
	// planned state and a journal, too.
	withOperation = 4
	maxRecord     = withOperation * MaxState
)

// Permanent reports whether a write will fail again and again until the instance or the cluster is
// changed.
func Permanent(err error) bool { return errors.Is(err, ErrTooLarge) || errors.Is(err, ErrRejected) }

// encode encodes an instance that has at most the given size. So does what its operation leaves, as
// far as it is planned.
func encode(in instance.Instance, r *schema.Resource, most int) ([]byte, error) {
	data, err := instance.Encode(in, r)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the instance: %w", err)
	}
	if len(data) <= most {
		return data, nil
	}
	size := len(data)
	if op := in.Operation; op != nil && size <= withOperation*most {
		planned := *op
		planned.Journal = nil
		in.Operation = nil
		without, err := instance.Encode(in, r)
		if err != nil {
			return nil, fmt.Errorf("cannot encode the instance: %w", err)
		}
		alone, err := instance.Encode(instance.Instance{Operation: &planned}, r)
		if err != nil {
			return nil, fmt.Errorf("cannot encode the instance: %w", err)
		}
		if size = max(len(without), len(alone)/4*3); size <= most { // planned values are in base64
			return data, nil
		}
	}
	if size > withOperation*most {
		most *= withOperation
	}
	return nil, fmt.Errorf("%w: it has %.1f MiB, and at most %d MiB can be stored. Make the object smaller, or "+
		"divide it among several resources", ErrTooLarge, float64(size)/(1<<20), most>>20)
}

// refused returns the error of a failed write. If the API server will never accept the write, it is
// ErrTooLarge or ErrRejected.
func refused(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrConflict), Permanent(err):
		return err
	case tooLarge(err):
		return fmt.Errorf("%w: the API server refuses a Secret with less than 1 MiB of data (%w). Raise the limit "+
			"of the API server, of etcd, or of the proxy between", ErrTooLarge, err)
	case kerrors.IsInvalid(err):
		return fmt.Errorf("%w: %w", ErrRejected, err)
	default:
		return fmt.Errorf("cannot store the instance: %w", err)
	}
}

// tooLarge reports whether the API server, or etcd behind it, refuses a write because of its size.
func tooLarge(err error) bool {
	if kerrors.IsRequestEntityTooLargeError(err) || kerrors.HasStatusCause(err, metav1.CauseTypeTooLong) {
		return true
	}
	// Errors of etcd have the code of an internal error.
	text := err.Error()
	return strings.Contains(text, "request is too large") || strings.Contains(text, "trying to send message larger than max")
}
