package cloud

import (
	"encoding/binary"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// What events say: the JSON name of the count that they add one to.
const (
	whatCreateRequests = "create_requests"
	whatRepeats        = "repeats"
	whatConflicts      = "conflicts"
	whatCreates        = "creates"
	whatUpdates        = "updates"
	whatDeletes        = "deletes"
	whatFailedTasks    = "failed_tasks"
	whatCancelledTasks = "cancelled_tasks"
	whatDuplicatesEver = "duplicates_ever"
	whatByHand         = "by_hand" // by an administrator: no count
)

func countOf(c *api.Counts, what string) *int {
	switch what {
	case whatCreateRequests:
		return &c.CreateRequests
	case whatRepeats:
		return &c.Repeats
	case whatConflicts:
		return &c.Conflicts
	case whatCreates:
		return &c.Creates
	case whatUpdates:
		return &c.Updates
	case whatDeletes:
		return &c.Deletes
	case whatFailedTasks:
		return &c.FailedTasks
	case whatCancelledTasks:
		return &c.CancelledTasks
	case whatDuplicatesEver:
		return &c.DuplicatesEver
	}
	return new(int)
}

// record writes an event and counts it, in the transaction of the change itself.
func (s *Server) record(tx *bbolt.Tx, event api.Event) error {
	bucket := tx.Bucket(bucketEvents)
	sequence, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	event.Sequence, event.Time = sequence, s.now()
	event.Key = strings.ReplaceAll(event.Key, keySeparator, "/")
	if err := put(tx, bucketEvents, binary.BigEndian.AppendUint64(nil, sequence), event); err != nil {
		return err
	}
	var counts api.Counts
	if _, err := get(tx, bucketCounts, []byte(event.Collection), &counts); err != nil {
		return err
	}
	*countOf(&counts, event.What)++
	return put(tx, bucketCounts, []byte(event.Collection), counts)
}

// Audit tells what was done and what is there; all live objects that are not
// managed are orphans.
func (s *Server) Audit(managed api.Managed) (api.Audit, error) {
	audit := api.Audit{Collections: map[string]*api.Counts{}}
	if err := s.settle(); err != nil {
		return audit, err
	}
	err := s.db.View(func(tx *bbolt.Tx) error {
		for name := range kinds {
			counts := &api.Counts{}
			if _, err := get(tx, bucketCounts, []byte(name), counts); err != nil {
				return err
			}
			isManaged := map[string]bool{}
			for _, id := range managed[name] {
				isManaged[id] = true
			}
			previous := ""
			err := each(tx, bucketKeys, join(name, ""), func(rest, _ []byte) (bool, error) {
				end := strings.LastIndexByte(string(rest), 0)
				key, id := string(rest[:end]), string(rest[end+1:])
				if counts.Live > 0 && key == previous {
					counts.Duplicates++
				}
				previous = key
				counts.Live++
				counts.LiveIDs = append(counts.LiveIDs, id)
				if !isManaged[id] {
					counts.OrphanIDs = append(counts.OrphanIDs, id)
				}
				return true, nil
			})
			if err != nil {
				return err
			}
			counts.Orphans = len(counts.OrphanIDs)
			err = each(tx, bucketCreating, join(name, ""), func(_, _ []byte) (bool, error) {
				counts.Running++
				return true, nil
			})
			if err != nil {
				return err
			}
			slices.Sort(counts.LiveIDs)
			slices.Sort(counts.OrphanIDs)
			audit.Collections[name] = counts
			total := reflect.ValueOf(&audit.Total).Elem()
			for i := range total.NumField() {
				if field := total.Field(i); field.CanInt() {
					field.SetInt(field.Int() + reflect.ValueOf(counts).Elem().Field(i).Int())
				}
			}
		}
		return nil
	})
	return audit, err
}

func (s *Server) audit(r *http.Request) (int, any, error) {
	var managed api.Managed
	if r.Method == http.MethodPost {
		if err := readBody(r, &managed); err != nil {
			return 0, nil, err
		}
		for name := range managed {
			if kinds[name] == nil {
				return 0, nil, invalid("there is no collection %q", name)
			}
		}
	}
	audit, err := s.Audit(managed)
	return http.StatusOK, audit, err
}

// listEvents answers with the events after a sequence number (?after=).
func (s *Server) listEvents(r *http.Request) (int, any, error) {
	after := uint64(0)
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 0, nil, invalid("after is a sequence number")
		}
	}
	events := []api.Event{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		cursor := tx.Bucket(bucketEvents).Cursor()
		for key, text := cursor.Seek(binary.BigEndian.AppendUint64(nil, after+1)); key != nil; key, text = cursor.Next() {
			var event api.Event
			if err := decode(text, &event); err != nil {
				return err
			}
			events = append(events, event)
		}
		return nil
	})
	return http.StatusOK, events, err
}
