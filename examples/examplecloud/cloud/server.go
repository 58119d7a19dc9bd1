package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// Options of a cloud.
type Options struct {
	Addr      string        // where to listen; "" is a free port of loopback
	Data      string        // the file that holds everything; it is made if it is not there
	Token     string        // bearer token that clients must send, or one of the tokens that they make; "" lets everybody in
	TaskDelay time.Duration // how long tasks take
	// NoSync does not wait for the disk after every change: faster, and what was
	// written last may be lost when the machine, not only the process, goes down.
	NoSync bool
}

// Server is a running cloud.
type Server struct {
	db       *bbolt.DB
	http     *http.Server
	url      string
	token    string
	delay    atomic.Int64
	faults   faults
	served   chan struct{}
	serveErr error
	now      func() time.Time
}

// Start opens the data and serves until Close.
func Start(options Options) (*Server, error) {
	if options.Addr == "" {
		options.Addr = "127.0.0.1:0"
	}
	db, err := openStore(options.Data, options.NoSync)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", options.Addr)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	s := &Server{
		db: db, url: "http://" + listener.Addr().String(), token: options.Token,
		served: make(chan struct{}), now: time.Now,
	}
	s.delay.Store(int64(options.TaskDelay))
	s.http = &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.serveErr = err
		}
	}()
	return s, nil
}

// URL is the cloud's address, such as "http://127.0.0.1:8480".
func (s *Server) URL() string { return s.url }

// Close stops serving, open connections too, and closes the data.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.served
	return errors.Join(err, s.serveErr, s.db.Close())
}

// Wait serves until the context ends or serving fails, and then closes.
func (s *Server) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-s.served:
	}
	return s.Close()
}

// AddFault makes something go wrong from now on.
func (s *Server) AddFault(f api.Fault) error {
	if _, err := s.faults.add(f); err != nil {
		return err
	}
	return nil
}

// ClearFaults ends all faults; what they did to tasks stays.
func (s *Server) ClearFaults() { s.faults.remove("") }

// SetTaskDelay sets how long the tasks begun from now on take.
func (s *Server) SetTaskDelay(delay time.Duration) { s.delay.Store(int64(delay)) }

func (s *Server) taskDelay() time.Duration { return time.Duration(s.delay.Load()) }

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	inCollection := func(on string, act func(*kind, *http.Request, effects) (int, any, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			k := kinds[r.PathValue("collection")]
			if k == nil {
				answer(w, 0, nil, &api.Error{
					Status: http.StatusNotFound, Code: api.CodeNotFound,
					Message: "there is no collection " + r.PathValue("collection"),
				})
				return
			}
			s.serve(w, r, on, k.collection, func(r *http.Request, e effects) (int, any, error) { return act(k, r, e) })
		}
	}
	onTask := func(act func(*http.Request, effects) (int, any, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, api.OnTask, "tasks", act) }
	}
	mux.HandleFunc("POST /v1/{collection}", inCollection(api.OnCreate, func(k *kind, r *http.Request, e effects) (int, any, error) {
		sent, err := readObject(r)
		if err != nil {
			return 0, nil, err
		}
		return s.createObject(k, r, e, sent)
	}))
	mux.HandleFunc("GET /v1/{collection}", inCollection(api.OnList, func(k *kind, r *http.Request, e effects) (int, any, error) {
		return s.listObjects(k, r, e)
	}))
	mux.HandleFunc("GET /v1/{collection}/{id}", inCollection(api.OnRead, func(k *kind, r *http.Request, e effects) (int, any, error) {
		return s.readObject(k, r, e)
	}))
	mux.HandleFunc("PATCH /v1/{collection}/{id}", inCollection(api.OnUpdate, func(k *kind, r *http.Request, e effects) (int, any, error) {
		patch, err := readObject(r)
		if err != nil {
			return 0, nil, err
		}
		return s.updateObject(k, r, e, patch, false)
	}))
	mux.HandleFunc("DELETE /v1/{collection}/{id}", inCollection(api.OnDelete, func(k *kind, r *http.Request, e effects) (int, any, error) {
		return s.deleteObject(k, r, e)
	}))
	mux.HandleFunc("GET /v1/tasks", onTask(s.listTasks))
	mux.HandleFunc("GET /v1/tasks/{id}", onTask(s.readTask))
	mux.HandleFunc("DELETE /v1/tasks/{id}", onTask(s.cancelTask))
	mux.HandleFunc("GET /v1/regions", func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, api.OnList, "regions", func(*http.Request, effects) (int, any, error) { return http.StatusOK, Regions, nil })
	})

	admin := func(act func(*http.Request) (int, any, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := s.settle(); err != nil {
				answer(w, 0, nil, err)
				return
			}
			status, body, err := act(r)
			answer(w, status, body, err)
		}
	}
	mux.HandleFunc("GET /healthz",
		admin(func(*http.Request) (int, any, error) { return http.StatusOK, map[string]string{"status": "ok"}, nil }))
	mux.HandleFunc("GET /admin/audit", admin(s.audit))
	mux.HandleFunc("POST /admin/audit", admin(s.audit))
	mux.HandleFunc("GET /admin/events", admin(s.listEvents))
	mux.HandleFunc("GET /admin/faults", admin(func(*http.Request) (int, any, error) { return http.StatusOK, s.faults.list(), nil }))
	mux.HandleFunc("POST /admin/faults", admin(func(r *http.Request) (int, any, error) {
		var f api.Fault
		if err := readBody(r, &f); err != nil {
			return 0, nil, err
		}
		added, err := s.faults.add(f)
		if err != nil {
			return 0, nil, err
		}
		return http.StatusCreated, added, nil
	}))
	clear := func(r *http.Request) (int, any, error) {
		s.faults.remove(r.PathValue("id"))
		return http.StatusOK, s.faults.list(), nil
	}
	mux.HandleFunc("DELETE /admin/faults", admin(clear))
	mux.HandleFunc("DELETE /admin/faults/{id}", admin(clear))
	settings := func(r *http.Request) (int, any, error) {
		if r.Method == http.MethodPut {
			var set api.Settings
			if err := readBody(r, &set); err != nil {
				return 0, nil, err
			}
			s.delay.Store(int64(set.TaskDelay))
		}
		return http.StatusOK, api.Settings{TaskDelay: api.Duration(s.taskDelay())}, nil
	}
	mux.HandleFunc("GET /admin/settings", admin(settings))
	mux.HandleFunc("PUT /admin/settings", admin(settings))
	mux.HandleFunc("POST /admin/tasks/{id}", admin(s.endTask))
	byHand := func(act func(*kind, *http.Request) (int, any, error)) http.HandlerFunc {
		return admin(func(r *http.Request) (int, any, error) {
			k := kinds[r.PathValue("collection")]
			if k == nil {
				return 0, nil, invalid("there is no collection %q", r.PathValue("collection"))
			}
			return act(k, r)
		})
	}
	mux.HandleFunc("GET /admin/objects/{collection}", byHand(s.storedObjects))
	mux.HandleFunc("PATCH /admin/objects/{collection}/{id}", byHand(func(k *kind, r *http.Request) (int, any, error) {
		patch, err := readObject(r)
		if err != nil {
			return 0, nil, err
		}
		return s.updateObject(k, r, effects{}, patch, true)
	}))
	mux.HandleFunc("DELETE /admin/objects/{collection}/{id}", byHand(s.removeByHand))
	return mux
}

// serve carries out one request of a client, with whatever is to go wrong in it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, on, collection string, act func(*http.Request, effects) (int, any, error)) {
	if !s.authorized(r) {
		answer(w, 0, nil, &api.Error{Status: http.StatusUnauthorized, Code: api.CodeUnauthorized, Message: "the token is missing or wrong"})
		return
	}
	if err := s.settle(); err != nil {
		answer(w, 0, nil, err)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		answer(w, 0, nil, invalid("body: %s", err))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	effects := s.faults.take(on, collection, func() object { return s.about(r, on, collection, body) }, s.now())
	if err := headerFault(r, &effects); err != nil {
		answer(w, 0, nil, err)
		return
	}
	if effects.delay > 0 {
		select {
		case <-time.After(effects.delay):
		case <-r.Context().Done():
			return
		}
		if err := s.settle(); err != nil {
			answer(w, 0, nil, err)
			return
		}
	}
	if effects.drop {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Date", s.now().Add(effects.clock).UTC().Format(http.TimeFormat))
	if effects.status != 0 {
		answer(w, 0, nil, effects.refusal(w.Header(), effects.status, s.now()))
		return
	}
	status, result, err := act(r, effects)
	if effects.statusAfter != 0 && err == nil {
		err = effects.refusal(w.Header(), effects.statusAfter, s.now())
	}
	if effects.loseAnswer {
		answer(httptest.NewRecorder(), status, result, err)
		panic(http.ErrAbortHandler)
	}
	answer(w, status, result, err)
}

// about is what the choice of a fault is matched with.
func (s *Server) about(r *http.Request, on, collection string, body []byte) object {
	fields := object{}
	for path, value := range query(r) {
		fields.set(path, value)
	}
	id := r.PathValue("id")
	if on == api.OnCreate {
		_ = decode(body, &fields)
		return fields
	}
	if id == "" {
		return fields
	}
	// What cannot be read matches nothing but faults for everything.
	_ = s.db.View(func(tx *bbolt.Tx) error {
		if on == api.OnTask {
			record, err := s.getTask(tx, id)
			if err != nil {
				return err
			}
			if record.Object != nil {
				fields = record.Object
				return nil
			}
			collection, id = record.Task.Collection, record.ObjectID
		}
		var stored objectRecord
		if ok, err := get(tx, bucketObjects, join(collection, id), &stored); ok && err == nil {
			fields = stored.Object
		}
		return nil
	})
	return fields
}

func answer(w http.ResponseWriter, status int, body any, err error) {
	if err != nil {
		var refused *api.Error
		if !errors.As(err, &refused) {
			refused = &api.Error{Status: http.StatusInternalServerError, Code: api.CodeInternal, Message: err.Error()}
		}
		status, body = refused.Status, refused
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone, then
}

func query(r *http.Request) map[string]string {
	fields := map[string]string{}
	for name, values := range r.URL.Query() {
		fields[name] = values[0]
	}
	return fields
}

func readObject(r *http.Request) (object, error) {
	var o object
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = decode(text, &o)
	}
	if err != nil {
		return nil, invalid("body: %s", err)
	}
	if o == nil {
		return nil, invalid("body: an object is needed")
	}
	return o, nil
}

func readBody(r *http.Request, into any) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err == nil {
		err = decodeStrict(text, into)
	}
	if err != nil {
		return invalid("body: %s", err)
	}
	return nil
}

func decodeStrict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}
