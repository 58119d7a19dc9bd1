package main

import (
	"context"
	"fmt"
	"os"

	"github.com/landbridge-io/landbridge/test/contract/differential"
	"github.com/landbridge-io/landbridge/test/contract/ephemerals"
)

// ephemeralBatch is the number of ephemeral resources per run of tofu.
const ephemeralBatch = 200

// compareEphemerals compares random ephemeral resources.
func (o options) compareEphemerals(ctx context.Context, path string, r *report) error {
	if err := differential.Quiet(); err != nil {
		return err
	}
	for from := o.first; from < o.first+o.ephemerals; from += ephemeralBatch {
		var all []*ephemerals.Case
		for i := from; i < min(from+ephemeralBatch, o.first+o.ephemerals); i++ {
			all = append(all, ephemerals.Generate(o.seed, i))
		}
		dir, err := os.MkdirTemp("", "differential-ephemerals-")
		if err != nil {
			return err
		}
		found, err := ephemerals.Run(ctx, path, dir, all)
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
		if err != nil {
			return err
		}
		r.addEphemerals(len(all), found)
	}
	return nil
}

// addEphemerals prints the differences found in ephemeral resources.
func (r *report) addEphemerals(cases int, found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases += cases
	r.differences += len(found)
	for _, d := range found {
		fmt.Println(d)
	}
}
