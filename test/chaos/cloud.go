package chaos

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// taskDelay is the duration of the cloud's tasks without faults.
const taskDelay = 120 * time.Millisecond

// cloud is the example cloud as a process that can be stopped and restarted with its data.
type cloud struct {
	dir     string
	address string // host:port, the same for its whole life
	cmd     *exec.Cmd
	exited  chan error
}

// object is an object of the cloud.
type object map[string]any

// text returns a field, "a" or "a.b".
func (o object) text(path string) string {
	var v any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// event is an entry of the cloud's audit log.
type event struct {
	Sequence   int       `json:"sequence"`
	Time       time.Time `json:"time"`
	What       string    `json:"what"`
	Collection string    `json:"collection"`
	ObjectID   string    `json:"object_id"`
	Key        string    `json:"key"`
}

// task is a create in progress.
type task struct {
	ID         string `json:"id"`
	Collection string `json:"collection"`
}

// fault is a fault of the cloud, as in its package api.
type fault map[string]any

func (c *cloud) url() string { return "http://" + c.address }

// start starts the cloud with its former data and address.
func (c *cloud) start(ctx context.Context) error {
	program, err := testbin.Build(ctx, examplecloudtest.Program)
	if err != nil {
		return err
	}
	address := c.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	c.cmd = exec.Command(program, "--addr", address, "--data", filepath.Join(c.dir, "cloud.db"), "--no-sync",
		"--task-delay", taskDelay.String())
	dieWithParent(c.cmd)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the cloud does not start: %w", err)
	}
	exited := make(chan error, 1)
	c.exited = exited
	go func() { exited <- c.cmd.Wait() }()
	var ready struct{ Address string }
	if err := json.Unmarshal(line, &ready); err != nil {
		return err
	}
	c.address = strings.TrimPrefix(ready.Address, "http://")
	return nil
}

func (c *cloud) port() string {
	_, port, _ := net.SplitHostPort(c.address)
	return port
}

// kill ends the cloud's process.
func (c *cloud) kill() {
	if c.cmd != nil && c.cmd.Process != nil {
		_ = c.cmd.Process.Kill()
		<-c.exited
		c.cmd = nil
	}
}

func (c *cloud) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.url()+path, body)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return &cloudError{answer.StatusCode, fmt.Sprintf("%s %s: %s", method, path, b)}
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(b, out)
}

type cloudError struct {
	status int
	text   string
}

func (e *cloudError) Error() string { return e.text }

// objects returns all objects of a collection. The list is complete only while lists have no
// faults.
func (c *cloud) objects(ctx context.Context, collection string) ([]object, error) {
	var out []object
	return out, c.call(ctx, http.MethodGet, "/v1/"+collection, nil, &out)
}

// creating returns the creates in progress
func (c *cloud) creating(ctx context.Context) ([]task, error) {
	var out []task
	return out, c.call(ctx, http.MethodGet, "/v1/tasks", nil, &out)
}

// endTask ends a create; outcome is succeed or fail.
func (c *cloud) endTask(ctx context.Context, id, outcome string) error {
	return c.call(ctx, http.MethodPost, "/admin/tasks/"+id, map[string]any{"outcome": outcome}, nil)
}

func (c *cloud) addFault(ctx context.Context, f fault) error {
	return c.call(ctx, http.MethodPost, "/admin/faults", f, nil)
}

func (c *cloud) clearFaults(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/admin/faults", nil, nil)
}

// change and remove act on objects without Landbridge.
func (c *cloud) change(ctx context.Context, collection, id string, fields map[string]any) error {
	return c.call(ctx, http.MethodPatch, "/admin/objects/"+collection+"/"+url.PathEscape(id), fields, nil)
}

func (c *cloud) remove(ctx context.Context, collection, id string) error {
	return c.call(ctx, http.MethodDelete, "/admin/objects/"+collection+"/"+url.PathEscape(id), nil, nil)
}

func (c *cloud) events(ctx context.Context) ([]event, error) {
	var out []event
	return out, c.call(ctx, http.MethodGet, "/admin/events", nil, &out)
}

// audit returns the cloud's audit, which lists live objects without an owner.
func (c *cloud) audit(ctx context.Context, managed map[string][]string) (map[string]counts, error) {
	var out struct {
		Collections map[string]counts `json:"collections"`
	}
	return out.Collections, c.call(ctx, http.MethodPost, "/admin/audit", managed, &out)
}

type counts struct {
	Creates    int      `json:"creates"`
	Live       int      `json:"live"`
	Running    int      `json:"running"`
	Duplicates int      `json:"duplicates"`
	OrphanIDs  []string `json:"orphan_ids"`
}
