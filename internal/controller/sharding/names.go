package sharding

import (
	"fmt"
	"strconv"
	"strings"
)

// TableName returns the name of the Secret with the table of the program of a name.
func TableName(program string) string { return program + "-shards" }

const leasePrefix = "shard-"

// LeaseName returns the name of the Lease of a shard. lease is that of the Lease that the program
// has without shards.
func LeaseName(number int, lease string) string {
	return fmt.Sprintf("%s%d.%s", leasePrefix, number, lease)
}

// NumberOf returns the number of the shard that a Lease is of; false if it is of none.
func NumberOf(lease string) (number int, ok bool) {
	text, ok := strings.CutPrefix(lease, leasePrefix)
	text, _, rest := strings.Cut(text, ".")
	number, err := strconv.Atoi(text)
	return number, ok && rest && err == nil && number >= 0
}
