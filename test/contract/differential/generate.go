package differential

import (
	"strings"

	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
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

// GenerateForPrograms is one of a seed's cases for programs, which take longer to run: it is a short one, with a
// manifest.
func GenerateForPrograms(seed uint64, number int) *cases.Case {
	styles := []cases.Style{cases.Hand, cases.Framework6, cases.SDK, cases.Framework5}
	c := cases.Generate(styles[number%len(styles)], false, int(seed*1_000_003+uint64(number)+500_000))
	c.Steps = c.Steps[:min(len(c.Steps), 4)]
	return c
}

// ForPrograms are those of named cases that programs can run.
func ForPrograms(names []string, all []*cases.Case) (someNames []string, some []*cases.Case) {
	for i, c := range all {
		if !c.Direct {
			someNames, some = append(someNames, names[i]), append(some, c)
		}
	}
	return someNames, some
}
