// Package model is how a resource type is presented to Kubernetes: one tree of named types
// and fields per resource type, from which CRDs, the translator, and generated code and
// documentation all come, so that they cannot disagree.
//
// In: schema.Provider and config.Provider. Out: Provider, with a Resource per type. Names of
// kinds are settled when the Provider is made; the tree of a Resource is made when it is first
// asked for, since a provider may have a thousand types of which ten are used. All of it is
// immutable and may be read concurrently.
//
// # Names
//
// Fields are camelCase (vpc_id: vpcId), also inside object types, but never inside maps and
// dynamically typed values, whose keys belong to the user. If two names of one object collide, the
// one whose Terraform name sorts first keeps the name; the others fall back to Terraform's own
// spelling, then to a number at the end. Kinds are PascalCase without the provider's prefix, with
// the usual initialisms (hcloud_ssh_key: SSHKey); a kind that collides falls back to the name with
// the prefix. Provider.Renamed lists what was resolved so.
//
// # Shapes
//
// A list or set block of at most one item is presented as an object (Type.Singleton). Everything
// else keeps its shape. SDKv2 declares an optional id on every resource, which cannot really be
// set: it is no input.
//
// # Secrets
//
// An input that is sensitive or write-only is given as a reference to a key of a Secret, under
// the name <field>SecretRef: spec never holds its value. Strings, numbers and booleans are the
// bytes of the key; every other type is JSON there, in the spelling spec would have.
// A sensitive value is never an observation, and neither is anything inside it.
//
// # References
//
// An attribute that is configured to come from other resources has two fields beside it, named after
// its own: vpcId has vpcIdRef and vpcIdSelector, a list subnetIds has subnetIdRefs and
// subnetIdSelector. A name that is taken is an error. What may be referred to is a kind of this provider,
// or of another one, which nobody here knows.
//
// It never sees a value of a resource.
package model
