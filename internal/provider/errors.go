package provider

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// ErrUnimplemented is the error of a call that the provider does not implement.
var ErrUnimplemented = status.Error(codes.Unimplemented, "the provider does not implement this call")

// IsUnimplemented reports whether the provider does not implement the call. Providers of an older
// minor protocol version do not implement newer calls (contract § 1).
func IsUnimplemented(err error) bool { return status.Code(err) == codes.Unimplemented }

// IsUnavailable reports whether the server is gone: the provider crashed or was stopped.
func IsUnavailable(err error) bool { return status.Code(err) == codes.Unavailable }

// notSent is the error of a call that was not sent to the provider.
type notSent struct{ error }

func (e notSent) Unwrap() error { return e.error }

// NotSent marks the error of a call that was not sent to the provider, and so changed nothing.
func NotSent(err error) error { return notSent{err} }

// IsNotSent reports whether an error was marked by NotSent. After any other error it is unknown
// whether the provider carried out the call.
func IsNotSent(err error) bool {
	var e notSent
	return errors.As(err, &e)
}

// CallError returns the error of a call, as opposed to diagnostics in its answer, as diagnostics
// with Terraform's own summaries (contract § 1).
func CallError(err error) diagnostic.Diagnostics {
	if err == nil {
		return nil
	}
	detail := status.Convert(err).Message()
	switch code := status.Code(err); {
	case code == codes.Unavailable:
		return diagnostic.Errorf("Plugin did not respond",
			"The provider encountered an error and failed to respond: %s. Its logs may say more.", detail)
	case code == codes.Canceled, errors.Is(err, context.Canceled):
		return diagnostic.Errorf("Request cancelled", "The call to the provider was cancelled.")
	case code == codes.DeadlineExceeded, errors.Is(err, context.DeadlineExceeded):
		return diagnostic.Errorf("Request cancelled", "The provider did not answer in time.")
	case code == codes.Unimplemented:
		return diagnostic.Errorf("Unsupported plugin method",
			"The provider does not support this call. It may need a newer version of the provider.")
	default:
		return diagnostic.Errorf("Plugin error", "The provider returned an unexpected error: %s.", detail)
	}
}
