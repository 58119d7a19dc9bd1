package schema

import (
	"errors"
	"fmt"
	"regexp"
)

// validName is what names of attributes, blocks and resource types can be in Terraform's language.
var validName = regexp.MustCompile(`^[\pL\pN_][\pL\pN_-]*$`)

// maxName bounds names, in bytes.
const maxName = 256

// checkName returns an error if a name cannot be used in Terraform's language. Names become those
// of fields and kinds, and are shown, so they must have no control characters and be no paths.
func checkName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("the name %.40q… has more than %d bytes", name, maxName)
	case !validName.MatchString(name):
		return fmt.Errorf("%q: a name may have only letters, digits, underscores and hyphens", name)
	}
	return nil
}

// validate applies the rules Terraform enforces when it loads a schema (contract § 1).
func (b *Block) validate() error {
	if err := validateAttributes(b.Attributes, false); err != nil {
		return err
	}
	for name, n := range b.Blocks {
		if err := checkName(name); err != nil {
			return err
		}
		if n.MaxItems > 0 && n.MinItems > n.MaxItems {
			return fmt.Errorf("%s: min_items %d is more than max_items %d", name, n.MinItems, n.MaxItems)
		}
		if n.Computed {
			if err := n.validateComputed(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
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

func (n *NestedBlock) validateComputed() error {
	switch {
	case n.Nesting == NestingGroup:
		return errors.New("a block of the group nesting cannot be computed")
	case n.MinItems > 0:
		return errors.New("a block with min_items cannot be computed")
	}
	for name, a := range n.Attributes {
		if !a.Computed {
			return fmt.Errorf("%s: must be computed as its block is", name)
		}
	}
	for name, b := range n.Blocks {
		if !b.Computed {
			return fmt.Errorf("%s: must be computed as its block is", name)
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
		if err := checkName(name); err != nil {
			return err
		}
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
