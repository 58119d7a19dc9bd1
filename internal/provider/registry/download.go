package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

const (
	// maxMetadata bounds an answer, in bytes. The list of versions of the largest providers has
	// less than 1 MiB.
	maxMetadata = 16 << 20
	// maxPackage bounds a package, in bytes. The largest known ones have 200 MB.
	maxPackage = 2 << 30
)

// fetcher sends requests.
type fetcher struct {
	http     *http.Client
	patience Patience
}

// get returns a small document and the address that it came from. The token may be empty.
func (f *fetcher) get(ctx context.Context, what string, at *url.URL, token string) ([]byte, *url.URL, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := f.send(ctx, what, at, token, 0, "")
	if err != nil {
		return nil, nil, err
	}
	body := watch(ctx, cancel, resp.Body, f.patience.Stall)
	defer body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, statusProblem(what, resp)
	}
	out, err := io.ReadAll(io.LimitReader(body, maxMetadata+1))
	if err != nil {
		return nil, nil, requestProblem(what, at.Redacted(), fmt.Errorf("%s: %w", at.Redacted(), err))
	}
	if len(out) > maxMetadata {
		return nil, nil, problem(Invalid, "%s: the answer of %s is larger than %d MiB", what, at.Redacted(), maxMetadata>>20)
	}
	return out, resp.Request.URL, nil
}

func (f *fetcher) send(ctx context.Context, what string, at *url.URL, token string, offset int64, match string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, problem(Invalid, "%s: %s", what, err)
	}
	req.Header.Set("User-Agent", "landbridge")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		if match != "" {
			req.Header.Set("If-Range", match)
		}
	}
	// The length of what was compressed in transit is not known.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := f.http.Do(req)
	if err != nil {
		return nil, requestProblem(what, at.Redacted(), err)
	}
	return resp, nil
}

// part is what a source sends of a package: from an offset on, which is the one that was asked for
// or 0.
type part struct {
	body   io.ReadCloser
	offset int64
	// size is the size of the whole; -1 if it is not known.
	size int64
}

// opener opens a package from an offset on.
type opener func(ctx context.Context, offset int64) (part, error)

// open returns an opener for an address.
func (f *fetcher) open(what string, at *url.URL, token string) opener {
	var match string
	return func(ctx context.Context, offset int64) (part, error) {
		resp, err := f.send(ctx, what, at, token, offset, match)
		if err != nil {
			return part{}, err
		}
		switch resp.StatusCode {
		case http.StatusOK:
			// A weak validator says nothing about bytes.
			if match = resp.Header.Get("ETag"); strings.HasPrefix(match, "W/") {
				match = ""
			}
			return part{resp.Body, 0, resp.ContentLength}, nil
		case http.StatusPartialContent:
			var from, to, size int64
			if n, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size); err != nil || n != 3 || from != offset {
				_ = resp.Body.Close()
				return part{}, problem(Invalid, "%s: %s answers another range than was asked for", what, at.Redacted())
			}
			return part{resp.Body, offset, size}, nil
		default:
			_ = resp.Body.Close()
			return part{}, statusProblem(what, resp)
		}
	}
}

// download writes a package to an empty file and returns its SHA-256 in hex. It resumes after each
// interruption, as long as the server sends something in between.
func (f *fetcher) download(ctx context.Context, what string, open opener, to *os.File) (string, error) {
	var written int64
	for failures := 0; ; {
		n, done, err := f.receive(ctx, what, open, to, written)
		if n > written {
			failures = 0
		}
		if written = n; done {
			break
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if KindOf(err) != Unavailable {
			return "", err
		}
		if failures++; failures >= f.patience.Attempts {
			return "", err
		}
		if err := sleep(ctx, f.patience.delay(failures)); err != nil {
			return "", err
		}
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(to, 0, written)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// receive downloads as much as it can, and returns how much there is then and whether that is all.
func (f *fetcher) receive(ctx context.Context, what string, open opener, to *os.File, written int64) (_ int64, done bool, _ error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c, err := open(ctx, written)
	if err != nil {
		return written, false, err
	}
	body := watch(ctx, cancel, c.body, f.patience.Stall)
	defer body.Close()
	if c.size > maxPackage {
		return written, false, problem(Invalid, "%s: the package has %d bytes, more than %d GiB", what, c.size, maxPackage>>30)
	}
	if c.offset != written {
		if err := to.Truncate(0); err != nil {
			return written, false, localProblem(what, err)
		}
		written = c.offset
	}
	out := &fileWriter{to: to, at: written}
	_, err = io.Copy(out, io.LimitReader(body, maxPackage+1-written))
	written = out.at
	switch {
	case out.err != nil:
		return written, false, localProblem(what, out.err)
	case written > maxPackage:
		return written, false, problem(Invalid, "%s: the package has more than %d GiB", what, maxPackage>>30)
	case err != nil:
		return written, false, problem(Unavailable, "%s: the download ended early: %s; it is tried again", what, err)
	case c.size >= 0 && written < c.size:
		return written, false, problem(Unavailable, "%s: the download ended after %d of %d bytes; it is tried again", what, written, c.size)
	case c.size >= 0 && written > c.size:
		return written, false, problem(Invalid, "%s: the server sends more than the %d bytes that it announced", what, c.size)
	}
	return written, true, nil
}

func localProblem(what string, err error) *Error {
	var full *os.PathError
	if errors.As(err, &full) {
		return problem(Misconfigured, "%s: the package cannot be written to the cache: %s; check --provider-cache", what, err)
	}
	return problem(Misconfigured, "%s: %s", what, err)
}

// fileWriter writes to a file from an offset on.
type fileWriter struct {
	to  *os.File
	at  int64
	err error
}

func (w *fileWriter) Write(b []byte) (int, error) {
	n, err := w.to.WriteAt(b, w.at)
	w.at += int64(n)
	if err != nil {
		w.err = err
	}
	return n, err
}
