package importer

import (
	"context"
	"fmt"
	"slices"
)

// Sink gets manifests as they are made.
type Sink struct {
	// Secrets gets the Secrets of a manifest, before its resource and before all resources of a
	// state. May be nil.
	Secrets func(Manifest) error
	// Manifest gets each manifest as soon as it is complete, with the number of its item. Its
	// Secrets are left out if Secrets got them.
	Manifest func(item int, m Manifest) error
}

// Build returns the manifests of all objects, in the order of the items.
func (b *Builder) Build(ctx context.Context, items []Item) (Result, error) {
	all := map[int]Manifest{}
	left, err := b.Stream(ctx, items, Sink{Manifest: func(i int, m Manifest) error {
		all[i] = m
		return nil
	}})
	if err != nil {
		return Result{}, err
	}
	out := Result{Left: left}
	for i := range items {
		if m, ok := all[i]; ok {
			out.Manifests = append(out.Manifests, m)
		}
	}
	return out, nil
}

// Stream reads objects, several at a time, and passes their manifests on in the order of the items,
// except for those that have to wait for others: all of a Terraform state, which refer to each
// other, and those whose names depend on what is read. It returns the items without a manifest.
func (b *Builder) Stream(ctx context.Context, items []Item, to Sink) ([]Left, error) {
	s := &streaming{Builder: b, to: to, naming: naming{taken: b.Taken}}
	certain := s.naming.certain(items)
	err := readAll(ctx, items, func(i int, d *draft, reason string) error {
		if d == nil {
			b.leave(items[i].Origin, items[i].Provider.Secrets.Replacer().Replace(reason))
			return nil
		}
		taken, err := b.take(ctx, d)
		switch {
		case err != nil || !taken:
			return err
		case certain[i] == "":
			s.unnamed, s.of = append(s.unnamed, d), append(s.of, i)
			return nil
		}
		k, _ := wanted(&d.Item)
		s.naming.use(k)
		return s.add(i, d, certain[i])
	})
	if err == nil {
		err = s.end()
	}
	return b.left, err
}

// streaming is one Stream.
type streaming struct {
	*Builder
	to     Sink
	naming naming
	// unnamed are the drafts whose names are not certain yet, and of the numbers of their items.
	unnamed []*draft
	of      []int
	// nodes are the resources of a state, whose dependencies are not known yet.
	nodes []*node
}

// add makes the manifest of a draft. It is passed on unless others may depend on it, or it on them.
func (s *streaming) add(i int, d *draft, name string) error {
	m, err := s.manifest(d, name)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Origin, err)
	}
	if s.to.Secrets != nil {
		if err := s.to.Secrets(m); err != nil {
			return err
		}
		m.State, m.Parts, m.Inputs = nil, nil, nil
	}
	if d.Block.Address == "" {
		return s.to.Manifest(i, m)
	}
	s.nodes = append(s.nodes, &node{
		item: i, resource: d.Resource, block: d.Block,
		values: Identifying(d.Resource, d.found.State, d.config), manifest: m,
	})
	return nil
}

// end passes on what had to wait.
func (s *streaming) end() error {
	for j, name := range s.naming.names(s.unnamed) {
		if err := s.add(s.of[j], s.unnamed[j], name); err != nil {
			return err
		}
	}
	slices.SortFunc(s.nodes, func(a, b *node) int { return a.item - b.item })
	of := blocks(s.nodes)
	for i, n := range s.nodes {
		dependencies(i, s.nodes, of)
		if err := s.to.Manifest(n.item, n.manifest); err != nil {
			return err
		}
	}
	return nil
}
