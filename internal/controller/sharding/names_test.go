package sharding_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

func TestLeaseNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		number int
		ok     bool
	}{
		sharding.LeaseName(0, "landbridge.landbridge.io"):  {0, true},
		sharding.LeaseName(12, "landbridge.landbridge.io"): {12, true},
		"landbridge.landbridge.io":                         {},
		"landbridge-replica-0a1b":                          {},
		"shard-x.landbridge.landbridge.io":                 {},
		"shard--1.landbridge.landbridge.io":                {},
		"shard-1":                                          {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if number, ok := sharding.NumberOf(name); ok != test.ok || ok && number != test.number {
				t.Errorf("got %d, %t", number, ok)
			}
		})
	}
}
