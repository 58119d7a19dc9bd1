package hcloudtest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	statusRunning = "running"
	statusSuccess = "success"
	statusError   = "error"
)

// action is work in progress on an object.
type action struct {
	ID        int64       `json:"id"`
	Command   string      `json:"command"`
	Status    string      `json:"status"`
	Progress  int         `json:"progress"` // percent
	Started   time.Time   `json:"started"`
	Finished  *time.Time  `json:"finished"`
	Resources []reference `json:"resources"`
	Error     *APIError   `json:"error"`

	ends   time.Time
	fails  *APIError
	finish func() // applies its effect, where it succeeds
}

type reference struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// act begins an action on an object. Its effect happens when it ends.
func (s *Server) act(command string, on reference, finish func()) *action {
	now := time.Now()
	a := &action{
		ID: s.nextID(), Command: command, Status: statusRunning, Started: now,
		Resources: []reference{on}, ends: now.Add(s.actionDuration), finish: finish,
	}
	if faults := s.failActions[command]; len(faults) > 0 {
		a.fails, s.failActions[command] = &faults[0], faults[1:]
	}
	s.actions[a.ID] = a
	s.settle()
	return a
}

// settle ends the actions whose time has passed.
func (s *Server) settle() {
	now := time.Now()
	for _, a := range s.actions {
		switch {
		case a.Status != statusRunning:
		case now.Before(a.ends):
			a.Progress = int(100 * now.Sub(a.Started) / a.ends.Sub(a.Started))
		default:
			ended := a.ends
			a.Finished, a.Progress = &ended, 100
			if a.Status, a.Error = statusSuccess, a.fails; a.Error != nil {
				a.Status = statusError
			} else {
				a.finish()
			}
		}
	}
}

// busy reports whether an action runs on the object.
func (s *Server) busy(on reference) bool {
	for _, a := range s.actions {
		if a.Status == statusRunning && slices.Contains(a.Resources, on) {
			return true
		}
	}
	return false
}

func (s *Server) getAction(r *http.Request) (int, any) {
	a := find(r, s.actions)
	if a == nil {
		return notFound("action")
	}
	return http.StatusOK, map[string]any{"action": a}
}

// listActions answers for the ids in the query, as the API does: listing all
// actions was removed from it.
func (s *Server) listActions(r *http.Request) (int, any) {
	ids := r.URL.Query()["id"]
	if len(ids) == 0 {
		return invalidInput("query parameter id is required")
	}
	var found []*action
	for _, text := range ids {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && s.actions[id] != nil {
			found = append(found, s.actions[id])
		}
	}
	return listAnswer("actions", found)
}
