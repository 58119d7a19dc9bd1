package cloud

import (
	"net/http"
	"time"

	"go.etcd.io/bbolt"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

type taskRecord struct {
	Task         api.Task      `json:"task"`
	ObjectID     string        `json:"object_id"` // also where the client is not told
	Object       object        `json:"object,omitempty"`
	Due          time.Time     `json:"due,omitzero"` // zero: never, by itself
	Fail         bool          `json:"fail,omitempty"`
	Message      string        `json:"message,omitempty"`
	VisibleAfter time.Duration `json:"visible_after,omitempty"`
	HiddenFrom   string        `json:"hidden_from,omitempty"`
	SeenFirst    int           `json:"seen_first,omitempty"`
	GoneAfter    time.Duration `json:"gone_after,omitempty"`
	ReservedFor  time.Duration `json:"reserved_for,omitempty"`
	ExpiresAfter time.Duration `json:"expires_after,omitempty"`
}

// begin stores a new task that ends as the effects say.
func (s *Server) begin(tx *bbolt.Tx, record *taskRecord, effects effects) error {
	now := s.now()
	record.Task.ID = "task-" + randomHex(8)
	record.Task.Status = api.TaskRunning
	record.Task.CreatedAt = now.Add(effects.clock)
	record.VisibleAfter, record.HiddenFrom, record.SeenFirst = effects.visibleAfter, effects.hiddenFrom, effects.seenFirst
	record.GoneAfter, record.ReservedFor, record.ExpiresAfter = effects.goneAfter, effects.reservedFor, effects.expiresAfter
	record.Fail = effects.taskOutcome == api.OutcomeFail
	if effects.taskOutcome != api.OutcomeHang {
		delay := s.taskDelay()
		if effects.taskDelay > 0 {
			delay = effects.taskDelay
		}
		record.Due = now.Add(delay)
		if err := tx.Bucket(bucketDue).Put(timeKey(record.Due, record.Task.ID), []byte(record.Task.ID)); err != nil {
			return err
		}
	}
	return put(tx, bucketTasks, []byte(record.Task.ID), record)
}

// settle ends all tasks that are due. Every request does so first: a task needs no
// goroutine of its own, and one that was running when the cloud stopped goes on.
func (s *Server) settle() error {
	now := s.now()
	due := false
	err := s.db.View(func(tx *bbolt.Tx) error {
		key, _ := tx.Bucket(bucketDue).Cursor().First()
		due = key != nil && string(key) <= string(timeKey(now, "\xff"))
		return nil
	})
	if err != nil || !due {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		for {
			key, id := tx.Bucket(bucketDue).Cursor().First()
			if key == nil || string(key) > string(timeKey(now, "\xff")) {
				return nil
			}
			var record taskRecord
			if ok, err := get(tx, bucketTasks, id, &record); err != nil || !ok {
				return err
			}
			status := api.TaskSucceeded
			if record.Fail {
				status = api.TaskFailed
			}
			if err := s.end(tx, &record, status, record.Due); err != nil {
				return err
			}
		}
	})
}

// end concludes a running task: what it was for happens, or not, by its status.
func (s *Server) end(tx *bbolt.Tx, record *taskRecord, status string, at time.Time) error {
	k := kinds[record.Task.Collection]
	task := &record.Task
	task.Status, task.FinishedAt = status, &at
	if !record.Due.IsZero() {
		if err := tx.Bucket(bucketDue).Delete(timeKey(record.Due, task.ID)); err != nil {
			return err
		}
	}
	key := ""
	if task.Operation == api.TaskCreate {
		key = k.keyOf(record.Object)
		if err := tx.Bucket(bucketCreating).Delete(join(k.collection, record.ObjectID)); err != nil {
			return err
		}
		if k.unique {
			if err := tx.Bucket(bucketReserved).Delete(join(k.collection, key)); err != nil {
				return err
			}
		}
		// A token answers with the task only as long as there is, or may be, an object.
		if k.token != "" && status != api.TaskSucceeded {
			if err := tx.Bucket(bucketTokens).Delete(join(k.collection, record.Object.field(k.token))); err != nil {
				return err
			}
		}
	}
	var err error
	switch status {
	case api.TaskSucceeded:
		if task.Operation == api.TaskCreate {
			task.ObjectID = record.ObjectID
			err = s.appear(tx, k, record, at)
		} else {
			err = s.vanish(tx, k, record, at)
		}
	case api.TaskFailed:
		message := record.Message
		if message == "" {
			message = "the " + task.Operation + " task failed"
		}
		task.Error = &api.Error{Status: http.StatusInternalServerError, Code: api.CodeTaskFailed, Message: message}
		err = s.record(tx, api.Event{What: whatFailedTasks, Collection: k.collection, ObjectID: record.ObjectID, Key: key, TaskID: task.ID})
	case api.TaskCancelled:
		err = s.record(tx, api.Event{What: whatCancelledTasks, Collection: k.collection, ObjectID: record.ObjectID, Key: key, TaskID: task.ID})
	}
	if err != nil {
		return err
	}
	record.Object = nil
	return put(tx, bucketTasks, []byte(task.ID), record)
}

func (s *Server) getTask(tx *bbolt.Tx, id string) (*taskRecord, error) {
	var record taskRecord
	ok, err := get(tx, bucketTasks, []byte(id), &record)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &api.Error{Status: http.StatusNotFound, Code: api.CodeNotFound, Message: "there is no task " + id}
	}
	return &record, nil
}

func (s *Server) readTask(r *http.Request, _ effects) (int, any, error) {
	var record *taskRecord
	err := s.db.View(func(tx *bbolt.Tx) (err error) {
		record, err = s.getTask(tx, r.PathValue("id"))
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, record.Task, nil
}

// listTasks answers with the running creations whose objects will match the query;
// "collection" chooses one.
func (s *Server) listTasks(r *http.Request, _ effects) (int, any, error) {
	fields := query(r)
	prefix := []byte{}
	if collection, ok := fields["collection"]; ok {
		prefix = join(collection, "")
		delete(fields, "collection")
	}
	tasks := []api.Task{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		return each(tx, bucketCreating, prefix, func(_, id []byte) (bool, error) {
			record, err := s.getTask(tx, string(id))
			if err == nil && record.Object.matches(fields) {
				tasks = append(tasks, record.Task)
			}
			return true, err
		})
	})
	return http.StatusOK, tasks, err
}

func (s *Server) cancelTask(r *http.Request, _ effects) (int, any, error) {
	return s.endByHand(r.PathValue("id"), api.TaskCancelled, "")
}

func (s *Server) endTask(r *http.Request) (int, any, error) {
	var end api.TaskEnd
	if err := readBody(r, &end); err != nil {
		return 0, nil, err
	}
	switch end.Outcome {
	case "succeed":
		return s.endByHand(r.PathValue("id"), api.TaskSucceeded, "")
	case api.OutcomeFail:
		return s.endByHand(r.PathValue("id"), api.TaskFailed, end.Message)
	}
	return 0, nil, invalid(`outcome is "succeed" or "fail"`)
}

func (s *Server) endByHand(id, status, message string) (int, any, error) {
	var record *taskRecord
	err := s.db.Update(func(tx *bbolt.Tx) (err error) {
		if record, err = s.getTask(tx, id); err != nil {
			return err
		}
		if record.Task.Status != api.TaskRunning {
			return &api.Error{Status: http.StatusConflict, Code: api.CodeConflict, Message: "the task has already " + record.Task.Status}
		}
		record.Message = message
		return s.end(tx, record, status, s.now())
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, record.Task, nil
}
