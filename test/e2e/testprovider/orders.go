package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// order is what an apply is told to do, or a read if it is for "read.NAME". It is forgotten
// when it was carried out, unless it begins with "always ".
type order string

const (
	none order = ""
	// crashBefore and crashAfter end the process, before and after the object was changed.
	crashBefore order = "crash-before"
	crashAfter  order = "crash-after"
	// fail changes nothing, and answers with an error that quotes the password and the token.
	fail order = "fail"
	// half makes the object and answers with it and an error.
	half order = "half"
	// "slow DURATION" takes its time before it changes anything.
	slow = "slow "
	// "polite DURATION" does, too, but gives up when it is told to stop, and answers with half of
	// what was asked for.
	polite = "polite "

	// These are for reads as well. "throttle SECONDS" says that the cloud has had enough for so
	// long; hang never answers; grow holds ever more memory, and does not answer either; flood
	// writes many errors to the log; garbage answers with what nobody can read, after the change.
	throttle       = "throttle "
	hang     order = "hang"
	grow     order = "grow"
	flood    order = "flood"
	garbage  order = "garbage"
	// nothing answers that there is no object, after the change; another with one that is not as
	// it was planned, or not known if it is a read.
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
