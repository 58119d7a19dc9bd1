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
	// maxRecord is the maximum size with the operation, which has the planned state and a journal.
	maxRecord = 4 * MaxState
)

// Permanent reports whether a write will fail again and again until the instance or the cluster is changed.
func Permanent(err error) bool { return errors.Is(err, ErrTooLarge) || errors.Is(err, ErrRejected) }

// encode encodes an instance that is not too large. Neither is what its operation leaves, as far as it is
// planned.
func encode(in instance.Instance, r *schema.Resource) ([]byte, error) {
	data, err := instance.Encode(in, r)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the instance: %w", err)
	}
	if len(data) <= MaxState {
		return data, nil
	}
	size := len(data)
	if op := in.Operation; op != nil && size <= maxRecord {
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
		if size = max(len(without), len(alone)/4*3); size <= MaxState { // planned values are in base64
			return data, nil
		}
	}
	limit := MaxState
	if size > maxRecord {
		limit = maxRecord
	}
	return nil, fmt.Errorf("%w: it has %s, and at most %d MiB can be stored. Make the object smaller, or divide it among several resources", ErrTooLarge, mebibytes(size), limit>>20)
}

func mebibytes(size int) string { return fmt.Sprintf("%.1f MiB", float64(size)/(1<<20)) }

// refused returns the error of a failed write. If the API server will never accept the write, it is ErrTooLarge
// or ErrRejected.
func refused(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrConflict), Permanent(err):
		return err
	case tooLarge(err):
		return fmt.Errorf("%w: the API server refuses a Secret with less than 1 MiB of data (%w). Raise the limit of the API server, of etcd, or of the proxy between", ErrTooLarge, err)
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
