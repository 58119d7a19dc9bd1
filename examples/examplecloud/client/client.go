package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// Client talks to one cloud. It may be used by several goroutines.
type Client struct {
	// Region is where objects are made and looked for unless a region is named.
	Region string

	endpoint string
	token    string
	http     *http.Client
}

// Config of a client.
type Config struct {
	Endpoint string // "http://127.0.0.1:8480"
	Token    string
	Region   string // "us-east-1" if empty
}

// New checks the configuration; it does not connect.
func New(config Config) (*Client, error) {
	endpoint, err := url.Parse(config.Endpoint)
	if err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Host == "" {
		return nil, fmt.Errorf("endpoint %q is not an http or https URL", config.Endpoint)
	}
	if config.Region == "" {
		config.Region = "us-east-1"
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     30 * time.Second,
	}
	return &Client{
		Region: config.Region, endpoint: strings.TrimRight(config.Endpoint, "/"), token: config.Token,
		http: &http.Client{Transport: transport},
	}, nil
}

const (
	attempts  = 4
	retryWait = 25 * time.Millisecond // before the first repetition
	pollWait  = 2 * time.Millisecond  // before a task is polled for the first time
	lastWait  = time.Second
	// How long an object may stay invisible after its creation (eventual
	// consistency) before that counts as an error.
	consistency = 2 * time.Second
)

// backoff waits longer each time, or until the context ends.
type backoff struct{ wait time.Duration }

func (b *backoff) pause(ctx context.Context) error {
	timer := time.NewTimer(b.wait)
	defer timer.Stop()
	b.wait = min(2*b.wait, lastWait)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// do sends one request, and again after answers of 5xx and lost connections where
// that is safe.
func (c *Client) do(ctx context.Context, method, path string, query url.Values, body, into any, repeatable bool) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	target := c.endpoint + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	wait := backoff{retryWait}
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, method, target, text, into)
		if err == nil || !repeatable || attempt == attempts || !temporary(err) || ctx.Err() != nil {
			return err
		}
		if wait.pause(ctx) != nil {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, method, target string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		refused := &api.Error{}
		if json.Unmarshal(answer, refused) != nil || refused.Message == "" {
			refused = &api.Error{Code: api.CodeInternal, Message: http.StatusText(response.StatusCode)}
		}
		refused.Status = response.StatusCode
		if after := response.Header.Get("Retry-After"); after != "" {
			refused.Message += " (Retry-After: " + after + ")"
		}
		return refused
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

func temporary(err error) bool {
	var refused *api.Error
	if errors.As(err, &refused) {
		return refused.Status >= 500 || refused.Status == http.StatusTooManyRequests
	}
	return true
}

// NotFound reports whether the cloud responded that the object does not exist.
func NotFound(err error) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

// Unanswered reports whether it is unknown if the cloud carried out the request.
func Unanswered(err error) bool {
	var refused *api.Error
	return err != nil && !errors.As(err, &refused)
}

// Tasks finds the running creations of a collection by fields of the objects to be.
func Tasks[T any](ctx context.Context, c *Client, collection api.Collection[T], fields map[string]string) ([]api.Task, error) {
	var tasks []api.Task
	query := values(fields)
	query.Set("collection", string(collection))
	err := c.do(ctx, http.MethodGet, "/v1/tasks", query, nil, &tasks, true)
	return tasks, err
}

// Cancel ends a running task; one that has ended stays as it is.
func (c *Client) Cancel(ctx context.Context, taskID string) error {
	err := c.do(ctx, http.MethodDelete, "/v1/tasks/"+url.PathEscape(taskID), nil, nil, nil, true)
	var refused *api.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return nil
	}
	return err
}

// wait polls a task until it has ended, or the context does.
func (c *Client) wait(ctx context.Context, task api.Task) (api.Task, error) {
	wait, said := backoff{pollWait}, ""
	for {
		if task.Status != said {
			said = task.Status
			tflog.Info(ctx, "Task "+task.ID+" is "+task.Status)
		}
		switch task.Status {
		case api.TaskSucceeded:
			return task, nil
		case api.TaskFailed:
			return task, fmt.Errorf("task %s: %w", task.ID, task.Error)
		case api.TaskCancelled:
			return task, fmt.Errorf("task %s was cancelled", task.ID)
		}
		if err := wait.pause(ctx); err != nil {
			return task, fmt.Errorf("task %s still runs: %w", task.ID, err)
		}
		next := api.Task{}
		if err := c.do(ctx, http.MethodGet, "/v1/tasks/"+url.PathEscape(task.ID), nil, nil, &next, true); ctx.Err() != nil {
			return task, fmt.Errorf("task %s still runs: %w", task.ID, ctx.Err())
		} else if err != nil {
			return task, fmt.Errorf("task %s: %w", task.ID, err)
		}
		task = next
	}
}

func values(fields map[string]string) url.Values {
	query := url.Values{}
	for name, value := range fields {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}
