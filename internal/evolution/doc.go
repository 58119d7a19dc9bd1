// Package evolution compares the kinds of two versions of a provider, and converts objects between
// API versions of a kind.
//
// In: two models, or two versions of a CustomResourceDefinition, and objects as in the API server.
// Out: a Report of Changes, each with a Verdict, and converted objects. It never reads files, calls
// an API server or reads Secrets.
//
// # What is compared
//
// Kind has the facts that both a model and a CustomResourceDefinition contain: the fields below
// spec.forProvider, spec.initProvider and spec.import.identity, and those below status.atProvider
// and status.identity. A definition lacks some facts of a model (Kind.Exact): which fields in
// optional objects are required, which lists of objects are sets, deprecations, and versions of
// schemas.
//
// # Conversions lose nothing
//
// Values that the other version cannot hold are kept in an annotation (AnnotationPrefix). They are
// restored from it unless the converted value has changed meanwhile. Secret values are never in an
// object, so they are never in the annotation. Fields that are secret in one version are not kept
// there even if they are not secret in the other version.
package evolution
