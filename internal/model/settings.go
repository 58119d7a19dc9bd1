package model

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/config"
)

var secretKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// Settings are the configuration of the values of a resource type's objects. The zero value changes
// nothing.
type Settings struct {
	// Attribute is the top-level attribute that is the external name; nil if none is configured.
	Attribute *Field
	// Argument is the top-level argument that is set to the external name; nil if there is none.
	Argument *Field
	// Default is the default of the external name. Defaults to the name of the resource.
	Default Template
	// ImportID is the id by which an object is imported. Defaults to its external name.
	ImportID Template
	// Identity is where attributes of the identity come from, by their names.
	Identity map[string]IdentitySource
	// CreateToken is the top-level argument that makes creates idempotent; nil if there is none.
	// The remote side remembers its value for CreateTokenValidFor.
	CreateToken         *Field
	CreateTokenValidFor time.Duration
	// ListArguments are the arguments of the list resource, by their names; nil if interrupted
	// creates are not recovered by listing.
	ListArguments map[string]IdentitySource
	// ListRefresh is how unchanged objects are looked at by listing; nil if they are read.
	ListRefresh *ListRefresh
	// Values are set for every object, sorted by Terraform name.
	Values []Value
	// Tags are added to every object; nil if there are none.
	Tags *Tags
	// ConnectionDetails are keys of the connection Secret besides those of sensitive attributes.
	ConnectionDetails map[string]Template
	// LateInitialize writes values that the provider chose into spec.forProvider, except for fields
	// that are LateIgnored.
	LateInitialize bool
	Timeouts       config.Timeouts
	// PollInterval is the interval at which unchanged objects are read. Defaults to that of the
	// provider.
	PollInterval time.Duration
	// CreationGracePeriod is how long an object may be missing after its create; nil for the
	// controller's default.
	CreationGracePeriod *time.Duration
	Functions           config.Functions
}

// Value is the configured value of a top-level attribute.
type Value struct {
	Field    *Field
	Template Template
}

// configure checks the configuration of the resource type, and keeps its settings for values.
// Errors are *config.Errors with paths in the type's configuration.
func (r *Resource) configure(c config.Resource) error {
	root := r.Root()
	if len(r.rules.wrong) > 0 {
		return r.rules.wrong[0]
	}
	for i, path := range c.Omit {
		if err := r.mayOmit(path); err != nil {
			return config.At(err, "omit", strconv.Itoa(i))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.Fields)) {
		if err := r.checkField(path, c.Fields[path]); err != nil {
			return config.At(err, "fields", path)
		}
	}
	if err := r.settle(c); err != nil {
		return err
	}
	s := &r.Settings
	for _, name := range slices.Sorted(maps.Keys(c.Add)) {
		if err := root.Object.add(name, c.Add[name]); err != nil {
			return config.At(err, "add", name)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.Fields)) {
		if v := c.Fields[path].Value; v != "" {
			t, err := r.template(v, false, config.Parameters, config.Metadata)
			if err != nil {
				return config.At(err, "fields", path, "value")
			}
			s.Values = append(s.Values, Value{root.Object.ByTerraform(path), t})
		}
	}
	if c.ExternalName != nil {
		if err := r.nameExternally(*c.ExternalName); err != nil {
			return config.At(err, "externalName")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Identity)) {
		if err := r.identify(name, c.Identity[name]); err != nil {
			return config.At(err, "identity", name)
		}
	}
	if c.CreateToken != nil {
		if err := r.tokenize(*c.CreateToken); err != nil {
			return config.At(err, "createToken")
		}
	}
	if c.DefaultTags != nil {
		if err := r.tag(*c.DefaultTags); err != nil {
			return config.At(err, "defaultTags")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.ConnectionDetails)) {
		t, err := r.template(c.ConnectionDetails[key], true, config.Attributes, config.ExternalKey, config.Metadata)
		if err == nil && !secretKey.MatchString(key) {
			err = errors.New("a key of a Secret has letters, digits, dashes, underscores and dots")
		}
		if err != nil {
			return config.At(err, "connectionDetails", key)
		}
		if s.ConnectionDetails == nil {
			s.ConnectionDetails = map[string]Template{}
		}
		s.ConnectionDetails[key] = t
	}
	if l := c.LateInitialize; l != nil {
		s.LateInitialize = l.Enabled != nil && *l.Enabled
		for i, path := range l.Ignore {
			if root.find(strings.Split(path, ".")) == nil {
				return config.At(fmt.Errorf("there is no %s", path), "lateInitialize", "ignore", strconv.Itoa(i))
			}
		}
	}
	if d := c.PollInterval; d != nil {
		if d.Duration < time.Second {
			return config.At(errors.New("it must be at least 1s"), "pollInterval")
		}
		s.PollInterval = d.Duration
	}
	if d := c.CreationGracePeriod; d != nil {
		s.CreationGracePeriod = &d.Duration
	}
	if t := c.Timeouts; t != nil {
		s.Timeouts = *t
		for name, d := range map[string]*metav1.Duration{"create": t.Create, "update": t.Update, "delete": t.Delete} {
			if d != nil && d.Duration <= 0 {
				return config.At(errors.New("it must be greater than 0"), "timeouts", name)
			}
		}
	}
	if c.Functions != nil {
		s.Functions = *c.Functions
	}
	return nil
}

func (r *Resource) mayOmit(path string) error {
	f := r.Root().find(strings.Split(path, "."))
	switch {
	case f == nil:
		return fmt.Errorf("there is no %s", path)
	case f.Required && !f.Settled:
		return fmt.Errorf("%s is required", path)
	}
	return nil
}

// checkField finds what cannot be configured of a field of an object.
func (t *Type) checkField(path string, c config.Field) error {
	f := t.find(strings.Split(path, "."))
	switch {
	case f == nil:
		return fmt.Errorf("there is no %s", path)
	case c.Type != "" && f.Type.Presented() != kindOf[c.Type]:
		return config.At(fmt.Errorf("%s is a %s, which cannot be presented as %q", path, f.Type.Kind, c.Type), "type")
	case c.Sensitive && !f.Sensitive:
		return config.At(fmt.Errorf("%s is not an attribute: only attributes can be sensitive", path), "sensitive")
	}
	return nil
}

func (r *Resource) checkField(path string, c config.Field) error {
	if r.rules.omit[path] {
		return fmt.Errorf("%s is omitted", path)
	}
	if r.Identity() != nil && r.Identity().Object.ByTerraform(path) != nil && r.Root().find([]string{path}) == nil {
		if !reflect.DeepEqual(c, config.Field{Type: config.FieldString}) {
			return fmt.Errorf("%s is an attribute of the identity only, of which the type can be configured to be string", path)
		}
		return nil
	}
	if err := r.Root().checkField(path, c); err != nil || c.Value == "" {
		return err
	}
	err := r.maySettle(path)
	if err == nil && !r.Root().find(strings.Split(path, ".")).Type.IsPrimitive() {
		err = fmt.Errorf("%s is neither a string, nor a number, nor a boolean", path)
	}
	if err != nil {
		return config.At(err, "value")
	}
	return nil
}

// maySettle returns an error if a value cannot be set for all objects.
func (r *Resource) maySettle(name string) error {
	a := r.Schema.Block.Attributes[name]
	switch {
	case a == nil:
		return fmt.Errorf("there is no top-level attribute %s", name)
	case !a.Required && !a.Optional || isImplicitID(name, a):
		return fmt.Errorf("%s is set by the provider", name)
	case r.rules.omit[name]:
		return fmt.Errorf("%s is omitted", name)
	case r.Root().Object.ByTerraform(name).Secret():
		return fmt.Errorf("%s is sensitive", name)
	}
	return nil
}

// add adds a field that the provider does not have.
func (f *Fields) add(name string, c config.AddedField) error {
	switch {
	case !validName.MatchString(name):
		return fmt.Errorf("%q is not a valid field name: it must be in camelCase", name)
	case f.taken(name):
		return fmt.Errorf("%s is taken", name)
	}
	added := &Field{
		Name: name, JSONName: name, Added: true, Input: true, Required: c.Required, Optional: !c.Required,
		Description: c.Description, Type: PlainType(cty.String),
	}
	switch c.Type {
	case "", config.FieldString:
	case config.FieldList:
		added.Type = PlainType(cty.List(cty.String))
	case config.FieldMap:
		added.Type = PlainType(cty.Map(cty.String))
	default:
		as, ok := kindOf[c.Type]
		if !ok {
			return config.At(fmt.Errorf("there is no type %q", c.Type), "type")
		}
		added.Type.As = as
	}
	f.Added = append(f.Added, added)
	f.input[name] = added
	return nil
}

// IsAdded reports whether there is an added field of that name.
func (f *Fields) IsAdded(name string) bool {
	field := f.input[name]
	return field != nil && field.Added
}

func (r *Resource) nameExternally(c config.ExternalName) (err error) {
	s, object := &r.Settings, r.Root().Object
	plain := func(name string) (*Field, error) {
		f := object.ByTerraform(name)
		switch {
		case f == nil:
			return nil, fmt.Errorf("there is no attribute %s", name)
		case f.Secret():
			return nil, fmt.Errorf("%s is sensitive", name)
		case f.Type.Kind != String && f.Type.Kind != Number:
			return nil, fmt.Errorf("%s is neither a string nor a number", name)
		}
		return f, nil
	}
	switch {
	case c.Attribute != "" && c.Argument != "":
		return config.At(errors.New("give either attribute or argument"), "argument")
	case c.Attribute != "":
		if s.Attribute, err = plain(c.Attribute); err != nil {
			return config.At(err, "attribute")
		}
	case c.Argument != "":
		s.Argument, err = plain(c.Argument)
		if err == nil {
			err = r.maySettle(c.Argument)
		}
		if err == nil && s.Argument.Type.Kind != String {
			err = fmt.Errorf("%s is not a string", c.Argument)
		}
		if err == nil && slices.ContainsFunc(s.Values, func(v Value) bool { return v.Field == s.Argument }) {
			err = fmt.Errorf("fields.%s.value already sets %s", c.Argument, c.Argument)
		}
		if err != nil {
			return config.At(err, "argument")
		}
	case c.Default != "":
		return config.At(errors.New("it needs argument"), "default")
	}
	if s.Default, err = r.template(c.Default, false, config.Metadata, config.Parameters); err != nil {
		return config.At(err, "default")
	}
	if s.ImportID, err = r.template(c.ImportID, false, config.ExternalKey, config.Parameters, config.Metadata); err != nil {
		return config.At(err, "importID")
	}
	named := 0
	for _, p := range s.ImportID {
		if len(p.Path) == 1 {
			named++
		}
	}
	if !s.ImportID.Empty() && named != 1 {
		return config.At(fmt.Errorf("%q must have {{ .externalName }} once", c.ImportID), "importID")
	}
	return nil
}
