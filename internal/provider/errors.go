package provider

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// ErrUnimplemented is what a server returns for a call its provider does not know.
var ErrUnimplemented = status.Error(codes.Unimplemented, "the provider does not implement this call")

// IsUnimplemented says whether the provider does not know the call. Providers of an older
// protocol minor answer so to every newer call (contract § 1).
func IsUnimplemented(err error) bool { return status.Code(err) == codes.Unimplemented }

// IsUnavailable says whether the server is gone: the provider crashed or was stopped.
func IsUnavailable(err error) bool { return status.Code(err) == codes.Unavailable }

// notSent is the error of a call that never went to the provider.
type notSent struct{ error }

func (e notSent) Unwrap() error { return e.error }

// NotSent makes the error of a call that never went to the provider, so that it changed nothing.
func NotSent(err error) error { return notSent{err} }

// IsNotSent says whether an error is one of NotSent. All others leave it open whether the
// provider did what it was asked to do.
func IsNotSent(err error) bool {
	var e notSent
	return errors.As(err, &e)
}

// CallError turns the error of a call, as opposed to diagnostics in its answer, into
// diagnostics with Terraform's own summaries (contract § 1).
func CallError(err error) diagnostic.Diagnostics {
	if err == nil {
		return nil
	}
	detail := status.Convert(err).Message()
	switch code := status.Code(err); {
	case code == codes.Unavailable:
		return diagnostic.Errorf("Plugin did not respond", "The provider encountered an error and failed to respond: %s. Its logs may say more.", detail)
	case code == codes.Canceled, errors.Is(err, context.Canceled):
		return diagnostic.Errorf("Request cancelled", "The call to the provider was cancelled.")
	case code == codes.DeadlineExceeded, errors.Is(err, context.DeadlineExceeded):
		return diagnostic.Errorf("Request cancelled", "The provider did not answer in time.")
	case code == codes.Unimplemented:
		return diagnostic.Errorf("Unsupported plugin method", "The provider does not support this call. It may need a newer version of the provider.")
	default:
		return diagnostic.Errorf("Plugin error", "The provider returned an unexpected error: %s.", detail)
	}
}
