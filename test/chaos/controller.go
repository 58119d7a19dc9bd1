package chaos

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// lease is how long another controller waits for one that does not renew it.
const lease = 3 * time.Second

// program is the controller with fault points compiled in.
func program(race bool) testbin.Target {
	t := testbin.Landbridge
	t.Output, t.Flags = "bin/chaos/landbridge", []string{"-tags=faultpoints"}
	if race {
		t.Output, t.Flags = "bin/chaos/landbridge-race", append(t.Flags, "-race")
	}
	return t
}

// controller is a controller process.
type controller struct {
	name   string
	cmd    *exec.Cmd
	log    string
	exited chan struct{}
	err    error // of the process; to be read after exited
}

// start has the options of a controller.
type start struct {
	// at, if set, is a fault point and its action: "<process>/<step>:<nth>:<action>".
	at string
	// elected makes it wait for the lease.
	elected bool
	// grace is how long it waits for operations when it is stopped.
	grace time.Duration
}

// startController starts another controller process.
func (w *world) startController(s start) (*controller, error) {
	w.incarnations++
	if s.grace == 0 {
		s.grace = 15 * time.Second
	}
	c := &controller{name: fmt.Sprintf("controller-%03d", w.incarnations), exited: make(chan struct{})}
	c.log = filepath.Join(w.dir, c.name+".log")
	log, err := os.Create(c.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.cmd = exec.Command(w.program, "controller", "--kubeconfig", w.server.Kubeconfig, "--provider-cache", filepath.Join(w.dir, "cache"),
		"--poll", w.poll().String(), "--leader-elect="+strconv.FormatBool(s.elected || w.sharded()),
		"--lease-duration", w.lease().String(), "--grace-period", s.grace.String(),
		// Objects are removed by hand, too, which is noticed only afterwards.
		"--creation-grace-period", "5s",
		// More is destroyed than in any estate.
		"--destroys-per-minute", "0",
		"--cli", w.tofu, "--cli-workspaces", w.workspaces(),
		"--events-per-second", "50", "--metrics-address", "0", "--health-address", "0", "-v", "1")
	if w.sharded() {
		c.cmd.Args = append(c.cmd.Args, "--shards", strconv.Itoa(w.replicas))
	}
	c.cmd.Env = append(os.Environ(), faultpoint.Variable+"="+s.at)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	dieWithParent(c.cmd)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.exited)
		c.err = c.cmd.Wait()
	}()
	w.note("%s starts%s", c.name, describe(s))
	return c, nil
}

func describe(s start) string {
	var out string
	if s.at != "" {
		out += ", " + s.at
	}
	if s.elected {
		out += ", elected"
	}
	return out
}

func (c *controller) pid() int { return c.cmd.Process.Pid }

func (c *controller) signal(s syscall.Signal) { _ = c.cmd.Process.Signal(s) }

// alive reports whether the process exists, paused or not.
func (c *controller) alive() bool {
	select {
	case <-c.exited:
		return false
	default:
		return true
	}
}

// kill kills the process and waits until it has ended.
func (c *controller) kill() {
	c.signal(syscall.SIGKILL)
	<-c.exited
}

// stop requests the process to end.
func (c *controller) stop(ctx context.Context, limit time.Duration) error {
	c.signal(syscall.SIGTERM)
	return c.ends(ctx, limit)
}

// ends waits until the process has ended.
func (c *controller) ends(ctx context.Context, limit time.Duration) error {
	select {
	case <-c.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(limit):
		// This writes its goroutines to its log.
		c.signal(syscall.SIGQUIT)
		time.Sleep(time.Second)
		c.kill()
		return fmt.Errorf("%s does not end within %s; see %s", c.name, limit, c.log)
	}
}

// says reports whether the process has logged a text.
func (c *controller) says(text string) bool {
	content, _ := os.ReadFile(c.log)
	return bytes.Contains(content, []byte(text))
}

// reached reports whether the process has reached its fault point.
func (c *controller) reached(p faultpoint.Point) bool {
	return c.says(faultpoint.Announcement + p.String() + "\n")
}

// works reports whether the process has acquired the lease.
func (c *controller) works() bool { return c.says("Starting workers") }

// crashed returns the last output of a process that ended because of a bug; empty otherwise.
func (c *controller) crashed() string {
	content, _ := os.ReadFile(c.log)
	for _, sign := range []string{"\npanic: ", "\nfatal error: ", "WARNING: DATA RACE"} {
		if i := bytes.Index(content, []byte(sign)); i >= 0 {
			return strings.TrimSpace(string(content[i:min(len(content), i+2000)]))
		}
	}
	return ""
}

// dieWithParent makes a process end with this one.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
