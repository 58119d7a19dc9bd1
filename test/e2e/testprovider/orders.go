package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// order is what the next apply does, or the next read if it is for "read.NAME". It applies once,
// unless it begins with "always ". Of an import by an id, "import.ID", it may be hang.
type order string

const (
	none order = ""
	// crashBefore and crashAfter end the process, before and after the object was changed.
	crashBefore order = "crash-before"
	crashAfter  order = "crash-after"
	// fail changes nothing, and returns an error that quotes the password and the token.
	fail order = "fail"
	// half makes the object and returns it with an error.
	half order = "half"
	// "slow DURATION" waits before it changes anything.
	slow = "slow "
	// "polite DURATION" waits, too, but on a stop request it ends like half.
	polite = "polite "

	// These are for reads as well. "throttle SECONDS" returns an error that asks to retry after
	// that time; hang never returns; grow allocates ever more memory and never returns; flood
	// writes many errors to the log; garbage returns an undecodable value, after the change. login
	// returns an error that its credentials are rejected.
	throttle       = "throttle "
	login    order = "login"
	hang     order = "hang"
	grow     order = "grow"
	flood    order = "flood"
	garbage  order = "garbage"
	// nothing returns null, after the change; another returns an object that differs from the plan,
	// or for a read an unknown value.
	nothing order = "nothing"
	another order = "another"
)

func (c cloud) order(name string) order {
	path := filepath.Join(c.dir, "orders", name)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none
	}
	must(err)
	said, always := strings.CutPrefix(strings.TrimSpace(string(content)), "always ")
	if !always {
		must(os.Remove(path))
	}
	if d, ok := strings.CutPrefix(said, slow); ok {
		duration, err := time.ParseDuration(d)
		must(err)
		time.Sleep(duration)
		return none
	}
	return order(said)
}

func crash() { os.Exit(86) }
