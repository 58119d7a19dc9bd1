package differential

import (
	"strings"

	"github.com/landbridge-io/landbridge/test/differential/internal/cases"
)

// shares says which provider each of twenty cases has.
var shares = strings.Fields(`
	hand bare handdirect five hand six baredirect hand sdk hand
	bare hand fivedirect hand five bare handdirect six sdkdirect sixdirect`)

// Generate is one of a seed's cases.
func Generate(seed uint64, number int) *cases.Case {
	style, direct := styleOf(shares[number%len(shares)])
	return cases.Generate(style, direct, int(seed*1_000_003+uint64(number)))
}
