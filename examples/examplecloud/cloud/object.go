package cloud

import (
	"net/http"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

func (s *Server) createObject(k *kind, r *http.Request, effects effects, sent object) (int, any, error) {
	made, refused := k.create(sent)
	if refused != nil {
		return 0, nil, refused
	}
	var task api.Task
	var conflict *api.Error
	err := s.db.Update(func(tx *bbolt.Tx) error {
		key := k.keyOf(made)
		if token := made.field(orID(k.token)); k.token != "" && token != "" {
			if id := tx.Bucket(bucketTokens).Get(join(k.collection, token)); id != nil {
				earlier, err := s.getTask(tx, string(id))
				if err != nil {
					return err
				}
				task = earlier.Task
				return s.record(tx, api.Event{What: whatRepeats, Collection: k.collection, ObjectID: earlier.ObjectID, Key: key, TaskID: task.ID})
			}
		}
		if k.unique {
			if conflict = s.taken(tx, k, key, ""); conflict != nil {
				return s.record(tx, api.Event{What: whatConflicts, Collection: k.collection, Key: key, TaskID: conflict.TaskID})
			}
		}
		record := &taskRecord{
			Task:     api.Task{Collection: k.collection, Operation: api.TaskCreate},
			ObjectID: k.newID(), Object: made,
		}
		made["id"] = record.ObjectID
		if !k.late {
			record.Task.ObjectID = record.ObjectID
		}
		if err := s.begin(tx, record, effects); err != nil {
			return err
		}
		task = record.Task
		if err := tx.Bucket(bucketCreating).Put(join(k.collection, record.ObjectID), []byte(task.ID)); err != nil {
			return err
		}
		if k.unique {
			if err := tx.Bucket(bucketReserved).Put(join(k.collection, key), []byte(task.ID)); err != nil {
				return err
			}
		}
		if token := made.field(orID(k.token)); k.token != "" && token != "" {
			if err := tx.Bucket(bucketTokens).Put(join(k.collection, token), []byte(task.ID)); err != nil {
				return err
			}
		}
		return s.record(tx, api.Event{What: whatCreateRequests, Collection: k.collection, ObjectID: record.ObjectID, Key: key, TaskID: task.ID})
	})
	if err == nil && conflict != nil {
		err = conflict
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, task, nil
}

func orID(field string) string {
	if field == "" {
		return "id"
	}
	return field
}

func (k *kind) newID() string {
	if k.late {
		return randomHex(4) + "-" + randomHex(2) + "-" + randomHex(2) + "-" + randomHex(2) + "-" + randomHex(6)
	}
	return k.collection[:1] + "-" + randomHex(8)
}

// taken tells who has a unique natural key, other than the object itself.
func (s *Server) taken(tx *bbolt.Tx, k *kind, key, self string) *api.Error {
	if id := tx.Bucket(bucketReserved).Get(join(k.collection, key)); id != nil {
		return &api.Error{
			Status: http.StatusConflict, Code: api.CodeConflict, TaskID: string(id),
			Message: "one of the same name is being created",
		}
	}
	for _, id := range s.byKey(tx, k, key) {
		if id != self {
			return &api.Error{Status: http.StatusConflict, Code: api.CodeConflict, Message: "one of the same name exists"}
		}
	}
	return nil
}

// byKey finds the ids of live objects with a natural key.
func (s *Server) byKey(tx *bbolt.Tx, k *kind, key string) []string {
	var ids []string
	_ = each(tx, bucketKeys, join(k.collection, key, ""), func(id, _ []byte) (bool, error) {
		ids = append(ids, string(id))
		return true, nil
	})
	return ids
}

// appear puts a created object in its place.
func (s *Server) appear(tx *bbolt.Tx, k *kind, record *taskRecord, at time.Time) error {
	key := k.keyOf(record.Object)
	duplicate := len(s.byKey(tx, k, key)) > 0
	stored := objectRecord{Object: record.Object}
	if record.VisibleAfter > 0 {
		stored.VisibleAt = at.Add(record.VisibleAfter)
	}
	if err := s.save(tx, k, record.ObjectID, stored); err != nil {
		return err
	}
	event := api.Event{What: whatCreates, Collection: k.collection, ObjectID: record.ObjectID, Key: key, TaskID: record.Task.ID}
	if err := s.record(tx, event); err != nil || !duplicate {
		return err
	}
	event.What = whatDuplicatesEver
	return s.record(tx, event)
}

// disappear removes an object; one that is not there any more stays away.
func (s *Server) disappear(tx *bbolt.Tx, k *kind, id, taskID, what string) (bool, error) {
	var old objectRecord
	ok, err := get(tx, bucketObjects, join(k.collection, id), &old)
	if err != nil || !ok {
		return false, err
	}
	if err := tx.Bucket(bucketObjects).Delete(join(k.collection, id)); err != nil {
		return false, err
	}
	key := k.keyOf(old.Object)
	if err := tx.Bucket(bucketKeys).Delete(join(k.collection, key, id)); err != nil {
		return false, err
	}
	// The token of an object that is gone makes a new one.
	if token := old.Object.field(orID(k.token)); k.token != "" && token != "" {
		if err := tx.Bucket(bucketTokens).Delete(join(k.collection, token)); err != nil {
			return false, err
		}
	}
	return true, s.record(tx, api.Event{What: what, Collection: k.collection, ObjectID: id, Key: key, TaskID: taskID})
}

func (s *Server) save(tx *bbolt.Tx, k *kind, id string, record objectRecord) error {
	if err := put(tx, bucketObjects, join(k.collection, id), record); err != nil {
		return err
	}
	return tx.Bucket(bucketKeys).Put(join(k.collection, k.keyOf(record.Object), id), []byte{})
}

func (s *Server) find(tx *bbolt.Tx, k *kind, id, region string) (objectRecord, error) {
	var record objectRecord
	ok, err := get(tx, bucketObjects, join(k.collection, id), &record)
	if err != nil {
		return record, err
	}
	if !ok || s.now().Before(record.VisibleAt) || region != "" && record.Object.field("region") != region {
		return record, &api.Error{Status: http.StatusNotFound, Code: api.CodeNotFound, Message: "there is no " + k.collection + "/" + id}
	}
	return record, nil
}

func (s *Server) readObject(k *kind, r *http.Request) (int, any, error) {
	var record objectRecord
	err := s.db.View(func(tx *bbolt.Tx) (err error) {
		record, err = s.find(tx, k, r.PathValue("id"), r.URL.Query().Get("region"))
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, record.Object, nil
}

// listObjects answers with the objects that match the query, in the order of their
// ids. A query for a natural key does not look at the others.
func (s *Server) listObjects(k *kind, r *http.Request) (int, any, error) {
	fields := query(r)
	objects := []object{}
	add := func(tx *bbolt.Tx, record objectRecord) {
		if !s.now().Before(record.VisibleAt) && record.Object.matches(fields) {
			objects = append(objects, record.Object)
		}
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		if !slices.ContainsFunc(k.key, func(path string) bool { return fields[path] == "" }) {
			values := object{}
			for path, value := range fields {
				values.set(path, value)
			}
			for _, id := range s.byKey(tx, k, k.keyOf(values)) {
				var record objectRecord
				if _, err := get(tx, bucketObjects, join(k.collection, id), &record); err != nil {
					return err
				}
				add(tx, record)
			}
			return nil
		}
		return each(tx, bucketObjects, join(k.collection, ""), func(_, text []byte) (bool, error) {
			var record objectRecord
			if err := decode(text, &record); err != nil {
				return false, err
			}
			add(tx, record)
			return true, nil
		})
	})
	return http.StatusOK, objects, err
}

func (s *Server) updateObject(k *kind, r *http.Request, patch object, byHand bool) (int, any, error) {
	id := r.PathValue("id")
	var changed object
	err := s.db.Update(func(tx *bbolt.Tx) error {
		record, err := s.find(tx, k, id, r.URL.Query().Get("region"))
		if err != nil {
			return err
		}
		var refused *api.Error
		if changed, refused = k.change(record.Object, patch, byHand); refused != nil {
			return refused
		}
		oldKey, newKey := k.keyOf(record.Object), k.keyOf(changed)
		if oldKey != newKey {
			if k.unique {
				if conflict := s.taken(tx, k, newKey, id); conflict != nil {
					return conflict
				}
			}
			if err := tx.Bucket(bucketKeys).Delete(join(k.collection, oldKey, id)); err != nil {
				return err
			}
		}
		record.Object = changed
		if err := s.save(tx, k, id, record); err != nil {
			return err
		}
		what := whatUpdates
		if byHand {
			what = whatByHand
		}
		return s.record(tx, api.Event{What: what, Collection: k.collection, ObjectID: id, Key: newKey})
	})
	return http.StatusOK, changed, err
}

// deleteObject begins the deletion of an object, or cancels its creation.
func (s *Server) deleteObject(k *kind, r *http.Request, effects effects) (int, any, error) {
	id := r.PathValue("id")
	var task api.Task
	err := s.db.Update(func(tx *bbolt.Tx) error {
		if running := tx.Bucket(bucketCreating).Get(join(k.collection, id)); running != nil {
			record, err := s.getTask(tx, string(running))
			if err != nil {
				return err
			}
			if err := s.end(tx, record, api.TaskCancelled, s.now()); err != nil {
				return err
			}
		} else if _, err := s.find(tx, k, id, r.URL.Query().Get("region")); err != nil {
			return err
		}
		record := &taskRecord{Task: api.Task{Collection: k.collection, Operation: api.TaskDelete, ObjectID: id}, ObjectID: id}
		err := s.begin(tx, record, effects)
		task = record.Task
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	return http.StatusAccepted, task, nil
}

func (s *Server) removeByHand(k *kind, r *http.Request) (int, any, error) {
	err := s.db.Update(func(tx *bbolt.Tx) error {
		ok, err := s.disappear(tx, k, r.PathValue("id"), "", whatByHand)
		if err == nil && !ok {
			_, err = s.find(tx, k, r.PathValue("id"), "")
		}
		return err
	})
	return http.StatusOK, struct{}{}, err
}
