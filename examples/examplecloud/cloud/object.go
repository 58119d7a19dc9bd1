package cloud

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

func (s *Server) createObject(k *kind, r *http.Request, effects effects, sent object) (int, any, error) {
	made, refused := k.create(sent)
	if refused != nil {
		return 0, nil, refused
	}
	effects.rewrite(k, made)
	k.stamp(made, s.now().Add(effects.clock))
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
	var until time.Time
	if ok, err := get(tx, bucketDeleted, join(k.collection, key), &until); ok && err == nil && s.now().Before(until) {
		return &api.Error{Status: http.StatusConflict, Code: api.CodeConflict, Message: "one of the same name is still being deleted"}
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
		stored.VisibleAt, stored.HiddenFrom, stored.SeenFirst = at.Add(record.VisibleAfter), record.HiddenFrom, record.SeenFirst
	}
	stored.ExpiresAt = after(at, record.ExpiresAfter)
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

// vanish removes an object at the end of its deletion. Reads and lists may show it, and its name
// may stay taken, for some time.
func (s *Server) vanish(tx *bbolt.Tx, k *kind, record *taskRecord, at time.Time) error {
	var old objectRecord
	ok, err := get(tx, bucketObjects, join(k.collection, record.ObjectID), &old)
	if err != nil || !ok {
		return err
	}
	if record.GoneAfter > 0 {
		old.GoneAt = at.Add(record.GoneAfter)
		if err := put(tx, bucketGone, join(k.collection, record.ObjectID), old); err != nil {
			return err
		}
	}
	if record.ReservedFor > 0 {
		if err := put(tx, bucketDeleted, join(k.collection, k.keyOf(old.Object)), at.Add(record.ReservedFor)); err != nil {
			return err
		}
	}
	_, err = s.disappear(tx, k, record.ObjectID, record.Task.ID, whatDeletes)
	return err
}

// disappear removes an object; one that is not there any more stays away.
func (s *Server) disappear(tx *bbolt.Tx, k *kind, id, taskID, what string) (bool, error) {
	var old objectRecord
	ok, err := get(tx, bucketObjects, join(k.collection, id), &old)
	if err != nil || !ok {
		return false, err
	}
	key := k.keyOf(old.Object)
	if err := s.forget(tx, k, id, key); err != nil {
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
	if !ok || record.hidden(api.OnRead, s.now()) || region != "" && !strings.EqualFold(record.Object.field("region"), region) {
		return record, notFound(k, id)
	}
	return record, nil
}

func notFound(k *kind, id string) *api.Error {
	return &api.Error{Status: http.StatusNotFound, Code: api.CodeNotFound, Message: "there is no " + k.collection + "/" + id}
}

func (s *Server) readObject(k *kind, r *http.Request, effects effects) (int, any, error) {
	id, region := r.PathValue("id"), r.URL.Query().Get("region")
	var record objectRecord
	err := s.db.View(func(tx *bbolt.Tx) (err error) {
		if ok, err := get(tx, bucketGone, join(k.collection, id), &record); err != nil || ok && s.now().Before(record.GoneAt) {
			return err
		}
		record, err = s.find(tx, k, id, region)
		return err
	})
	if err != nil && record.SeenFirst > 0 && record.hidden(api.OnRead, s.now()) {
		err = s.db.Update(func(tx *bbolt.Tx) error {
			if ok, err := get(tx, bucketObjects, join(k.collection, id), &record); err != nil {
				return err
			} else if !ok || record.SeenFirst == 0 || region != "" && !strings.EqualFold(record.Object.field("region"), region) {
				return notFound(k, id)
			}
			record.SeenFirst--
			return s.save(tx, k, id, record)
		})
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, effects.answered(record.shown(s.now())), nil
}

// listObjects answers with the objects that match the query, in the order of their
// ids. A query for a natural key does not look at the others.
func (s *Server) listObjects(k *kind, r *http.Request, effects effects) (int, any, error) {
	fields, now := query(r), s.now()
	objects := []object{}
	add := func(record objectRecord) {
		if shown := record.shown(now); !record.hidden(api.OnList, now) && shown.matches(fields) {
			objects = append(objects, effects.answered(shown))
		}
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		err := each(tx, bucketGone, join(k.collection, ""), func(_, text []byte) (bool, error) {
			var record objectRecord
			if err := decode(text, &record); err != nil {
				return false, err
			}
			if now.Before(record.GoneAt) {
				add(record)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
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
				add(record)
			}
			return nil
		}
		return each(tx, bucketObjects, join(k.collection, ""), func(_, text []byte) (bool, error) {
			var record objectRecord
			if err := decode(text, &record); err != nil {
				return false, err
			}
			add(record)
			return true, nil
		})
	})
	return http.StatusOK, objects, err
}

func (s *Server) updateObject(k *kind, r *http.Request, effects effects, patch object, byHand bool) (int, any, error) {
	id := r.PathValue("id")
	var changed object
	err := s.db.Update(func(tx *bbolt.Tx) error {
		record, err := s.find(tx, k, id, r.URL.Query().Get("region"))
		if err != nil {
			return err
		}
		if !byHand && k.expired(record, s.now().Add(effects.clock)) {
			return &api.Error{Status: http.StatusGone, Code: api.CodeExpired, Message: "it has expired"}
		}
		var refused *api.Error
		if changed, refused = k.change(record.Object, patch, byHand); refused != nil {
			return refused
		}
		effects.rewrite(k, changed)
		if !byHand || patch["expires_at"] == nil {
			k.stamp(changed, s.now().Add(effects.clock))
			record.ExpiresAt = after(s.now(), effects.expiresAfter)
		}
		if effects.staleFor > 0 {
			record.Former, record.FormerUntil = record.shown(s.now()), s.now().Add(effects.staleFor)
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
		if effects.newID {
			if err := s.forget(tx, k, id, newKey); err != nil {
				return err
			}
			id = k.newID()
			changed["id"] = id
		}
		if err := s.save(tx, k, id, record); err != nil {
			return err
		}
		what := whatUpdates
		if byHand {
			what = whatByHand
		}
		return s.record(tx, api.Event{What: what, Collection: k.collection, ObjectID: id, Key: newKey})
	})
	return http.StatusOK, effects.answered(changed), err
}

// forget removes what is stored of an object under an id.
func (s *Server) forget(tx *bbolt.Tx, k *kind, id, key string) error {
	if err := tx.Bucket(bucketObjects).Delete(join(k.collection, id)); err != nil {
		return err
	}
	return tx.Bucket(bucketKeys).Delete(join(k.collection, key, id))
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

// storedObjects answers with what is stored of a collection, whatever faults let clients see.
func (s *Server) storedObjects(k *kind, _ *http.Request) (int, any, error) {
	objects := []object{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		return each(tx, bucketObjects, join(k.collection, ""), func(_, text []byte) (bool, error) {
			var record objectRecord
			err := decode(text, &record)
			objects = append(objects, record.Object)
			return true, err
		})
	})
	return http.StatusOK, objects, err
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
