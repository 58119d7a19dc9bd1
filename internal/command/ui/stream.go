package ui

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Limits of streams.
const (
	// maxStreams bounds the pages that are open at once.
	maxStreams = 32
	// calm is how long changes are collected before the browser is told.
	calm = 300 * time.Millisecond
	// alive is the interval at which a stream without changes is written to, so that one whose
	// browser is gone ends.
	alive = 15 * time.Second
	// writeTimeout is how long a browser may take to read.
	writeTimeout = 10 * time.Second
)

// events tells a browser when the content has changed, until the browser or the process ends. It
// tells the version alone: a slow browser misses versions, and nothing is kept for it.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, "Too many pages are open. Close one; this one is not live meanwhile.", http.StatusServiceUnavailable)
		return
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = r.URL.Query().Get("version")
	}
	told, _ := strconv.ParseUint(last, 10, 64) // of another process, or none: 0
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	write := func(text string) bool {
		if err := control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return false
		}
		if _, err := fmt.Fprint(w, text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	// The time for reading a request would end the stream.
	if err := control.SetReadDeadline(time.Time{}); err != nil || !write(": open\n\n") {
		return
	}
	tick := time.NewTicker(alive)
	defer tick.Stop()
	for {
		version, changed := s.index.Version()
		if version != told {
			if !write(fmt.Sprintf("event: estate\nid: %d\ndata: %d\n\n", version, version)) {
				return
			}
			told = version
			if !wait(r, s.ended, calm) {
				return
			}
			continue
		}
		select {
		case <-changed:
			if !wait(r, s.ended, calm) {
				return
			}
		case <-tick.C:
			if !write(": alive\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ended:
			return
		}
	}
}

// wait waits for a time. It returns false if the request or the process ended meanwhile.
func wait(r *http.Request, ended <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	case <-ended:
		return false
	}
}
