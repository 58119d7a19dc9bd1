package objchange

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// AssertPlanValid checks that a provider's plan honours the configuration it was given: it
// may only differ where the attribute is computed and not configured, or where it keeps the
// prior value (contract § 3.6). config is exactly what was sent to the provider.
func AssertPlanValid(b *schema.Block, prior, config, planned cty.Value) []error {
	return assertPlannedBlock(b, prior, config, planned, nil)
}

func assertPlannedBlock(b *schema.Block, prior, config, planned cty.Value, path cty.Path) []error {
	switch {
	case planned.IsNull() && !config.IsNull():
		return []error{path.NewErrorf("planned for absence but config wants existence")}
	case config.IsNull() && !planned.IsNull():
		return []error{path.NewErrorf("planned for existence but config wants absence")}
	case planned.IsNull():
		return nil
	case !planned.IsKnown():
		if equal(planned, config) {
			return nil
		}
		return []error{path.NewErrorf("planned for unknown object")}
	}
	errs := assertPlannedAttributes(b.Attributes, prior, config, planned, path)
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		n := b.Blocks[name]
		t := n.ImpliedType()
		errs = append(errs, assertPlannedBlocks(n, attributeOf(prior, name, t), attributeOf(config, name, t),
			planned.GetAttr(name), path.GetAttr(name))...)
	}
	return errs
}

func assertPlannedAttributes(attributes map[string]*schema.Attribute, prior, config, planned cty.Value, path cty.Path) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		t := a.ImpliedType()
		errs = append(errs, assertPlannedAttribute(a, attributeOf(prior, name, t), attributeOf(config, name, t),
			planned.GetAttr(name), path.GetAttr(name))...)
	}
	return errs
}

func assertPlannedAttribute(a *schema.Attribute, prior, config, planned cty.Value, path cty.Path) []error {
	switch {
	case equal(planned, config):
		return nil
	case !prior.IsNull() && !config.IsNull() && equal(planned, prior):
		return nil // the provider suppresses the difference
	case a.WriteOnly:
		if planned.IsNull() {
			return nil
		}
		return []error{path.NewErrorf("planned value for a write-only attribute")}
	case a.Computed && !a.Optional && !a.Required:
		return nil
	case config.IsNull() && a.Computed:
		return nil
	case config.IsNull() && !planned.IsNull():
		return []error{path.NewErrorf("planned value for a non-computed attribute")}
	case a.Nested != nil:
		return assertPlannedNested(a.Nested, prior, config, planned, path)
	case prior.IsNull():
		return []error{path.NewErrorf("planned value disagrees with config value")}
	default:
		return []error{path.NewErrorf("planned value disagrees with both config value and prior value")}
	}
}

func assertPlannedNested(n *schema.NestedAttributes, prior, config, planned cty.Value, path cty.Path) []error {
	switch {
	case planned.IsNull() && !config.IsNull():
		return []error{path.NewErrorf("planned for absence but config wants existence")}
	case !planned.IsKnown():
		return []error{path.NewErrorf("planned unknown for a configured value")}
	case !config.IsKnown():
		return []error{path.NewErrorf("planned a value for an unknown configured one")}
	}
	object := func(prior, config, planned cty.Value, path cty.Path) []error {
		switch {
		case planned.IsNull() || config.IsNull():
			if planned.IsNull() && config.IsNull() {
				return nil
			}
			return []error{path.NewErrorf("planned and configured object disagree about being null")}
		case !planned.IsKnown():
			if equal(planned, config) {
				return nil
			}
			return []error{path.NewErrorf("planned unknown for a configured value")}
		}
		return assertPlannedAttributes(n.Attributes, prior, config, planned, path)
	}
	switch n.Nesting {
	case schema.NestingList:
		return assertPlannedLists(prior, config, planned, path, object)
	case schema.NestingMap:
		return assertPlannedMaps(prior, config, planned, path, object)
	case schema.NestingSet:
		if !compatibleLengths(planned, config) {
			return []error{path.NewErrorf("count in plan disagrees with count in config")}
		}
		return nil
	default:
		return object(prior, config, planned, path)
	}
}

func assertPlannedBlocks(n *schema.NestedBlock, prior, config, planned cty.Value, path cty.Path) []error {
	if n.Nesting != schema.NestingSingle && planned.IsNull() {
		if n.Computed && config.IsNull() {
			return nil
		}
		return []error{path.NewErrorf("attribute representing nested blocks must not be null; when there are none it must be empty")}
	}
	switch {
	case equal(planned, config):
		if n.Nesting == schema.NestingSet {
			return assertNoUnknownElements(planned, path)
		}
		return nil
	case n.Computed && config.IsNull():
		return nil
	case !config.IsKnown():
		return []error{path.NewErrorf("planned blocks for an unknown configuration of them")}
	case !planned.IsKnown():
		return []error{
			path.NewErrorf("attribute representing nested blocks must not be unknown itself; set nested attribute " +
				"values to unknown instead"),
		}
	}
	object := func(prior, config, planned cty.Value, path cty.Path) []error {
		if !planned.IsKnown() {
			return []error{
				path.NewErrorf("element representing nested block must not be unknown itself; set nested attribute " +
					"values to unknown instead"),
			}
		}
		return assertPlannedBlock(n.Block, prior, config, planned, path)
	}
	switch n.Nesting {
	case schema.NestingList:
		return assertPlannedLists(prior, config, planned, path, object)
	case schema.NestingMap:
		return assertPlannedMaps(prior, config, planned, path, object)
	case schema.NestingSet:
		return assertNoUnknownElements(planned, path)
	default:
		return object(prior, config, planned, path)
	}
}

func assertNoUnknownElements(planned cty.Value, path cty.Path) []error {
	if !planned.IsKnown() {
		return nil
	}
	var errs []error
	for it := planned.ElementIterator(); it.Next(); {
		if _, v := it.Element(); !v.IsKnown() {
			errs = append(
				errs, path.NewErrorf("element representing nested block must not be unknown itself; set nested "+
					"attribute values to unknown instead"),
			)
		}
	}
	return errs
}

type assertObject func(prior, config, planned cty.Value, path cty.Path) []error

func assertPlannedLists(prior, config, planned cty.Value, path cty.Path, assert assertObject) []error {
	if config.IsNull() || planned.LengthInt() != config.LengthInt() {
		return []error{path.NewErrorf("count in plan disagrees with count in config")}
	}
	var errs []error
	for it := planned.ElementIterator(); it.Next(); {
		key, p := it.Element()
		c, _ := element(config, key)
		errs = append(errs, assert(elementOrNull(prior, key, p.Type()), c, p, path.Index(key))...)
	}
	return errs
}

func assertPlannedMaps(prior, config, planned cty.Value, path cty.Path, assert assertObject) []error {
	if config.IsNull() {
		return []error{path.NewErrorf("planned blocks that are not in config")}
	}
	var errs []error
	for it := planned.ElementIterator(); it.Next(); {
		key, p := it.Element()
		c, ok := element(config, key)
		if !ok {
			errs = append(errs, path.Index(key).NewErrorf("key in plan is not present in config"))
			continue
		}
		errs = append(errs, assert(elementOrNull(prior, key, p.Type()), c, p, path.Index(key))...)
	}
	for it := config.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		if _, ok := element(planned, key); !ok {
			errs = append(errs, path.Index(key).NewErrorf("key in config is not present in plan"))
		}
	}
	return errs
}

func elementOrNull(v, key cty.Value, t cty.Type) cty.Value {
	if e, ok := element(v, key); ok {
		return e
	}
	return cty.NullVal(t)
}

// compatibleLengths reports whether two collections may have the same length once all values are
// known: unknown elements of a set may turn out to be equal.
func compatibleLengths(planned, config cty.Value) bool {
	a, b := planned.Length(), config.Length()
	eq := a.Equals(b)
	return !eq.IsKnown() || eq.True()
}
