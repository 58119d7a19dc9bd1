package differential

import (
	"strings"

	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// shares says which provider each of twenty cases has.
var shares = strings.Fields(`
	hand bare handdirect five hand six baredirect hand sdk hand
	bare hand fivedirect hand five bare handdirect six sdkdirect sixdirect`)

// Generate returns one of the cases of a seed.
func Generate(seed uint64, number int) *cases.Case {
	style, direct := styleOf(shares[number%len(shares)])
	return cases.Generate(style, direct, int(seed*1_000_003+uint64(number)))
}

// GenerateForPrograms returns one of the cases of a seed for programs. It is short, because
// programs take longer to run, and has a manifest.
func GenerateForPrograms(seed uint64, number int) *cases.Case {
	styles := []cases.Style{cases.Hand, cases.Framework6, cases.SDK, cases.Framework5}
	c := cases.Generate(styles[number%len(styles)], false, int(seed*1_000_003+uint64(number)+500_000))
	c.Steps = c.Steps[:min(len(c.Steps), 4)]
	return c
}

// ForPrograms returns the cases that programs can run, with their names.
func ForPrograms(names []string, all []*cases.Case) (someNames []string, some []*cases.Case) {
	for i, c := range all {
		if !c.Direct {
			someNames, some = append(someNames, names[i]), append(some, c)
		}
	}
	return someNames, some
}
