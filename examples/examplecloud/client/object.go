package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// Begin begins the creation of an object and answers with its task. It is not
// repeated: what an unanswered request did is unknown (see Unanswered).
func Begin[T any](ctx context.Context, c *Client, collection api.Collection[T], object T) (api.Task, error) {
	var task api.Task
	err := c.do(ctx, http.MethodPost, "/v1/"+string(collection), nil, object, &task, false)
	return task, err
}

// BeginOnce is Begin for objects with a create token: repeated until there is an
// answer, as the token keeps the cloud from making two.
func BeginOnce[T any](ctx context.Context, c *Client, collection api.Collection[T], object T) (api.Task, error) {
	var task api.Task
	err := c.do(ctx, http.MethodPost, "/v1/"+string(collection), nil, object, &task, true)
	return task, err
}

// Await waits for the creation to end and answers with the object. If the object was
// created and cannot be read, Unread is true of the error.
func Await[T any](ctx context.Context, c *Client, collection api.Collection[T], task api.Task) (T, error) {
	var none T
	task, err := c.wait(ctx, task)
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, consistency, fmt.Errorf("not there after %s", consistency))
	defer cancel()
	wait := backoff{retryWait}
	for {
		object, err := Get(ctx, c, collection, task.ObjectID, "")
		if err == nil {
			return object, nil
		}
		if !NotFound(err) || wait.pause(ctx) != nil {
			return none, &unreadError{fmt.Errorf("%s/%s was created, but cannot be read: %w", collection, task.ObjectID, err)}
		}
	}
}

// unreadError is why an object could not be read after its creation had succeeded.
type unreadError struct{ error }

func (e *unreadError) Unwrap() error { return e.error }

// Unread reports whether an object was created, and could not be read afterwards.
func Unread(err error) bool {
	var unread *unreadError
	return errors.As(err, &unread)
}

// Wait waits for a task to end. Unlike Await, it does not look whether the object can be read.
func Wait(ctx context.Context, c *Client, task api.Task) (api.Task, error) { return c.wait(ctx, task) }

// Get reads one object, in one region unless that is "".
func Get[T any](ctx context.Context, c *Client, collection api.Collection[T], id, region string) (T, error) {
	var object T
	if id == "" {
		return object, &api.Error{Status: http.StatusNotFound, Code: api.CodeNotFound, Message: "no id"}
	}
	err := c.do(ctx, http.MethodGet, "/v1/"+string(collection)+"/"+url.PathEscape(id),
		values(map[string]string{"region": region}), nil, &object, true)
	return object, err
}

// List finds objects by their fields; fields of "" are not looked at.
func List[T any](ctx context.Context, c *Client, collection api.Collection[T], fields map[string]string) ([]T, error) {
	var objects []T
	err := c.do(ctx, http.MethodGet, "/v1/"+string(collection), values(fields), nil, &objects, true)
	return objects, err
}

// Find reads the one object with the given fields.
func Find[T any](ctx context.Context, c *Client, collection api.Collection[T], fields map[string]string) (T, error) {
	var none T
	objects, err := List(ctx, c, collection, fields)
	switch {
	case err != nil:
		return none, err
	case len(objects) == 0:
		return none, &api.Error{
			Status: http.StatusNotFound, Code: api.CodeNotFound,
			Message: fmt.Sprintf("there is none of %s with %v", collection, fields),
		}
	case len(objects) > 1:
		return none, fmt.Errorf("there are %d of %s with %v", len(objects), collection, fields)
	}
	return objects[0], nil
}

// Update replaces the given fields; nil removes one.
func Update[T any](ctx context.Context, c *Client, collection api.Collection[T], id string, fields map[string]any) (T, error) {
	var object T
	err := c.do(ctx, http.MethodPatch, "/v1/"+string(collection)+"/"+url.PathEscape(id), nil, fields, &object, true)
	return object, err
}

// Delete deletes an object, or cancels its creation, and waits until it is gone.
// An object that is not there is gone already.
func Delete[T any](ctx context.Context, c *Client, collection api.Collection[T], id string) error {
	var task api.Task
	err := c.do(ctx, http.MethodDelete, "/v1/"+string(collection)+"/"+url.PathEscape(id), nil, nil, &task, true)
	if NotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = c.wait(ctx, task)
	return err
}
