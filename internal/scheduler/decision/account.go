package decision

import (
	"cmp"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Proof is what a read shows of the account of an object.
type Proof uint8

const (
	// NotLooked: the object was not looked for.
	NotLooked Proof = iota
	// Proved: it is the stored object.
	Proved
	// Stranger: it is another object.
	Stranger
	// Undecided: it has nothing by which two objects differ for certain.
	Undecided
	// Absent: it was not found.
	Absent
)

// AccountChanged is the error for an object in a stored account that is not known to be the one
// that the provider configuration gives access to now. deleted is set when its resource is being
// deleted.
func AccountChanged(stored, account instance.Account, deleted bool, seen Proof) *Error {
	before, now := stored.Text(), account.Text()
	stays := "and the object stays where it is"
	if deleted {
		stays = "and an object that is not the same there is left where it is"
	}
	if stored.Relation(account) == instance.OtherAccount {
		return Failed(ReasonAccountChanged, diagnostic.Errorf("Account changed",
			"The remote object is in the account of %s, and spec.providerConfigRef names %s, so nothing is done in either. "+
				"Name the former one again, or set the annotation landbridge.io/confirm-account to %q: the resource is for the new account then, %s.",
			before, now, account.Title(), stays))
	}
	code := account.Code()
	if seen == Stranger {
		return Failed(ReasonAccountChanged, diagnostic.Errorf("Account changed",
			"The arguments of %s have changed, and the object that it shows now is another one than that of this resource, so nothing is done. "+
				"Change them back, or set the annotation landbridge.io/confirm-account of this resource to %q: the "+
				"resource is for the new account then, %s.",
			now, code, stays))
	}
	what := map[Proof]string{Absent: "the object is not found"}
	out := Failed(ReasonAccountChanged, diagnostic.Errorf("Account changed",
		"The arguments of %s have changed, and %s, so nothing is done. Change them back, or set the annotation "+
			"landbridge.io/confirm-account to %q: "+
			"on the configuration if it is for the same account, on this resource if it is for another one, %s.",
		now, cmp.Or(what[seen], "nothing shows yet that it is for the same account"), code, stays))
	return out
}

// CompareMade compares what only a provider makes of an object. A value that is made of arguments
// shows nothing if it is the same.
func CompareMade(s *schema.Resource, stored, found cty.Value) Proof {
	return Compare(terraform.MadeOf(s, stored), terraform.MadeOf(s, found))
}

// Compare is CompareMade of what is known of the two objects.
func Compare(stored, found terraform.Made) Proof {
	switch same, different := stored.Compare(found); {
	case different:
		return Stranger
	case same:
		return Proved
	}
	return Undecided
}
