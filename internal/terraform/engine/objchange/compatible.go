package objchange

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// AssertObjectCompatible checks a provider's result against its plan: known values must be
// the same, unknown ones may become any value within their refinements (contract § 3.7).
func AssertObjectCompatible(b *schema.Block, planned, actual cty.Value) []error {
	return assertCompatibleBlock(b, planned, actual, nil)
}

func assertCompatibleBlock(b *schema.Block, planned, actual cty.Value, path cty.Path) []error {
	switch {
	case planned.IsNull() && !actual.IsNull():
		return absence(path, "was absent, but now present")
	case actual.IsNull() && !planned.IsNull():
		return absence(path, "was present, but now absent")
	case planned.IsNull():
		return nil
	case !planned.IsKnown() || !actual.IsKnown():
		return assertCompatibleValue(planned, actual, path)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		errs = append(errs, assertCompatibleValue(planned.GetAttr(name), actual.GetAttr(name), path.GetAttr(name))...)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		errs = append(errs, assertCompatibleBlocks(b.Blocks[name], planned.GetAttr(name), actual.GetAttr(name), path.GetAttr(name))...)
	}
	return errs
}

func absence(path cty.Path, text string) []error {
	if len(path) == 0 {
		return []error{path.NewErrorf("root object %s", text)}
	}
	return []error{path.NewErrorf("%s", text)}
}

func assertCompatibleBlocks(n *schema.NestedBlock, planned, actual cty.Value, path cty.Path) []error {
	if n.Computed {
		if actual.IsNull() && n.Nesting != schema.NestingSingle {
			return []error{path.NewErrorf("computed block must not be null")}
		}
		if !planned.IsKnown() {
			return assertCompatibleValue(planned, actual, path)
		}
	}
	switch n.Nesting {
	case schema.NestingSingle, schema.NestingGroup:
		return assertCompatibleBlock(n.Block, planned, actual, path)
	}
	if !planned.IsKnown() || !actual.IsKnown() || planned.IsNull() || actual.IsNull() {
		return nil // invalid for blocks; other checks report unknown values
	}
	object := func(planned, actual cty.Value, path cty.Path) []error {
		return assertCompatibleBlock(n.Block, planned, actual, path)
	}
	switch n.Nesting {
	case schema.NestingList:
		if p, a := planned.LengthInt(), actual.LengthInt(); p != a {
			return []error{path.NewErrorf("block count changed from %d to %d", p, a)}
		}
		return assertCompatibleElements(planned, actual, path, object)
	case schema.NestingMap:
		return assertCompatibleElements(planned, actual, path, object)
	default:
		return assertCompatibleSets(planned, actual, path, func(planned, actual cty.Value) bool {
			return len(assertCompatibleBlock(n.Block, planned, actual, path)) == 0
		})
	}
}

// assertCompatibleElements compares values that have keys: lists, tuples, maps and objects.
func assertCompatibleElements(
	planned, actual cty.Value, path cty.Path, assert func(planned, actual cty.Value, path cty.Path) []error,
) []error {
	var errs []error
	for it := planned.ElementIterator(); it.Next(); {
		key, p := it.Element()
		a, ok := element(actual, key)
		if !ok {
			errs = append(errs, path.Index(key).NewErrorf("element has vanished"))
			continue
		}
		errs = append(errs, assert(p, a, path.Index(key))...)
	}
	for it := actual.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		if _, ok := element(planned, key); !ok {
			errs = append(errs, path.Index(key).NewErrorf("new element has appeared"))
		}
	}
	return errs
}

// assertCompatibleSets wants every element of each side to be like one of the other. A
// set may shrink, as elements that were unknown turn out to be equal, but not grow.
func assertCompatibleSets(planned, actual cty.Value, path cty.Path, compatible func(planned, actual cty.Value) bool) []error {
	plannedElements, actualElements := planned.AsValueSlice(), actual.AsValueSlice()
	var errs []error
	if len(actualElements) > len(plannedElements) {
		errs = append(errs, path.NewErrorf("length changed from %d to %d", len(plannedElements), len(actualElements)))
	}
	vanished, appeared := 0, 0
	for _, p := range plannedElements {
		if !slices.ContainsFunc(actualElements, func(a cty.Value) bool { return compatible(p, a) }) {
			vanished++
		}
	}
	for _, a := range actualElements {
		if !slices.ContainsFunc(plannedElements, func(p cty.Value) bool { return compatible(p, a) }) {
			appeared++
		}
	}
	if vanished > 0 {
		errs = append(errs, path.NewErrorf("%d planned set elements do not correlate with any element in actual", vanished))
	}
	if appeared > 0 {
		errs = append(errs, path.NewErrorf("%d actual set elements do not correlate with any element in plan", appeared))
	}
	return errs
}

func assertCompatibleValue(planned, actual cty.Value, path cty.Path) []error {
	if planned.Type() == cty.DynamicPseudoType {
		return nil
	}
	if problems := actual.Type().TestConformance(planned.Type()); len(problems) > 0 {
		return []error{path.NewErrorf("wrong final value type: %s", problems[0])}
	}
	if !planned.IsKnown() {
		return assertRefined(planned, actual, path)
	}
	switch {
	case actual.IsNull():
		if planned.IsNull() {
			return nil
		}
		return []error{path.NewErrorf("was known, but now null")}
	case planned.IsNull():
		return []error{path.NewErrorf("was null, but now has a value")}
	case !actual.IsKnown():
		return []error{path.NewErrorf("was known, but now unknown")}
	}
	switch t := planned.Type(); {
	case t.IsPrimitiveType():
		if !actual.RawEquals(planned) {
			return []error{path.NewErrorf("value has changed since it was planned")}
		}
		return nil
	case t.IsObjectType():
		var errs []error
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
			errs = append(errs, assertCompatibleValue(planned.GetAttr(name), actual.GetAttr(name), path.GetAttr(name))...)
		}
		return errs
	case t.IsSetType():
		return assertCompatibleSets(planned, actual, path, func(planned, actual cty.Value) bool {
			return len(assertCompatibleValue(planned, actual, path)) == 0
		})
	default:
		return assertCompatibleElements(planned, actual, path, assertCompatibleValue)
	}
}

// assertRefined checks actual against the refinements of an unknown planned value.
func assertRefined(planned, actual cty.Value, path cty.Path) []error {
	if !actual.IsKnown() {
		return nil
	}
	if included := planned.Range().Includes(actual); included.IsKnown() && included.False() {
		return []error{path.NewErrorf("final value does not conform to planning placeholder")}
	}
	return nil
}
