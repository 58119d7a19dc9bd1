package ui_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// TestStreamsEnd checks that streams end with the browser, also one that reads nothing or was cut
// off, and that there are only so many.
func TestStreamsEnd(t *testing.T) {
	x := index()
	s := ui.NewOf(x, now)
	server := httptest.NewUnstartedServer(nil)
	host := server.Listener.Addr().String()
	server.Config.Handler = s.Handler(host)
	server.Start()
	defer server.Close()
	_, port, _ := net.SplitHostPort(host)
	before := runtime.NumGoroutine()
	request := "GET /events HTTP/1.1\r\nHost: " + host + "\r\nCookie: landbridge-" + port + "=" + s.Secrets().Session + "\r\n\r\n"
	get := func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", "landbridge-"+port+"="+s.Secrets().Session)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	var open []net.Conn
	for range ui.MaxStreams {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte(request)); err != nil {
			t.Fatal(err)
		}
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(c, status); err != nil || string(status) != "HTTP/1.1 200" {
			t.Fatalf("the stream is not open: %q, %v", status, err)
		}
		open = append(open, c)
	}
	waittest.Eventually(t, "there are too many streams", func(context.Context) bool { return get() == http.StatusServiceUnavailable })
	for range 1000 { // a browser that reads nothing holds up nothing
		x.Set(ui.EntryOf(objects()[0], nil, true))
	}
	for _, c := range open {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // cut off, rather than closed
		}
		c.Close()
	}
	waittest.Eventually(t, "a stream can be opened again", func(context.Context) bool { return get() == http.StatusOK })
	s.End()
	http.DefaultClient.CloseIdleConnections()
	waittest.Eventually(t, "nothing is left of the streams", func(context.Context) bool { return runtime.NumGoroutine() <= before })
}

// stream is an answer whose reader is told of what was written.
type stream struct {
	*httptest.ResponseRecorder
	flushed func(text string)
}

// Flush implements http.Flusher.
func (s *stream) Flush() { s.flushed(s.Body.String()) }

// SetWriteDeadline is for http.ResponseController.
func (s *stream) SetWriteDeadline(time.Time) error { return nil }

// SetReadDeadline is for http.ResponseController.
func (s *stream) SetReadDeadline(time.Time) error { return nil }

// TestStreamVersion checks that a browser is told only of what it does not have.
func TestStreamVersion(t *testing.T) {
	x := index()
	s := ui.NewOf(x, now)
	version, _ := x.Version()
	text := strconv.FormatUint(version, 10)
	for name, tc := range map[string]struct {
		query, last string
		told        bool
	}{
		"the same version":   {query: "?version=" + text},
		"an earlier one":     {query: "?version=1", told: true},
		"none":               {told: true},
		"after a connection": {query: "?version=1", last: text},
		"of another process": {query: "?version=" + text, last: "99999", told: true},
		"what is no version": {query: "?version=<script>", told: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/events"+tc.query, nil)
			r.Host = address
			r.Header.Set("Cookie", "landbridge-4000="+s.Secrets().Session)
			r.Header.Set("Last-Event-ID", tc.last)
			w := &stream{ResponseRecorder: httptest.NewRecorder(), flushed: func(text string) {
				if !tc.told || strings.Contains(text, "event: estate") {
					cancel()
				}
			}}
			s.Handler(address).ServeHTTP(w, r)
			if got := strings.Contains(w.Body.String(), "event: estate"); got != tc.told {
				t.Errorf("told: %t, want %t: %q", got, tc.told, w.Body)
			}
		})
	}
}
