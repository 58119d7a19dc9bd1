package translate

import (
	"math"
	"math/big"
	"strconv"

	"github.com/zclconf/go-cty/cty"
)

// maxExponent limits the binary exponent of numbers in text, so that a few bytes of input cannot
// become megabytes of digits.
const maxExponent = 1 << 14

// numberFromText parses a decimal number. ok is false if it is malformed or its exponent is too
// large.
func numberFromText(s string) (cty.Value, bool) {
	if s == "" || len(s) > 4096 {
		return cty.NilVal, false
	}
	// The exponent is checked before the digits are computed.
	if f, err := strconv.ParseFloat(s, 64); err != nil && (f == 0 || math.IsInf(f, 0)) && !plausible(s) {
		return cty.NilVal, false
	}
	v, err := cty.ParseNumberVal(s)
	if err != nil {
		return cty.NilVal, false
	}
	bf := v.AsBigFloat()
	if bf.IsInf() {
		return cty.NilVal, false
	}
	if e := bf.MantExp(nil); e > maxExponent || e < -maxExponent {
		return cty.NilVal, false
	}
	return v, true
}

// plausible reports whether the exponent of s, if any, has at most five digits.
func plausible(s string) bool {
	for i := len(s) - 1; i >= 0; i-- {
		if c := s[i]; c == 'e' || c == 'E' || c == 'p' || c == 'P' {
			return len(s)-i <= 7
		}
	}
	return true
}

// numberFromFloat returns the shortest decimal that the float represents, which is what the user
// wrote.
func numberFromFloat(f float64) (cty.Value, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return cty.NilVal, false
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return cty.NumberIntVal(int64(f)), true
	}
	v, err := cty.ParseNumberVal(strconv.FormatFloat(f, 'g', -1, 64))
	return v, err == nil
}

// numberToJSON returns the number as int64 or float64; exact is false if the float64 is only the
// nearest.
func numberToJSON(v cty.Value) (out any, exact bool) {
	bf := v.AsBigFloat()
	if i, acc := bf.Int64(); acc == big.Exact {
		return i, true
	}
	f, acc := bf.Float64()
	if math.IsInf(f, 0) {
		return math.Copysign(math.MaxFloat64, f), false
	}
	if acc == big.Exact && !bf.IsInt() && bf.Prec() <= 53 {
		return f, true // made from a float64, so the round trip is exact
	}
	back, ok := numberFromFloat(f)
	return f, ok && back.AsBigFloat().Cmp(bf) == 0
}

// numberText returns the number in decimal digits, as Terraform writes it into JSON.
func numberText(v cty.Value) string {
	bf := v.AsBigFloat()
	if e := bf.MantExp(nil); e > 4096 || e < -4096 {
		return bf.Text('g', -1)
	}
	return bf.Text('f', -1)
}
