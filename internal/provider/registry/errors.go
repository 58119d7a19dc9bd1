package registry

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/landbridge-io/landbridge/internal/text"
)

// Kind is the kind of an Error.
type Kind string

// Kinds of errors.
const (
	// NotFound: the source does not have the provider, the version, or a build for the platform.
	NotFound Kind = "NotFound"
	// Unavailable: the source does not answer. It may later.
	Unavailable Kind = "Unavailable"
	// Denied: the source requires credentials, or others.
	Denied Kind = "Denied"
	// Invalid: the answer does not follow the protocol, or is too large.
	Invalid Kind = "Invalid"
	// Untrusted: a signature or a checksum is wrong.
	Untrusted Kind = "Untrusted"
	// Misconfigured: a file that configures the sources is wrong.
	Misconfigured Kind = "Misconfigured"
)

// Error is the error of a source.
type Error struct {
	Kind Kind
	// Detail describes to users what is the case and what to do.
	Detail string
}

func (e *Error) Error() string { return e.Detail }

func problem(kind Kind, format string, args ...any) *Error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of an error; Unavailable if it is not an *Error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unavailable
}

// statusProblem returns the error for the status of an answer.
func statusProblem(what string, resp *http.Response) *Error {
	at := resp.Request.URL.Redacted()
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound, code == http.StatusGone:
		return problem(NotFound, "%s: %s does not exist", what, at)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return problem(Denied, "%s: %s answers %s; give a token for %s in a credentials block "+
			"(--provider-credentials), or check the one that is there",
			what, at, resp.Status, resp.Request.URL.Host)
	case code == http.StatusTooManyRequests && resp.Header.Get("Retry-After") != "":
		return problem(Unavailable, "%s: %s answers %s, and asks to wait (Retry-After: %s); it is tried again", what,
			at, resp.Status, clip(resp.Header.Get("Retry-After")))
	case code == http.StatusTooManyRequests, code >= 500:
		return problem(Unavailable, "%s: %s answers %s; it is tried again", what, at, resp.Status)
	default:
		return problem(Invalid, "%s: %s answers %s; check the address", what, at, resp.Status)
	}
}

// clip shortens a server's text for a message.
func clip(s string) string { return fmt.Sprintf("%q", text.Shorten(s, 200)) }
