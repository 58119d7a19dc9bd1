package cloud_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/cloud"
)

func start(t *testing.T, options cloud.Options) (*cloud.Server, *client.Client) {
	t.Helper()
	if options.Data == "" {
		options.Data = filepath.Join(t.TempDir(), "cloud.db")
	}
	server, err := cloud.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // some tests have closed it before
	c, err := client.New(client.Config{Endpoint: server.URL(), Token: options.Token})
	if err != nil {
		t.Fatal(err)
	}
	return server, c
}

func create[T any](t *testing.T, c *client.Client, collection api.Collection[T], object T) T {
	t.Helper()
	task, err := client.Begin(t.Context(), c, collection, object)
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.Await(t.Context(), c, collection, task)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func counts(t *testing.T, s *cloud.Server, collection string, managed ...string) api.Counts {
	t.Helper()
	audit, err := s.Audit(api.Managed{collection: managed})
	if err != nil {
		t.Fatal(err)
	}
	got := *audit.Collections[collection]
	got.LiveIDs, got.OrphanIDs = nil, nil
	return got
}

func wantCounts(t *testing.T, s *cloud.Server, collection string, want api.Counts) {
	t.Helper()
	if diff := cmp.Diff(want, counts(t, s, collection)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func wantStatus(t *testing.T, err error, status int, code string) *api.Error {
	t.Helper()
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Status != status || refused.Code != code {
		t.Fatalf("got %v, want status %d, code %s", err, status, code)
	}
	return refused
}

func cluster(name string) api.Datastore {
	return api.Datastore{HCIClusterUUID: "0c0ffee0", ClusterInfo: api.ClusterInfo{ID: "c-1", Name: "one"}, Name: name, CapacityGiB: 10}
}

func TestLifecycle(t *testing.T) {
	s, c := start(t, cloud.Options{})
	thing := create(t, c, api.Things, api.Thing{Name: "a", Region: "us-east-1", Size: 2, Tags: map[string]string{"x": "1", "y": "2"}})
	got, err := client.Get(t.Context(), c, api.Things, thing.ID, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	want := api.Thing{ID: thing.ID, Name: "a", Region: "us-east-1", Size: 2, Tags: map[string]string{"x": "1", "y": "2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err = client.Get(t.Context(), c, api.Things, thing.ID, "eu-central-1")
	wantStatus(t, err, 404, api.CodeNotFound)

	changed, err := client.Update(t.Context(), c, api.Things, thing.ID, map[string]any{"size": 3, "tags": map[string]string{"x": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	want.Size, want.Tags = 3, map[string]string{"x": "1"}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Error(diff)
	}
	_, err = client.Update(t.Context(), c, api.Things, thing.ID, map[string]any{"region": "eu-central-1"})
	wantStatus(t, err, 422, api.CodeImmutable)

	wantCounts(t, s, "things", api.Counts{CreateRequests: 1, Creates: 1, Updates: 1, Live: 1, Orphans: 1})
	if got := counts(t, s, "things", thing.ID).Orphans; got != 0 {
		t.Errorf("a managed object counts as an orphan (%d)", got)
	}
	for range 2 { // the second time there is nothing to delete
		if err := client.Delete(t.Context(), c, api.Things, thing.ID); err != nil {
			t.Fatal(err)
		}
	}
	wantCounts(t, s, "things", api.Counts{CreateRequests: 1, Creates: 1, Updates: 1, Deletes: 1})
}

func TestRefused(t *testing.T) {
	_, c := start(t, cloud.Options{})
	for name, test := range map[string]struct {
		err    func() error
		status int
		code   string
	}{
		"missing name":   {begin(t, c, api.Things, api.Thing{Region: "us-east-1"}), 422, api.CodeInvalid},
		"unknown region": {begin(t, c, api.Things, api.Thing{Name: "a", Region: "moon"}), 422, api.CodeInvalid},
		"own id":         {begin(t, c, api.Things, api.Thing{Name: "a", Region: "us-east-1", ID: "mine"}), 422, api.CodeInvalid},
		"set by cloud": {
			begin(t, c, api.Datastores, func() api.Datastore { d := cluster("a"); d.Status = "fine"; return d }()),
			422, api.CodeInvalid,
		},
		"missing inner": {begin(t, c, api.Datastores, api.Datastore{Name: "a", HCIClusterUUID: "u"}), 422, api.CodeInvalid},
		"key":           {begin(t, c, api.Aliases, api.Alias{Name: "a\x00b"}), 422, api.CodeInvalid},
		"collection":    {begin(t, c, api.Collection[api.Alias]("nothing"), api.Alias{Name: "a"}), 404, api.CodeNotFound},
		"unknown field": {begin(t, c, api.Collection[api.Alias]("things"), api.Alias{Name: "a", Target: "b"}), 422, api.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) { wantStatus(t, test.err(), test.status, test.code) })
	}
}

func begin[T any](t *testing.T, c *client.Client, collection api.Collection[T], object T) func() error {
	return func() error {
		_, err := client.Begin(t.Context(), c, collection, object)
		return err
	}
}

func TestToken(t *testing.T) {
	s, c := start(t, cloud.Options{Token: "let-me-in"})
	create(t, c, api.Aliases, api.Alias{Name: "a"})
	stranger, err := client.New(client.Config{Endpoint: s.URL(), Token: "guess"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.List(t.Context(), stranger, api.Aliases, nil)
	wantStatus(t, err, 401, api.CodeUnauthorized)
}

func TestUniqueNames(t *testing.T) {
	s, c := start(t, cloud.Options{})
	if err := s.AddFault(api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeHang, Count: 1}); err != nil {
		t.Fatal(err)
	}
	task, err := client.Begin(t.Context(), c, api.Datastores, cluster("a"))
	if err != nil {
		t.Fatal(err)
	}
	if task.ObjectID != "" {
		t.Errorf("the id of a datastore is known before it is there: %s", task.ObjectID)
	}
	_, err = client.Begin(t.Context(), c, api.Datastores, cluster("a"))
	if refused := wantStatus(t, err, 409, api.CodeConflict); refused.TaskID != task.ID {
		t.Errorf("conflict with task %q, want %q", refused.TaskID, task.ID)
	}
	running, err := client.Tasks(t.Context(), c, api.Datastores, map[string]string{"name": "a", "cluster_info.id": "c-1"})
	if err != nil || len(running) != 1 || running[0].ID != task.ID {
		t.Fatalf("running creations: %v, %v", running, err)
	}
	if err := c.Cancel(t.Context(), task.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Await(t.Context(), c, api.Datastores, task); err == nil {
		t.Error("a cancelled creation succeeded")
	}
	made := create(t, c, api.Datastores, cluster("a"))
	_, err = client.Begin(t.Context(), c, api.Datastores, cluster("a"))
	wantStatus(t, err, 409, api.CodeConflict)
	other := cluster("a")
	other.ClusterInfo.ID = "c-2"
	create(t, c, api.Datastores, other)
	found, err := client.Find(t.Context(), c, api.Datastores, map[string]string{
		"hci_cluster_uuid": "0c0ffee0", "cluster_info.id": "c-1", "name": "a",
	})
	if err != nil || found.ID != made.ID {
		t.Errorf("found %v, %v", found, err)
	}
	wantCounts(t, s, "datastores", api.Counts{CreateRequests: 3, Conflicts: 2, Creates: 2, CancelledTasks: 1, Live: 2, Orphans: 2})

	// A name that was changed is free again, and taken elsewhere.
	a := create(t, c, api.Aliases, api.Alias{Name: "a"})
	create(t, c, api.Aliases, api.Alias{Name: "b"})
	_, err = client.Update(t.Context(), c, api.Aliases, a.ID, map[string]any{"name": "b"})
	wantStatus(t, err, 409, api.CodeConflict)
	if _, err := client.Update(t.Context(), c, api.Aliases, a.ID, map[string]any{"name": "c"}); err != nil {
		t.Fatal(err)
	}
	create(t, c, api.Aliases, api.Alias{Name: "a"})
}

func TestDuplicates(t *testing.T) {
	s, c := start(t, cloud.Options{})
	ticket := api.Ticket{Title: "it is broken", CreateToken: "t-1"}
	first := create(t, c, api.Tickets, ticket)
	again := create(t, c, api.Tickets, ticket)
	if first.ID != again.ID {
		t.Errorf("one token made %s and %s", first.ID, again.ID)
	}
	wantCounts(t, s, "tickets", api.Counts{CreateRequests: 1, Repeats: 1, Creates: 1, Live: 1, Orphans: 1})
	ticket.CreateToken = "t-2"
	second := create(t, c, api.Tickets, ticket)
	wantCounts(t, s, "tickets", api.Counts{CreateRequests: 2, Repeats: 1, Creates: 2, DuplicatesEver: 1, Live: 2, Duplicates: 1, Orphans: 2})
	if err := client.Delete(t.Context(), c, api.Tickets, second.ID); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, s, "tickets", api.Counts{CreateRequests: 2, Repeats: 1, Creates: 2, Deletes: 1, DuplicatesEver: 1, Live: 1, Orphans: 1})
	// The token of a deleted ticket does not bring it back.
	if third := create(t, c, api.Tickets, ticket); third.ID == second.ID {
		t.Error("a deleted ticket came back")
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	_, c := start(t, cloud.Options{})
	made := create(t, c, api.Credentials, api.Credential{Name: "a", Password: "abc"})
	if made.Password != "" || made.APIKey == "" || made.PasswordSHA256 != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("got %+v", made)
	}
	changed, err := client.Update(t.Context(), c, api.Credentials, made.ID, map[string]any{"secret": "abc"})
	if err != nil || changed.SecretSHA256 != made.PasswordSHA256 || changed.APIKey != made.APIKey {
		t.Errorf("got %+v, %v", changed, err)
	}
}

func TestFaults(t *testing.T) {
	alias := api.Alias{Name: "a"}
	for name, test := range map[string]struct {
		fault api.Fault
		act   func(t *testing.T, s *cloud.Server, c *client.Client)
		want  api.Counts // of aliases, afterwards
	}{
		"lost answer": {
			api.Fault{On: api.OnCreate, LoseAnswer: true, Count: 1},
			func(t *testing.T, _ *cloud.Server, c *client.Client) {
				if _, err := client.Begin(t.Context(), c, api.Aliases, alias); !client.Unanswered(err) {
					t.Errorf("got %v", err)
				}
			},
			api.Counts{CreateRequests: 1, Creates: 1, Live: 1, Orphans: 1},
		},
		"dropped": {
			api.Fault{On: api.OnCreate, Drop: true, Count: 1},
			func(t *testing.T, _ *cloud.Server, c *client.Client) {
				if _, err := client.Begin(t.Context(), c, api.Aliases, alias); !client.Unanswered(err) {
					t.Errorf("got %v", err)
				}
			},
			api.Counts{},
		},
		"status": {
			api.Fault{On: api.OnCreate, Collection: "aliases", Match: map[string]string{"name": "a"}, Status: 503, Skip: 1, Count: 1},
			func(t *testing.T, _ *cloud.Server, c *client.Client) {
				task, err := client.Begin(t.Context(), c, api.Aliases, alias)
				if err != nil {
					t.Fatal(err)
				}
				made, err := client.Await(t.Context(), c, api.Aliases, task)
				if err != nil {
					t.Fatal(err)
				}
				if err := client.Delete(t.Context(), c, api.Aliases, made.ID); err != nil {
					t.Fatal(err)
				}
				create(t, c, api.Aliases, api.Alias{Name: "b"})
				_, err = client.Begin(t.Context(), c, api.Aliases, alias)
				wantStatus(t, err, 503, api.CodeInjected)
				create(t, c, api.Aliases, alias)
			},
			api.Counts{CreateRequests: 3, Creates: 3, Deletes: 1, Live: 2, Orphans: 2},
		},
		"read is repeated": {
			api.Fault{On: api.OnRead, Status: 502, Count: 2},
			func(t *testing.T, _ *cloud.Server, c *client.Client) { create(t, c, api.Aliases, alias) },
			api.Counts{CreateRequests: 1, Creates: 1, Live: 1, Orphans: 1},
		},
		"not there yet": {
			api.Fault{On: api.OnCreate, VisibleAfter: api.Duration(time.Second)},
			func(t *testing.T, _ *cloud.Server, c *client.Client) {
				task, err := client.Begin(t.Context(), c, api.Aliases, alias)
				if err != nil {
					t.Fatal(err)
				}
				_, err = client.Get(t.Context(), c, api.Aliases, task.ObjectID, "")
				wantStatus(t, err, 404, api.CodeNotFound)
				if _, err := client.Await(t.Context(), c, api.Aliases, task); err != nil {
					t.Error(err)
				}
			},
			api.Counts{CreateRequests: 1, Creates: 1, Live: 1, Orphans: 1},
		},
		"failing task": {
			api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeFail, TaskDelay: api.Duration(30 * time.Millisecond)},
			func(t *testing.T, _ *cloud.Server, c *client.Client) {
				task, err := client.Begin(t.Context(), c, api.Aliases, alias)
				if err != nil {
					t.Fatal(err)
				}
				_, err = client.Await(t.Context(), c, api.Aliases, task)
				wantStatus(t, err, 500, api.CodeTaskFailed)
			},
			api.Counts{CreateRequests: 1, FailedTasks: 1},
		},
		"endless task": {
			api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeHang},
			func(t *testing.T, s *cloud.Server, c *client.Client) {
				task, err := client.Begin(t.Context(), c, api.Aliases, alias)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
				defer cancel()
				if _, err := client.Await(ctx, c, api.Aliases, task); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				wantCounts(t, s, "aliases", api.Counts{CreateRequests: 1, Running: 1})
				if err := client.Delete(t.Context(), c, api.Aliases, task.ObjectID); err != nil {
					t.Error(err)
				}
			},
			api.Counts{CreateRequests: 1, CancelledTasks: 1},
		},
		"delay": {
			api.Fault{On: api.OnList, Delay: api.Duration(50 * time.Millisecond)},
			func(t *testing.T, _ *cloud.Server, c *client.Client) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				defer cancel()
				if _, err := client.List(ctx, c, api.Aliases, nil); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			},
			api.Counts{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t, cloud.Options{})
			if err := s.AddFault(test.fault); err != nil {
				t.Fatal(err)
			}
			test.act(t, s, c)
			wantCounts(t, s, "aliases", test.want)
		})
	}
}

// What was stored outlives the process, and a task that was running ends in the
// next one.
func TestRestart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "cloud.db")
	s, c := start(t, cloud.Options{Data: data})
	thing := create(t, c, api.Things, api.Thing{Name: "a", Region: "us-east-1"})
	s.SetTaskDelay(50 * time.Millisecond)
	task, err := client.Begin(t.Context(), c, api.Datastores, cluster("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, c = start(t, cloud.Options{Data: data})
	if _, err := client.Get(t.Context(), c, api.Things, thing.ID, ""); err != nil {
		t.Error(err)
	}
	if _, err := client.Await(t.Context(), c, api.Datastores, task); err != nil {
		t.Error(err)
	}
	wantCounts(t, s, "datastores", api.Counts{CreateRequests: 1, Creates: 1, Live: 1, Orphans: 1})
	wantCounts(t, s, "things", api.Counts{CreateRequests: 1, Creates: 1, Live: 1, Orphans: 1})
}

// BenchmarkCreateAndFind is a whole creation, and a look-up by natural key, among
// many others.
func BenchmarkCreateAndFind(b *testing.B) {
	s, err := cloud.Start(cloud.Options{Data: filepath.Join(b.TempDir(), "cloud.db"), NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c, err := client.New(client.Config{Endpoint: s.URL()})
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		wanted := cluster(strconv.Itoa(i))
		task, err := client.Begin(b.Context(), c, api.Datastores, wanted)
		if err == nil {
			_, err = client.Await(b.Context(), c, api.Datastores, task)
		}
		if err == nil {
			_, err = client.Find(b.Context(), c, api.Datastores, map[string]string{
				"hci_cluster_uuid": wanted.HCIClusterUUID, "cluster_info.id": wanted.ClusterInfo.ID, "name": wanted.Name,
			})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// A token lets its owner in until it expires, and its changes renew it.
func TestTokens(t *testing.T) {
	s, c := start(t, cloud.Options{Token: "own"})
	made := create(t, c, api.Tokens, api.Token{Name: "a", Lifetime: api.Duration(time.Hour)})
	as := func(token string) error {
		with, err := client.New(client.Config{Endpoint: s.URL(), Token: token})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.List(t.Context(), with, api.Things, nil)
		return err
	}
	if err := as(made.Secret); err != nil {
		t.Errorf("with the token: %v", err)
	}
	wantStatus(t, as("another"), 401, api.CodeUnauthorized)
	renewed, err := client.Update(t.Context(), c, api.Tokens, made.ID, map[string]any{"lifetime": "1ns"})
	if err != nil || renewed.Secret != made.Secret || renewed.ExpiresAt >= made.ExpiresAt {
		t.Errorf("renewed: %+v, %v", renewed, err)
	}
	wantStatus(t, as(made.Secret), 401, api.CodeUnauthorized)
	_, err = client.Update(t.Context(), c, api.Tokens, made.ID, map[string]any{"lifetime": "1h"})
	wantStatus(t, err, 410, api.CodeExpired)
	if err := client.Delete(t.Context(), c, api.Tokens, made.ID); err != nil {
		t.Error(err)
	}
}

// A fault has a token expire before it says.
func TestTokensThatExpireEarly(t *testing.T) {
	for name, on := range map[string]string{"created": api.OnCreate, "renewed": api.OnUpdate} {
		t.Run(name, func(t *testing.T) {
			s, c := start(t, cloud.Options{Token: "own"})
			if err := s.AddFault(api.Fault{On: on, ExpiresAfter: 1, Count: 1}); err != nil {
				t.Fatal(err)
			}
			token := create(t, c, api.Tokens, api.Token{Name: "a", Lifetime: api.Duration(time.Hour)})
			if on == api.OnUpdate {
				renewed, err := client.Update(t.Context(), c, api.Tokens, token.ID, map[string]any{"lifetime": "1h"})
				if err != nil {
					t.Fatal(err)
				}
				token = renewed
			}
			if at, err := time.Parse(time.RFC3339Nano, token.ExpiresAt); err != nil || time.Until(at) < 30*time.Minute {
				t.Errorf("it says that it expires at %s: %v", token.ExpiresAt, err)
			}
			with, err := client.New(client.Config{Endpoint: s.URL(), Token: token.Secret})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.List(t.Context(), with, api.Things, nil)
			wantStatus(t, err, 401, api.CodeUnauthorized)
			_, err = client.Update(t.Context(), c, api.Tokens, token.ID, map[string]any{"lifetime": "1h"})
			wantStatus(t, err, 410, api.CodeExpired)
		})
	}
}
