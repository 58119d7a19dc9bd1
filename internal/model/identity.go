package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/config"
)

// IdentitySource is where an attribute of the identity, or an argument of the list resource, comes
// from: an argument of the resource, or a constant.
type IdentitySource struct {
	// Path is the Terraform path of the argument; nil for a constant. The elements of singletons
	// have no step.
	Path []string
	// Constant has the type of the attribute.
	Constant cty.Value
}

// identify adds the source of an attribute of the identity.
func (r *Resource) identify(name string, v config.IdentityValue) error {
	if r.Schema.Identity == nil {
		return fmt.Errorf("%s has no identity", r.Type)
	}
	a := r.Schema.Identity.Attributes[name]
	if a == nil {
		return fmt.Errorf("the identity has no attribute %s", name)
	}
	source, err := r.source(v, a.Type, "attribute of the identity")
	if err != nil {
		return err
	}
	if r.Settings.Identity == nil {
		r.Settings.Identity = map[string]IdentitySource{}
	}
	r.Settings.Identity[name] = source
	return nil
}

// source returns the source of a value of the given type, which is what.
func (r *Resource) source(v config.IdentityValue, t cty.Type, what string) (IdentitySource, error) {
	out := IdentitySource{Path: v.Path(), Constant: cty.NilVal}
	if out.Path != nil {
		return out, r.identifies(out.Path, t, what)
	}
	var err error
	if out.Constant, err = convert.Convert(cty.StringVal(v.Constant()), t); err != nil {
		return out, fmt.Errorf("%q is no %s", v.Constant(), t.FriendlyName())
	}
	return out, nil
}

// identifies returns an error if an argument cannot be the source of a value of the given type.
func (r *Resource) identifies(path []string, t cty.Type, what string) error {
	text := strings.Join(path, ".")
	f, in := r.Root().at(path)
	switch {
	case f == nil:
		return fmt.Errorf("there is no argument %s; for the constant text, write %q", text, "="+text)
	case f.Secret() || f.WriteOnly || in.HasSecrets():
		return fmt.Errorf("%s is sensitive", text)
	case !f.Required && !f.Optional:
		return fmt.Errorf("%s is not known before an object is created: it is no argument", text)
	case !in.Cty.Equals(t) && convert.GetConversionUnsafe(in.Cty, t) == nil, !in.Cty.Equals(t) && !in.IsPrimitive():
		return fmt.Errorf("%s is a %s, and the %s a %s", text, in.Kind, what, t.FriendlyName())
	}
	return nil
}

// defaultTokenValidFor is the time for which a remote side remembers a create token unless
// configured.
const defaultTokenValidFor = time.Hour

// tokenize sets the argument that makes creates idempotent.
func (r *Resource) tokenize(c config.CreateToken) error {
	name := c.Argument
	f := r.Root().Object.ByTerraform(name)
	var err error
	switch {
	case name == "":
		return config.At(errors.New("it is required"), "argument")
	case f == nil || r.Schema.Block.Attributes[name] == nil:
		err = fmt.Errorf("there is no argument %s", name)
	case f.Required:
		err = fmt.Errorf("%s is required, so it is always the user who sets it", name)
	case !f.Optional || f.Type.Kind != String:
		err = fmt.Errorf("%s is no optional string", name)
	case slices.ContainsFunc(r.Settings.Values, func(v Value) bool { return v.Field == f }), f == r.Settings.Argument:
		err = fmt.Errorf("another setting of the configuration sets %s", name)
	}
	if err != nil {
		return config.At(err, "argument")
	}
	r.Settings.CreateToken, r.Settings.CreateTokenValidFor = f, defaultTokenValidFor
	if d := c.ValidFor; d != nil {
		if d.Duration <= 0 {
			return config.At(errors.New("it must be longer than nothing"), "validFor")
		}
		r.Settings.CreateTokenValidFor = d.Duration
	}
	return nil
}
