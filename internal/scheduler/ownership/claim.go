package ownership

import (
	"strings"
	"time"
	"unique"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Object identifies a remote object.
type Object struct {
	// Account is what gives access to the object: the provider configuration by its name, or what
	// several have in common, see Account.
	Account string
	// Type is the Terraform resource type.
	Type string
	// Identity is unique within the type, in a canonical form.
	Identity string
}

// Account is what several provider configurations may have in common that give access to the same
// objects. A resource claims its objects by the name of its configuration and by each field that is
// set. The name alone would not do for two configurations of one account. What they have in common
// would not do for one configuration whose credentials change, as long as some of its resources
// have been reconciled since and others have not.
type Account struct {
	// Content is the same for configurations with the same content, secrets included.
	Content string
	// Declared is the same for configurations that an administrator has declared to be for one
	// account.
	Declared string
	// Arguments identifies the arguments of a configuration that hold no secrets, if they are
	// known. With others, a configuration of the same name may be for another account.
	Arguments string
}

// Names returns the names of the account for Object, after the name of a configuration. Those that
// are not known are empty.
func (a Account) Names(configuration string) [3]string {
	out := [3]string{configuration}
	if a.Arguments != "" {
		out[0] = unique.Make(configuration + "@" + a.Arguments).Value()
	}
	if a.Content != "" {
		out[1] = unique.Make(contentPrefix + a.Content).Value() // all resources of the configuration have the same
	}
	if a.Declared != "" {
		out[2] = unique.Make(declaredPrefix + a.Declared).Value()
	}
	return out
}

// The beginnings of the names of accounts that are not those of configurations.
const contentPrefix, declaredPrefix = "content:", "declared:"

// named adds one of the names of an account.
func (a *Access) named(name string) {
	if content, ok := strings.CutPrefix(name, contentPrefix); ok {
		a.Account.Content = content
	} else if declared, ok := strings.CutPrefix(name, declaredPrefix); ok {
		a.Account.Declared = declared
	} else {
		a.Configuration = name
	}
}

// DeclaredName is what is declared, without further settings (Access.With).
func (a Account) DeclaredName() string {
	name, _, _ := strings.Cut(a.Declared, settingsOf)
	return name
}

// settingsOf precedes further settings in the names of accounts.
const settingsOf = "/settings:"

// Same reports whether two configurations are known to be for one account.
func (a Account) Same(other Account) bool {
	return a.Content != "" && a.Content == other.Content || a.Declared != "" && a.Declared == other.Declared
}

// Access is a provider configuration by which objects are claimed.
type Access struct {
	// Configuration is its name.
	Configuration string
	Account       Account
}

// With returns the access by the configuration with further settings; the same without any.
func (a Access) With(settings string) Access {
	if settings == "" {
		return a
	}
	for _, name := range []*string{&a.Configuration, &a.Account.Content, &a.Account.Declared} {
		if *name != "" || name == &a.Configuration {
			*name += settingsOf + settings
		}
	}
	return a
}

// Names returns the names of the account for Object, each once.
func (a Access) Names() []string {
	out := make([]string, 0, 3)
	for _, name := range a.Account.Names(a.Configuration) {
		if name != "" || len(out) == 0 {
			out = append(out, name)
		}
	}
	return out
}

// Objects returns an object as it is accessed by the configuration, and by others of the same
// account.
func (a Access) Objects(resourceType, identity string) []Object {
	names := a.Names()
	out := make([]Object, len(names))
	for i, name := range names {
		out[i] = Object{Account: name, Type: resourceType, Identity: identity}
	}
	return out
}

// Strength is the strength of a claim.
type Strength uint8

// The strengths, from weak to strong.
const (
	// Named: annotations of the resource name the object, which it does not have. Otherwise as
	// Weak.
	Named Strength = iota
	// Weak: the object has the identity, but others may have it too. Weak claims do not conflict
	// with each other.
	Weak
	// Wanted: the resource is going to make the object, or to import it by an id that others may
	// have. Any other claim comes first, and among Wanted claims the oldest resource.
	Wanted
	// Begun: an operation that makes the object was begun, and its outcome is unknown.
	Begun
	// Held: the resource is known to manage the object, or asks to import it.
	Held
)

// Claim is the claim of a resource on an object.
type Claim struct {
	Object   Object
	Strength Strength
	// Inherited is set when only the record of an earlier resource of the same name says so. What
	// other resources know themselves comes first: the object may be theirs, made after that record
	// was written.
	Inherited bool
	// Recorded is set when the stored record of the resource itself names the object.
	Recorded bool
	// Contained is set for one of several objects of the resource; nil otherwise.
	Contained *ContainedObject
}

// ContainedObject is what a claim tells of one of several objects of a resource.
type ContainedObject struct {
	// Access is how it is accessed.
	Access Access
	// Made is what its provider has made of it, as far as that is known.
	Made terraform.Made
}

// Owner is a custom resource.
type Owner struct {
	Key store.Key
	UID types.UID
	// Created is its creation time.
	Created time.Time
}

// Rival is the owner that prevents a claimant from writing.
type Rival struct {
	// Owner takes precedence.
	Owner Owner
	// Claim is the claimant's own claim.
	Claim Claim
	// Holds is set when Owner has the object, or has begun to make it. Another one takes precedence
	// only while its operation runs, or over a resource that wants the object, too.
	Holds bool
}

// OfAnotherNamespace stands for owners that the reader of a message may not be allowed to know.
const OfAnotherNamespace = "a resource of another namespace"

// Text returns the kind and name of the owner for a message in a namespace, if it is in the same
// one.
func (r Rival) Text(namespace string) string {
	k := r.Owner.Key
	switch {
	case k.Namespace != namespace:
		return OfAnotherNamespace
	case k.Namespace != "":
		return k.Kind + " " + k.Namespace + "/" + k.Name
	}
	return k.Kind + " " + k.Name
}
