package schema

import (
	"errors"
	"fmt"
)

// validate applies the rules Terraform enforces when it loads a schema (contract § 1).
func (b *Block) validate() error {
	if err := validateAttributes(b.Attributes, false); err != nil {
		return err
	}
	for name, n := range b.Blocks {
		if n.MaxItems > 0 && n.MinItems > n.MaxItems {
			return fmt.Errorf("%s: min_items %d is more than max_items %d", name, n.MinItems, n.MaxItems)
		}
		if err := n.Block.validate(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if n.Nesting == NestingSet {
			if err := n.Block.validateInSet(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

func (b *Block) validateInSet() error {
	if err := validateAttributes(b.Attributes, true); err != nil {
		return err
	}
	for name, n := range b.Blocks {
		if err := n.Block.validateInSet(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func validateAttributes(attributes map[string]*Attribute, inSet bool) error {
	for name, a := range attributes {
		if err := a.validate(inSet); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (a *Attribute) validate(inSet bool) error {
	switch {
	case !a.Required && !a.Optional && !a.Computed:
		return errors.New("must set required, optional or computed")
	case a.Required && a.Optional:
		return errors.New("cannot be both required and optional")
	case a.Required && a.Computed:
		return errors.New("cannot be both required and computed")
	case inSet && a.WriteOnly:
		return errors.New("write-only inside a set")
	case inSet && a.ImpliedType().HasDynamicTypes():
		return errors.New("dynamically typed inside a set")
	}
	if a.Nested != nil {
		return validateAttributes(a.Nested.Attributes, inSet || a.Nested.Nesting == NestingSet)
	}
	return nil
}
