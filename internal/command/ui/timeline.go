package ui

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/history"
	stored "github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Timeline is the change record of a resource.
type Timeline struct {
	// Entries are what happened to its object, the newest first.
	Entries []history.Entry `json:"entries"`
	// Cut is the number of older entries that are not kept any more.
	Cut int `json:"cut,omitempty"`
	// Problem says why the record cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Step is an entry as it is drawn: Width is its duration in hundredths of the longest one.
type Step struct {
	history.Entry
	Width int64
}

// Steps returns the entries with the widths of their durations.
func (t Timeline) Steps() []Step {
	longest := int64(1)
	for _, e := range t.Entries {
		longest = max(longest, e.Took)
	}
	out := make([]Step, len(t.Entries))
	for i, e := range t.Entries {
		out[i].Entry = e
		if e.Took > 0 {
			out[i].Width = max(1, 100*e.Took/longest)
		}
	}
	return out
}

// TimelineOf returns the timeline of a change record.
func TimelineOf(log history.Log) *Timeline {
	if len(log.Entries) == 0 && log.Cut == 0 {
		return nil
	}
	out := &Timeline{Entries: slices.Clone(log.Entries), Cut: log.Cut}
	slices.Reverse(out.Entries)
	return out
}

// of returns the timeline of a resource; nil if it has none.
func (r *records) of(ctx context.Context, k explain.Key) *Timeline {
	secret, err := r.secrets.Get(ctx, stored.SecretName(stored.Key{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace,
		Name: k.Name}), metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		return nil
	case err != nil:
		return &Timeline{Problem: fmt.Sprintf("The change record cannot be read: %s", err)}
	}
	log, err := history.Decode(stored.HistoryOf(secret))
	if err != nil {
		return &Timeline{Problem: err.Error()}
	}
	return TimelineOf(log)
}

// resource is the view of one object.
func (s *Server) resource(r *http.Request) (string, any, error) {
	c, snapshot, err := s.readSnapshot(r.Context(), r.PathValue("kind"), r.PathValue("namespace"), r.PathValue("name"))
	if err != nil {
		return r.PathValue("name"), nil, err
	}
	out := ResourceOf(c, snapshot)
	if s.timeline != nil && !isSupporting(c, snapshot.Subject) {
		out.Timeline = s.timeline(r.Context(), snapshot.Subject)
	}
	return snapshot.Subject.String(), out, nil
}

// isSupporting reports whether an object only supports others, such as a provider configuration.
func isSupporting(c Content, k explain.Key) bool {
	e := c.Find(k)
	return e != nil && e.Supporting
}
