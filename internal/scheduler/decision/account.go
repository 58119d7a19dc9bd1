package decision

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
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
				"Change them back, or set the annotation landbridge.io/confirm-account of this resource to %q: the resource is for the new account then, %s.",
			now, code, stays))
	}
	what := map[Proof]string{Absent: "the object is not found"}
	out := Failed(ReasonAccountChanged, diagnostic.Errorf("Account changed",
		"The arguments of %s have changed, and %s, so nothing is done. Change them back, or set the annotation landbridge.io/confirm-account to %q: "+
			"on the configuration if it is for the same account, on this resource if it is for another one, %s.",
		now, cmp.Or(what[seen], "nothing shows yet that it is for the same account"), code, stays))
	return out
}

// made matches the names of attributes that only a provider sets, and never changes: ids, and times
// of creation.
var made = regexp.MustCompile(`^(id|uid|uuid|guid|arn|urn|crn|[a-z_]*(unique|object|resource|numeric)_u?id|creat(ed|ion)(_|$)[a-z_]*|create_time[a-z]*|time_created)$`)

// telling is the least length of a value that two clouds do not make alike.
const telling = 8

// CompareMade compares what only a provider makes of an object. A value that is made of arguments
// shows nothing if it is the same.
func CompareMade(s *schema.Resource, stored, found cty.Value) Proof {
	if !instance.Present(stored) || !instance.Present(found) {
		return Undecided
	}
	given := arguments(s, stored)
	out := Undecided
	_ = cty.Walk(stored, func(path cty.Path, v cty.Value) (bool, error) {
		if out == Stranger || v.IsNull() || !v.IsKnown() || !single(path, v) {
			return false, nil
		}
		if !v.Type().IsPrimitiveType() || len(path) == 0 {
			return true, nil
		}
		a := s.Block.AttributeByPath(path)
		name, ok := path[len(path)-1].(cty.GetAttrStep)
		if a == nil || !ok || !a.Computed || a.Sensitive || a.Optional && len(path) > 1 || !made.MatchString(name.Name) {
			return false, nil
		}
		is, err := path.Apply(found)
		switch {
		case err != nil, is.IsNull(), !is.IsKnown():
		case !is.RawEquals(v):
			out = Stranger
		case !given.make(v):
			out = Proved
		}
		return false, nil
	})
	return out
}

// single reports whether a value is not one of several: their order may change.
func single(path cty.Path, v cty.Value) bool {
	if t := v.Type(); t.IsSetType() || t.IsMapType() || t.IsListType() && v.LengthInt() != 1 {
		return false
	}
	return true
}

// texts are values of arguments.
type texts []string

// arguments returns the values of the arguments of an object.
func arguments(s *schema.Resource, v cty.Value) (out texts) {
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() {
			return false, nil
		}
		if v.Type() == cty.String && len(path) > 0 && v.AsString() != "" {
			if a := s.Block.AttributeByPath(path); a == nil || a.Required || a.Optional && !a.Computed {
				out = append(out, v.AsString())
			}
		}
		return true, nil
	})
	return out
}

// make reports whether a value may be made of arguments, or is so short that two clouds may make it
// alike.
func (t texts) make(v cty.Value) bool {
	var text string
	switch v.Type() {
	case cty.String:
		text = v.AsString()
	case cty.Number:
		text = v.AsBigFloat().Text('f', -1)
	}
	if len(text) < telling {
		return true
	}
	for _, argument := range t {
		if len(argument) > 2 && strings.Contains(text, argument) {
			return true
		}
	}
	return false
}
