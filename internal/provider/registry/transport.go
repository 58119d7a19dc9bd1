package registry

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Patience is how long a client tries.
type Patience struct {
	// Attempts is how often a request is sent, and how often a download is resumed without
	// progress. Defaults to 5.
	Attempts int
	// Wait is the delay after the first failure; it doubles with each. Defaults to 1s.
	Wait time.Duration
	// MaxWait bounds delays, also those that a server asks for. Defaults to 1m.
	MaxWait time.Duration
	// Stall is how long a server may send nothing. Defaults to 30s.
	Stall time.Duration
}

func (p Patience) withDefaults() Patience {
	p.Attempts = cmp.Or(p.Attempts, 5)
	p.Wait = cmp.Or(p.Wait, time.Second)
	p.MaxWait = cmp.Or(p.MaxWait, time.Minute)
	p.Stall = cmp.Or(p.Stall, 30*time.Second)
	return p
}

// delay returns the delay after the n-th failure.
func (p Patience) delay(n int) time.Duration {
	return min(p.Wait<<min(n-1, 16), p.MaxWait)
}

// newHTTP returns a client with the proxies of the environment, and with the authorities of the
// system and of a file.
func newHTTP(p Patience, caFile string) (*http.Client, *Error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = p.Stall
	t.TLSHandshakeTimeout = p.Stall
	t.MaxResponseHeaderBytes = 64 << 10
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, problem(Misconfigured, "--provider-ca: %s", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, problem(Misconfigured, "--provider-ca: %s has no certificate in PEM", caFile)
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: &retrying{next: t, patience: p}, CheckRedirect: checkRedirect}, nil
}

var (
	errInsecure  = errors.New("it redirects to an address without TLS")
	errRedirects = errors.New("it redirects more than 10 times")
)

func checkRedirect(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" {
		return errInsecure
	}
	if len(via) >= 10 {
		return errRedirects
	}
	// net/http keeps it for other ports and for subdomains.
	if req.URL.Host != via[0].URL.Host {
		req.Header.Del("Authorization")
	}
	return nil
}

// retrying repeats requests that fail for a reason that may pass.
type retrying struct {
	next     http.RoundTripper
	patience Patience
}

func (r *retrying) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" {
		return nil, errInsecure
	}
	for n := 1; ; n++ {
		resp, err := r.next.RoundTrip(req)
		wait, again := r.again(req, resp, err, n)
		if !again {
			return resp, err
		}
		if resp != nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
			_ = resp.Body.Close()
		}
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// again returns whether and when to repeat a request.
func (r *retrying) again(req *http.Request, resp *http.Response, err error, n int) (time.Duration, bool) {
	if n >= r.patience.Attempts || req.Context().Err() != nil || req.Body != nil && req.Body != http.NoBody {
		return 0, false
	}
	wait := r.patience.delay(n)
	if err != nil {
		var cert *tls.CertificateVerificationError
		return wait, !errors.As(err, &cert)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return 0, false
	}
	if asked, ok := retryAfter(resp.Header.Get("Retry-After"), time.Now()); ok {
		return asked, asked <= r.patience.MaxWait
	}
	return wait, true
}

// retryAfter parses the header Retry-After, which has seconds or a date.
func retryAfter(s string, now time.Time) (time.Duration, bool) {
	const most = 24 * 60 * 60
	if n, err := strconv.ParseUint(s, 10, 63); err == nil {
		return time.Duration(min(n, most)) * time.Second, true
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0, false
	}
	return max(0, min(at.Sub(now), most*time.Second)), true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// requestProblem returns the error of a request that has no answer.
func requestProblem(what, at string, err error) *Error {
	var e *Error
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, errInsecure):
		return problem(Invalid, "%s: %s: %s; packages are downloaded by https alone", what, at, errInsecure)
	case errors.Is(err, errRedirects):
		return problem(Invalid, "%s: %s: %s; check the address", what, at, errRedirects)
	case errors.As(err, &cert):
		return problem(Invalid, "%s: the certificate of %s is not valid: %s; if it is from an authority of your "+
			"own, name its certificate by --provider-ca", what, at, cert.Err)
	}
	return problem(Unavailable, "%s: %s; it is tried again", what, err)
}

// stalled cancels a request when nothing was read for a while.
type stalled struct {
	io.ReadCloser
	timer  *time.Timer
	after  time.Duration
	cancel context.CancelCauseFunc
	ctx    context.Context
}

// watch returns a body whose reading fails when the server sends nothing for a while. The context
// is the request's.
func watch(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser, after time.Duration) io.ReadCloser {
	timer := time.AfterFunc(after, func() { cancel(fmt.Errorf("the server has sent nothing for %s", after)) })
	return &stalled{body, timer, after, cancel, ctx}
}

func (s *stalled) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	if n > 0 {
		s.timer.Reset(s.after)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := context.Cause(s.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (s *stalled) Close() error {
	s.timer.Stop()
	err := s.ReadCloser.Close()
	s.cancel(context.Canceled)
	return err
}
