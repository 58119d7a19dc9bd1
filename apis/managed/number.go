package managed

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Number is a number with all its digits. Terraform's numbers are neither always integers nor always
// exact as float64. The zero value is 0. It is a struct because apimachinery treats fields of kind string
// as strings.
//
// +kubebuilder:validation:Type=number
type Number struct{ digits string }

// Int returns a Number with an integer.
func Int(n int64) Number { return Number{digits: strconv.FormatInt(n, 10)} }

// Float returns a Number with a float, which must be finite.
func Float(f float64) Number { return Number{digits: strconv.FormatFloat(f, 'g', -1, 64)} }

// Int64 returns the number as an integer, or an error if it is not an integer or too large.
func (n Number) Int64() (int64, error) { return strconv.ParseInt(n.String(), 10, 64) }

// Float64 returns the nearest float64.
func (n Number) Float64() (float64, error) { return strconv.ParseFloat(n.String(), 64) }

// Equal reports whether both have the same digits.
func (n Number) Equal(other Number) bool { return n.String() == other.String() }

func (n Number) String() string {
	if n.digits == "" {
		return "0"
	}
	return n.digits
}

// MarshalJSON writes the number without quotes.
func (n Number) MarshalJSON() ([]byte, error) { return json.Marshal(json.Number(n.String())) }

// UnmarshalJSON reads a number with all its digits.
func (n *Number) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	var number json.Number
	if len(raw) == 0 || raw[0] == '"' || json.Unmarshal(raw, &number) != nil {
		return fmt.Errorf("%s is not a number", raw)
	}
	n.digits = number.String()
	return nil
}
