// Package evolution says what becomes of a kind's API when the provider behind it changes: what differs
// between two versions of a provider, and how an object of one API version is shown in another.
//
// In: two models, or two versions of a CustomResourceDefinition, and objects as the API server has them.
// Out: a Report of Changes, each with a Verdict, and converted objects. It is pure: it reads no file,
// talks to no API server, and sees no Secret.
//
// # What is compared
//
// Kind is what both a model and a CustomResourceDefinition can say: the fields that users write below
// spec.forProvider, spec.initProvider and spec.import.identity, and those shown below status.atProvider
// and status.identity. A definition says less than a model (Kind.Exact): what is required inside of
// optional objects, which lists of objects are sets, what is deprecated, and versions of schemas.
//
// # Nothing is lost by a conversion
//
// What the other version has no place for goes into an annotation (Annotation) and comes back from
// there, as long as what was made of it has not been changed meanwhile. Secret values are never in an
// object, so they are never in the annotation; what a version declares to be secret is not put there
// even if it was none in the version before.
package evolution
