package diagnostic

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// FormatPath formats a path as Terraform does: rule[0].ports["http"].
func FormatPath(p cty.Path) string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case cty.GetAttrStep:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		case cty.IndexStep:
			b.WriteString(FormatIndex(s.Key))
		}
	}
	return b.String()
}

// FormatIndex formats an index step: [0], ["key"], or [*] for the element of a set,
// whose value might be sensitive.
func FormatIndex(key cty.Value) string {
	switch {
	case !key.IsKnown() || key.IsNull():
		return "[*]"
	case key.Type() == cty.String:
		return fmt.Sprintf("[%q]", key.AsString())
	case key.Type() == cty.Number:
		if i, acc := key.AsBigFloat().Int(nil); acc == big.Exact {
			return fmt.Sprintf("[%s]", i)
		}
		return fmt.Sprintf("[%s]", key.AsBigFloat().Text('g', -1))
	default:
		return "[*]"
	}
}
