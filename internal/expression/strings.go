package expression

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

const (
	// maxSize bounds results, in bytes.
	maxSize = 1 << 20
	// maxParts bounds the elements of a list that a string is split into, or that are joined.
	maxParts = 10_000
)

var errTooLarge = errors.New("the result is too large")

// stringFunctions are functions of CEL's string extension, which are the same but for the bounds of
// their results. Positions count characters.
func stringFunctions() []cel.EnvOption {
	text, number := cel.StringType, cel.IntType
	list := cel.ListType(text)
	return []cel.EnvOption{
		cel.Function("split", member("string_split_string", list, func(in []string, _ []int) (any, error) {
			if strings.Count(in[0], in[1]) >= maxParts {
				return nil, errTooLarge
			}
			return strings.Split(in[0], in[1]), nil
		}, text, text)),
		cel.Function("replace", member("string_replace_string_string", text, func(in []string, _ []int) (any, error) {
			if len(in[0])+strings.Count(in[0], in[1])*(len(in[2])-len(in[1])) > maxSize {
				return nil, errTooLarge
			}
			return strings.ReplaceAll(in[0], in[1], in[2]), nil
		}, text, text, text)),
		cel.Function("join",
			cel.MemberOverload("list_join", []*cel.Type{list}, text, cel.UnaryBinding(func(l ref.Val) ref.Val { return join(l, types.String("")) })),
			cel.MemberOverload("list_join_string", []*cel.Type{list, text}, text, cel.BinaryBinding(join))),
		cel.Function("indexOf", member("string_index_of_string", number, func(in []string, _ []int) (any, error) {
			return position(in[0], strings.Index(in[0], in[1])), nil
		}, text, text)),
		cel.Function("lastIndexOf", member("string_last_index_of_string", number, func(in []string, _ []int) (any, error) {
			return position(in[0], strings.LastIndex(in[0], in[1])), nil
		}, text, text)),
		cel.Function("substring",
			member("string_substring_int", text, func(in []string, at []int) (any, error) {
				runes := []rune(in[0])
				return substring(runes, at[0], len(runes))
			}, text, number),
			member("string_substring_int_int", text, func(in []string, at []int) (any, error) {
				return substring([]rune(in[0]), at[0], at[1])
			}, text, number, number)),
		cel.Function("lowerAscii", member("string_lower_ascii", text,
			func(in []string, _ []int) (any, error) { return ascii(in[0], 'A', 'a'), nil }, text)),
		cel.Function("upperAscii", member("string_upper_ascii", text,
			func(in []string, _ []int) (any, error) { return ascii(in[0], 'a', 'A'), nil }, text)),
		cel.Function("trim", member("string_trim", text, func(in []string, _ []int) (any, error) { return strings.TrimSpace(in[0]), nil }, text)),
	}
}

// member returns an overload whose arguments are strings, and integers after them.
func member(id string, result *cel.Type, f func([]string, []int) (any, error), args ...*cel.Type) cel.FunctionOpt {
	return cel.MemberOverload(id, args, result, cel.FunctionBinding(func(values ...ref.Val) ref.Val {
		var texts []string
		var numbers []int
		for _, v := range values {
			switch v := v.(type) {
			case types.String:
				texts = append(texts, string(v))
			case types.Int:
				numbers = append(numbers, int(v))
			default:
				return types.MaybeNoSuchOverloadErr(v)
			}
		}
		out, err := f(texts, numbers)
		if err != nil {
			return types.WrapErr(err)
		}
		return types.DefaultTypeAdapter.NativeToValue(out)
	}))
}

func join(list, separator ref.Val) ref.Val {
	l, isList := list.(traits.Lister)
	between, isText := separator.(types.String)
	if !isList || !isText {
		return types.MaybeNoSuchOverloadErr(list)
	}
	var out strings.Builder
	for i, it := 0, l.Iterator(); it.HasNext() == types.True; i++ {
		text, ok := it.Next().(types.String)
		if !ok {
			return types.NewErr("join needs a list of strings")
		}
		if i > 0 {
			out.WriteString(string(between))
		}
		if out.WriteString(string(text)); i >= maxParts || out.Len() > maxSize {
			return types.WrapErr(errTooLarge)
		}
	}
	return types.String(out.String())
}

// position returns the number of characters before a position in bytes; -1 for -1.
func position(text string, at int) int {
	if at < 0 {
		return -1
	}
	return len([]rune(text[:at]))
}

func substring(runes []rune, from, to int) (string, error) {
	if from < 0 || to > len(runes) || from > to {
		return "", fmt.Errorf("index out of range: %d to %d of %d characters", from, to, len(runes))
	}
	return string(runes[from:to]), nil
}

// ascii maps the 26 letters that begin with from to those that begin with to.
func ascii(text string, from, to rune) string {
	return strings.Map(func(r rune) rune {
		if r >= from && r < from+26 {
			return r - from + to
		}
		return r
	}, text)
}
