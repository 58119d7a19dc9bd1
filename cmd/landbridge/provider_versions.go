package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// loadedVersion is a version of a provider whose schema was read.
type loadedVersion struct {
	foundProvider
	schema *schema.Provider
	// label names the version in errors.
	label string
}

// loadVersion reads the schema of a version, which is labelled with where it was found.
func (f *providerFlags) loadVersion(ctx context.Context, where string, env map[string]string) (loadedVersion, error) {
	found, s, err := f.load(ctx, where, env)
	return loadedVersion{foundProvider: found, schema: s, label: where}, err
}

// presentVersions presents two versions of a provider, each with its configuration. Kinds keep the
// names that they have in the old one.
func (f *providerFlags) presentVersions(old, new loadedVersion, was, is *config.File) (o, n *openedProvider, err error) {
	flags := *f
	flags.name = cmp.Or(f.name, new.name(), old.name()) // the same for both
	if o, err = flags.present(old.foundProvider, old.schema, was); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", old.label, err)
	}
	flags.known = o.model.KeptNames()
	if n, err = flags.present(new.foundProvider, new.schema, is); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", new.label, err)
	}
	return o, n, nil
}
