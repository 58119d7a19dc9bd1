package main

import (
	"syscall"
	"time"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

// idleness is the processor time per second of what does nothing.
type idleness struct{ controller, apiserver time.Duration }

// idle measures what the controller and the API server use while nothing happens.
func (c *cluster) idle(window time.Duration) (idleness, error) {
	before, err := c.usage()
	if err != nil {
		return idleness{}, err
	}
	began := time.Now()
	apiserver, err := c.apiserverSeconds(window, func() error { return nil })
	if err != nil {
		return idleness{}, err
	}
	after, err := c.usage()
	used := after.sub(before).controller.Seconds() / time.Since(began).Seconds()
	return idleness{time.Duration(used * float64(time.Second)), usual(apiserver)}, err
}

// alone ends the controller, and measures what the API server uses without it.
func (c *cluster) alone(window time.Duration) (idleness, error) {
	if err := c.controller.Process.Signal(syscall.SIGTERM); err != nil {
		return idleness{}, err
	}
	_ = c.controller.Wait()
	time.Sleep(5 * time.Second) // for the end of its requests
	apiserver, err := c.apiserverSeconds(window, func() error { return nil })
	return idleness{apiserver: usual(apiserver)}, err
}

// apiserverSeconds returns what the API server uses in each second of a window. It calls each after
// each of them.
func (c *cluster) apiserverSeconds(window time.Duration, each func() error) (used []time.Duration, _ error) {
	before, err := cpu(c.apiserver.Process.Pid)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for at := began; time.Since(began) < window; {
		time.Sleep(time.Second)
		now, err := cpu(c.apiserver.Process.Pid)
		if err != nil {
			return nil, err
		}
		used = append(used, time.Duration(float64(now-before)/time.Since(at).Seconds()))
		before, at = now, time.Now()
		if err := each(); err != nil {
			return nil, err
		}
	}
	return used, nil
}

// usual returns the median of seconds. Once in a minute or two, an API server collects its garbage
// or compacts its history, which takes as much as hundreds of looks whether or not there are any.
func usual(seconds []time.Duration) time.Duration { return figure.Percentile(seconds, .5) }
