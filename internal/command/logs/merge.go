package logs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Log is the log of one replica of the controller.
type Log struct {
	// Name is for messages about it.
	Name string
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// Merger puts the logs of several replicas into one order.
type Merger struct {
	// Logs are those to read.
	Logs []Log
	// More adds logs while the others are read. Unless it is nil, Run ends only when its context
	// does.
	More <-chan Log
	// Patience is how long an entry waits for earlier ones of other logs. Zero waits for all logs,
	// which must end then.
	Patience time.Duration
	// Tell is called with each entry. The entries of one log keep their order; those of several are
	// ordered by their times.
	Tell func(Entry) error
	// Failed is called with each log that cannot be read, or not to its end. The others are read
	// all the same.
	Failed func(Log, error)
}

// ahead bounds the entries of one log that are read before their turn.
const ahead = 1000

// arrival is an entry of a log, or its end.
type arrival struct {
	from  *source
	entry Entry
	at    time.Time
	end   bool
	err   error
}

// source is a log that is being read.
type source struct {
	log   Log
	room  chan struct{}
	queue []arrival
	ended bool
}

// Run reads the logs until they end, ctx is done, or Tell returns an error.
func (m *Merger) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var readers sync.WaitGroup
	defer readers.Wait()
	defer cancel()
	arrivals := make(chan arrival)
	var sources []*source
	begin := func(l Log) {
		s := &source{log: l, room: make(chan struct{}, ahead)}
		sources = append(sources, s)
		readers.Go(func() { s.read(ctx, arrivals) })
	}
	for _, l := range m.Logs {
		begin(l)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, wait := m.next(sources)
		if next != nil {
			e := next.queue[0].entry
			next.queue = next.queue[1:]
			<-next.room
			if err := m.Tell(e); err != nil {
				return err
			}
			continue
		}
		if m.More == nil && done(sources) {
			return nil
		}
		timer.Stop()
		if wait > 0 {
			timer.Reset(wait)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case l := <-m.More:
			begin(l)
		case a := <-arrivals:
			if !a.end {
				a.from.queue = append(a.from.queue, a)
				continue
			}
			if a.from.ended = true; a.err != nil && ctx.Err() == nil {
				m.Failed(a.from.log, a.err)
			}
		}
	}
}

// next returns the log whose next entry is told now; nil if others have to be waited for, at most
// for a while unless that is zero.
func (m *Merger) next(sources []*source) (next *source, wait time.Duration) {
	silent := false
	for _, s := range sources {
		switch {
		case len(s.queue) == 0:
			silent = silent || !s.ended
		case next == nil || s.queue[0].entry.At.Before(next.queue[0].entry.At):
			next = s
		}
	}
	if next == nil || !silent {
		return next, 0
	}
	if m.Patience == 0 {
		return nil, 0
	}
	if wait = time.Until(next.queue[0].at.Add(m.Patience)); wait > 0 {
		return nil, wait
	}
	return next, 0
}

func done(sources []*source) bool {
	for _, s := range sources {
		if !s.ended || len(s.queue) > 0 {
			return false
		}
	}
	return true
}

// read sends the entries of the log, and then its end.
func (s *source) read(ctx context.Context, arrivals chan<- arrival) {
	send := func(a arrival) bool {
		a.from, a.at = s, time.Now()
		select {
		case arrivals <- a:
			return true
		case <-ctx.Done():
			return false
		}
	}
	r, err := s.log.Open(ctx)
	if err != nil {
		send(arrival{end: true, err: err})
		return
	}
	defer r.Close()
	defer context.AfterFunc(ctx, func() { r.Close() })()
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		if e, ok := Parse(line); ok {
			select {
			case s.room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if !send(arrival{entry: e}) {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			send(arrival{end: true})
			return
		case err != nil:
			send(arrival{end: true, err: fmt.Errorf("it cannot be read further: %w", err)})
			return
		}
	}
}
