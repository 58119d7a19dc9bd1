package cases

import (
	"encoding/json"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Style is the SDK with which the provider of a case is written.
type Style string

// The styles. Hand and HandNoPlan are written on the bare protocol. HandNoPlan does not plan
// destroys, like providers from before the protocol supported it.
const (
	Hand       Style = "hand"
	HandNoPlan Style = "bare"
	Framework5 Style = "five"
	Framework6 Style = "six"
	SDK        Style = "sdk"
)

// Case is the life of one resource instance.
type Case struct {
	Style Style
	// Seed decides all that the provider is free to choose.
	Seed uint64
	// Plain decides it instead of Seed: of what a provider may do, only what Chosen names is done.
	// Each choice is named by what is chosen and the path, as in "replace.name".
	Plain  bool     `json:",omitempty"`
	Chosen []string `json:",omitempty"`
	// Renamed maps the names that attributes had in version 0 of the schemas to those they have
	// now.
	Renamed map[string]string `json:",omitempty"`
	// NoUpgraders is set for providers that cannot upgrade from earlier versions of the schemas.
	NoUpgraders bool `json:",omitempty"`
	// Direct cases are for the engine alone: they have what no manifest can say.
	Direct bool `json:",omitempty"`
	// Legacy providers announce the legacy type system, and make use of it.
	Legacy bool `json:",omitempty"`
	// Schemas are the type's schema, and what a newer version of the provider makes of it.
	Schemas [2]*schema.Resource
	Steps   []Step
}

// Step is one run: what happened before it, and the configuration.
type Step struct {
	// Config is what the user wants, as JSON of the schema's implied type; nil when the
	// resource is not configured (any more).
	Config json.RawMessage `json:",omitempty"`
	// Version is the index in Case.Schemas of the schema that the provider has now.
	Version int `json:",omitempty"`

	CreateBeforeDestroy bool `json:",omitempty"`
	// IgnoreChanges names top-level attributes; "*" alone is all of them.
	IgnoreChanges []string `json:",omitempty"`
	// Taint marks the object for replacement.
	Taint bool  `json:",omitempty"`
	Drift Drift `json:",omitempty"`
	// Import wants an object imported that exists and is not managed yet.
	Import Import `json:",omitempty"`
	// Move is set when the object in the state has another resource type, which is an alias here.
	Move bool `json:",omitempty"`
	// Sensitive are the paths of configured values that are sensitive though the schema does not
	// say so.
	Sensitive []instance.Path `json:",omitempty"`
	// Faults are what the provider does wrong in this step, by RPC.
	Faults map[string]string `json:",omitempty"`
}

// Drift is a change of the remote object that neither side made.
type Drift string

// The kinds of drift.
const (
	NoDrift      Drift = ""
	DriftChanged Drift = "changed"
	DriftGone    Drift = "gone"
)

// Import is how an object is imported.
type Import string

// The kinds of import.
const (
	NoImport         Import = ""
	ImportByID       Import = "id"
	ImportByIdentity Import = "identity"
)

// Schema returns a version of the schema.
func (c *Case) Schema(version int) *schema.Resource { return c.Schemas[version] }

// SensitivePaths returns Sensitive as cty paths.
func (s Step) SensitivePaths() []cty.Path {
	var out []cty.Path
	for _, p := range s.Sensitive {
		out = append(out, cty.Path(p))
	}
	return out
}

// ConfigValue returns the configuration of a step. It is null if the resource is not configured.
func (c *Case) ConfigValue(step Step) (cty.Value, error) {
	t := c.Schemas[step.Version].ImpliedType()
	if step.Config == nil {
		return cty.NullVal(t), nil
	}
	return ctyjson.Unmarshal(step.Config, t)
}

// Named returns a copy whose resource type has the name.
func (c *Case) Named(name string) (*Case, error) {
	out := &Case{}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, err
	}
	for _, s := range out.Schemas {
		s.Type = name
	}
	return out, nil
}

// Encode returns the JSON of a case.
func (c *Case) Encode() ([]byte, error) { return json.MarshalIndent(c, "", "\t") }

// Decode reads the JSON of a case.
func Decode(raw []byte) (*Case, error) {
	c := &Case{}
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, fmt.Errorf("reading a case: %w", err)
	}
	return c, nil
}
