// Package model defines how a resource type is presented to Kubernetes: one tree of named types
// and fields per resource type. CRDs, the translator, generated code and documentation are all
// made from it, so that they cannot disagree.
//
// In: schema.Provider and config.Provider. Out: Provider, with a Resource per type. Names of
// kinds are determined when the Provider is made. The tree of a Resource is made on first use,
// since a provider may have a thousand types of which ten are used. The model is immutable and
// may be read concurrently. It never sees a value of a resource.
//
// # Names
//
// Fields are camelCase (vpc_id: vpcId), also inside object types, but never inside maps and
// dynamically typed values, whose keys belong to the user. If two names of one object collide, the
// one whose Terraform name sorts first keeps the name; the others fall back to Terraform's name,
// then to a number at the end. Kinds are PascalCase without the provider's prefix, with
// the usual initialisms (hcloud_ssh_key: SSHKey); a kind that collides falls back to the name with
// the prefix. Provider.Renamed lists such collisions.
//
// # Shapes
//
// A list or set block of at most one item is presented as an object (Type.Singleton). Everything
// else keeps its shape. SDKv2 declares an optional id on every resource, which cannot be set, so
// it is not an input.
//
// # Secrets
//
// A sensitive or write-only input is a reference to a key of a Secret, with the name
// <field>SecretRef: spec never contains its value. The key holds the text of strings, numbers and
// booleans, and JSON in the form of spec for other types. A sensitive value, with everything in
// it, is never observed.
//
// # References
//
// An attribute that is configured to come from other resources has two additional fields: vpcId
// has vpcIdRef and vpcIdSelector, a list subnetIds has subnetIdRefs and subnetIdSelector. It is an
// error if such a name is in use. References can be to kinds of this provider or of another one,
// which are not validated.
package model
