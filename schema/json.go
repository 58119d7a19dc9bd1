package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

// Decode reads the JSON form of a Provider, as json.Marshal writes it, and validates it as
// FromProtocol does.
func Decode(raw []byte) (*Provider, error) {
	p := &Provider{}
	if err := json.Unmarshal(raw, p); err != nil {
		return nil, fmt.Errorf("reading a provider's schema: %w", err)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("reading a provider's schema: %w", err)
	}
	return p, nil
}

func (p *Provider) check() error {
	blocks := map[string]*Block{"provider configuration": p.Config}
	if p.Meta != nil {
		blocks["provider_meta"] = p.Meta
	}
	for kind, all := range map[string]map[string]*Block{
		"data source": p.DataSources, "ephemeral resource type": p.EphemeralResources,
		"list resource type": p.ListResources, "action": p.Actions,
	} {
		for name, b := range all {
			blocks[kind+" "+name] = b
		}
	}
	for name, r := range p.Resources {
		what := "managed resource type " + name
		switch {
		case r == nil:
			return fmt.Errorf("%s: nothing is said of it", what)
		case r.Type != name:
			return fmt.Errorf("%s: it is called %q", what, r.Type)
		case r.Version < 0:
			return fmt.Errorf("%s: negative version %d", what, r.Version)
		}
		if err := r.Identity.check(); err != nil {
			return fmt.Errorf("the identity of %s: %w", what, err)
		}
		blocks[what] = r.Block
	}
	for name, f := range p.Signatures {
		if err := f.complete(); err != nil {
			return fmt.Errorf("function %s: %w", name, err)
		}
	}
	for what, b := range blocks {
		err := b.complete()
		if err == nil {
			err = b.validate()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

// complete validates what the protocol guarantees and JSON does not.
func (b *Block) complete() error {
	if b == nil {
		return errors.New("it has no schema")
	}
	if err := completeAttributes(b.Attributes); err != nil {
		return err
	}
	for name, n := range b.Blocks {
		if n == nil || !n.Nesting.isOf(NestingSingle, NestingGroup, NestingList, NestingSet, NestingMap) {
			return fmt.Errorf("%s: unknown nesting mode", name)
		}
		if b.Attributes[name] != nil {
			return fmt.Errorf("%s: both an attribute and a block", name)
		}
		if err := n.Block.complete(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func completeAttributes(attributes map[string]*Attribute) error {
	for name, a := range attributes {
		switch {
		case a == nil, a.Nested == nil && a.Type == cty.NilType:
			return fmt.Errorf("%s: no type", name)
		case a.Nested == nil:
			continue
		case a.Type != cty.NilType:
			return fmt.Errorf("%s: two types", name)
		case !a.Nested.Nesting.isOf(NestingSingle, NestingList, NestingSet, NestingMap):
			return fmt.Errorf("%s: unknown nesting mode", name)
		}
		if err := completeAttributes(a.Nested.Attributes); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (n Nesting) isOf(modes ...Nesting) bool {
	for _, m := range modes {
		if n == m {
			return true
		}
	}
	return false
}

func (i *Identity) check() error {
	if i == nil {
		return nil
	}
	if i.Version < 0 {
		return fmt.Errorf("negative version %d", i.Version)
	}
	for name, a := range i.Attributes {
		switch {
		case a == nil, a.Type == cty.NilType:
			return fmt.Errorf("%s: no type", name)
		case !a.Type.IsPrimitiveType() && !(a.Type.IsListType() && a.Type.ElementType().IsPrimitiveType()):
			return fmt.Errorf("%s: type %s, where only primitive types and lists of them are allowed", name, a.Type.FriendlyName())
		case a.RequiredForImport == a.OptionalForImport:
			return fmt.Errorf("%s: exactly one of requiredForImport and optionalForImport must be set", name)
		}
	}
	return nil
}
