package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/cloud"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

// values are attributes, by name, as JSON would have them.
type values = map[string]any

// core calls a provider as Terraform's core does, as far as these tests need it.
type core struct {
	t          *testing.T
	form       provider.Form
	server     tfprotov6.ProviderServer
	schemas    map[string]*tfprotov6.Schema
	identities map[string]*tfprotov6.ResourceIdentitySchema
	cloud      *cloud.Server
	client     *client.Client
	ctx        context.Context
}

// instance is what core remembers of an object.
type instance struct {
	typeName string
	state    *tfprotov6.DynamicValue
	identity *tfprotov6.ResourceIdentityData
	private  []byte
	// warnings are those of the apply.
	warnings []string
}

// eachForm runs a test with every form of the provider, and a cloud for each.
func eachForm(t *testing.T, test func(t *testing.T, c *core)) {
	for _, form := range provider.Forms {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			test(t, newCore(t, form))
		})
	}
}

func newCore(t *testing.T, form provider.Form) *core {
	t.Helper()
	s, err := cloud.Start(cloud.Options{Data: filepath.Join(t.TempDir(), "cloud.db"), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	cl, err := client.New(client.Config{Endpoint: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	c := &core{t: t, form: form, cloud: s, client: cl, ctx: t.Context()}
	return c.at(release.Latest, nil)
}

// at is core with another release of the provider, and the same cloud.
func (c *core) at(r release.Release, config values) *core {
	c.t.Helper()
	ctx := c.t.Context()
	server, err := c.form.Server(ctx, r)
	if err != nil {
		c.t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	c.must(err, schemas.Diagnostics)
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	c.must(err, identities.Diagnostics)
	next := *c
	next.server, next.schemas, next.identities = server, schemas.ResourceSchemas, identities.IdentitySchemas

	set := values{"endpoint": c.cloud.URL(), "region": "eu-central-1"}
	for name, value := range config {
		set[name] = value
	}
	value := c.encode(block(schemas.Provider.Block, set))
	configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: value, TerraformVersion: "1.12.0"})
	c.must(err, configured.Diagnostics)
	return &next
}

func (c *core) must(err error, diags []*tfprotov6.Diagnostic) {
	c.t.Helper()
	if err := failed(err, diags); err != nil {
		c.t.Fatal(err)
	}
}

// failed makes one error of an error and diagnostics.
func failed(err error, diags []*tfprotov6.Diagnostic) error {
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			err = errors.Join(err, fmt.Errorf("%s\n%s", d.Summary, d.Detail))
		}
	}
	return err
}

// wantError checks that an error says something.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want one with %q", err, text)
	}
}

func (c *core) schemaType(typeName string) tftypes.Type {
	c.t.Helper()
	s := c.schemas[typeName]
	if s == nil {
		c.t.Fatalf("there is no %s", typeName)
	}
	return s.ValueType()
}

func (c *core) identityType(typeName string) tftypes.Type {
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	for _, a := range c.identities[typeName].IdentityAttributes {
		object.AttributeTypes[a.Name] = a.Type
	}
	return object
}

func (c *core) encode(v tftypes.Value) *tfprotov6.DynamicValue {
	c.t.Helper()
	encoded, err := tfprotov6.NewDynamicValue(v.Type(), v)
	if err != nil {
		c.t.Fatal(err)
	}
	return &encoded
}

// adapt writes arguments as the form has them: what is one nested object here is a
// list of blocks in SDKv2.
func (c *core) adapt(typeName string, arguments values) values {
	adapted := values{}
	for name, value := range arguments {
		for _, nested := range c.schemas[typeName].Block.BlockTypes {
			if _, one := value.(values); one && nested.TypeName == name && nested.Nesting == tfprotov6.SchemaNestedBlockNestingModeList {
				value = []any{value}
			}
		}
		adapted[name] = value
	}
	return adapted
}

// apply brings an object to what the arguments say: it validates, plans, and applies
// the plan. What there is afterwards is there with an error, too.
func (c *core) apply(prior instance, arguments values) (instance, error) {
	c.t.Helper()
	planned, config, err := c.plan(prior, arguments)
	if err != nil {
		return prior, err
	}
	return c.applyPlan(prior, config, planned)
}

func (c *core) create(typeName string, arguments values) (instance, error) {
	c.t.Helper()
	return c.apply(instance{typeName: typeName}, arguments)
}

// mustCreate is create for objects that a test only needs.
func (c *core) mustCreate(typeName string, arguments values) instance {
	c.t.Helper()
	made, err := c.create(typeName, arguments)
	if err != nil {
		c.t.Fatal(err)
	}
	return made
}

func (c *core) prior(i instance) *tfprotov6.DynamicValue {
	if i.state != nil {
		return i.state
	}
	return c.encode(tftypes.NewValue(c.schemaType(i.typeName), nil))
}

func (c *core) plan(prior instance, arguments values) (*tfprotov6.PlanResourceChangeResponse, *tfprotov6.DynamicValue, error) {
	c.t.Helper()
	ctx := c.t.Context()
	s := c.schemas[prior.typeName]
	configValue := block(s.Block, c.adapt(prior.typeName, arguments))
	config := c.encode(configValue)
	writeOnly := &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}
	validated, err := c.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: prior.typeName, Config: config, ClientCapabilities: writeOnly,
	})
	if err != nil {
		return nil, nil, err
	}
	if err := failed(nil, validated.Diagnostics); err != nil {
		return nil, nil, err
	}
	planned, err := c.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: prior.typeName, PriorState: c.prior(prior), Config: config, PriorPrivate: prior.private, PriorIdentity: prior.identity,
		ProposedNewState: c.encode(c.proposed(s.Block, prior, configValue)),
	})
	if err != nil {
		return nil, nil, err
	}
	return planned, config, failed(nil, planned.Diagnostics)
}

// proposed keeps what was computed, at the top; deeper, these tests do not need it.
func (c *core) proposed(b *tfprotov6.SchemaBlock, prior instance, config tftypes.Value) tftypes.Value {
	c.t.Helper()
	var attributes map[string]tftypes.Value
	if err := config.As(&attributes); err != nil {
		c.t.Fatal(err)
	}
	if prior.state == nil {
		return config
	}
	old := c.attributes(prior)
	for _, a := range b.Attributes {
		if a.WriteOnly {
			attributes[a.Name] = tftypes.NewValue(a.ValueType(), nil)
		} else if a.Computed && attributes[a.Name].IsNull() {
			attributes[a.Name] = old[a.Name]
		}
	}
	for _, nested := range b.BlockTypes {
		if c.form == provider.SDKv2 && nested.TypeName == "computed_block" && len(listOf(attributes[nested.TypeName])) == 0 {
			attributes[nested.TypeName] = old[nested.TypeName]
		}
	}
	return tftypes.NewValue(config.Type(), attributes)
}

func listOf(v tftypes.Value) []tftypes.Value {
	var list []tftypes.Value
	if v.As(&list) != nil {
		return nil
	}
	return list
}

func (c *core) applyPlan(prior instance, config *tfprotov6.DynamicValue, planned *tfprotov6.PlanResourceChangeResponse) (instance, error) {
	c.t.Helper()
	applied, err := c.server.ApplyResourceChange(c.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: prior.typeName, PriorState: c.prior(prior), PlannedState: planned.PlannedState, Config: config,
		PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	if err != nil {
		return prior, err
	}
	next := instance{typeName: prior.typeName, state: applied.NewState, identity: applied.NewIdentity, private: applied.Private}
	if next.state != nil && c.null(next) {
		next.state = nil
	}
	for _, d := range applied.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			next.warnings = append(next.warnings, d.Detail)
		}
	}
	return next, failed(nil, applied.Diagnostics)
}

func (c *core) destroy(prior instance) (instance, error) {
	c.t.Helper()
	null := c.encode(tftypes.NewValue(c.schemaType(prior.typeName), nil))
	return c.applyPlan(prior, null, &tfprotov6.PlanResourceChangeResponse{
		PlannedState: null, PlannedPrivate: prior.private, PlannedIdentity: prior.identity,
	})
}

// read answers with an instance without state if the object is gone.
func (c *core) read(i instance) (instance, error) {
	c.t.Helper()
	read, err := c.server.ReadResource(c.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: i.typeName, CurrentState: c.prior(i), CurrentIdentity: i.identity, Private: i.private,
	})
	if err != nil {
		return i, err
	}
	next := instance{typeName: i.typeName, state: read.NewState, identity: read.NewIdentity, private: read.Private}
	if err := failed(nil, read.Diagnostics); err != nil {
		return i, err
	}
	if c.null(next) {
		next.state = nil
	}
	return next, nil
}

// importID and importIdentity import and read, as core does.
func (c *core) importID(typeName, id string) (instance, error) {
	c.t.Helper()
	return c.imports(&tfprotov6.ImportResourceStateRequest{TypeName: typeName, ID: id})
}

func (c *core) importIdentity(typeName string, identity values) (instance, error) {
	c.t.Helper()
	return c.imports(&tfprotov6.ImportResourceStateRequest{TypeName: typeName, Identity: c.identity(typeName, identity)})
}

// identity encodes an identity, as far as it is given.
func (c *core) identity(typeName string, identity values) *tfprotov6.ResourceIdentityData {
	c.t.Helper()
	if c.identities[typeName] == nil { // whatever the provider says to that
		return &tfprotov6.ResourceIdentityData{
			IdentityData: c.encode(build(tftypes.Object{
				AttributeTypes: map[string]tftypes.Type{"id": tftypes.String},
			}, identity)),
		}
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: c.encode(build(c.identityType(typeName), identity))}
}

func (c *core) imports(req *tfprotov6.ImportResourceStateRequest) (instance, error) {
	c.t.Helper()
	imported, err := c.server.ImportResourceState(c.t.Context(), req)
	if err != nil {
		return instance{}, err
	}
	if err := failed(nil, imported.Diagnostics); err != nil {
		return instance{}, err
	}
	if len(imported.ImportedResources) != 1 {
		return instance{}, fmt.Errorf("%d imported", len(imported.ImportedResources))
	}
	one := imported.ImportedResources[0]
	return c.read(instance{typeName: one.TypeName, state: one.State, identity: one.Identity, private: one.Private})
}

func (c *core) value(i instance) tftypes.Value {
	c.t.Helper()
	v, err := i.state.Unmarshal(c.schemaType(i.typeName))
	if err != nil {
		c.t.Fatal(err)
	}
	return v
}

func (c *core) null(i instance) bool {
	c.t.Helper()
	return c.value(i).IsNull()
}

func (c *core) attributes(i instance) map[string]tftypes.Value {
	c.t.Helper()
	var attributes map[string]tftypes.Value
	if err := c.value(i).As(&attributes); err != nil {
		c.t.Fatal(err)
	}
	return attributes
}

// state is an instance's state, as JSON would have it.
func (c *core) state(i instance) values {
	c.t.Helper()
	if i.state == nil {
		return nil
	}
	state, _ := plain(c.value(i)).(values)
	return state
}

// identityOf is an instance's identity, as JSON would have it.
func (c *core) identityOf(i instance) values {
	c.t.Helper()
	if i.identity == nil || i.identity.IdentityData == nil {
		return nil
	}
	v, err := i.identity.IdentityData.Unmarshal(c.identityType(i.typeName))
	if err != nil {
		c.t.Fatal(err)
	}
	identity, _ := plain(v).(values)
	return identity
}

// raw is JSON of a state or an identity, as states are stored.
func raw(t *testing.T, v values) *tfprotov6.RawState {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.RawState{JSON: text}
}

// counts is the audit of one collection, without ids.
func (c *core) counts(collection string) api.Counts {
	c.t.Helper()
	audit, err := c.cloud.Audit(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	counts := *audit.Collections[collection]
	counts.LiveIDs, counts.OrphanIDs = nil, nil
	return counts
}

func (c *core) fault(f api.Fault) {
	c.t.Helper()
	if err := c.cloud.AddFault(f); err != nil {
		c.t.Fatal(err)
	}
}

// eventually waits for something that another goroutine does.
func (c *core) eventually(what string, is func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatal("waited in vain: ", what)
		}
	}
}

// block makes a configuration: what is not given is null, or no blocks.
func block(b *tfprotov6.SchemaBlock, given values) tftypes.Value {
	attributes := map[string]tftypes.Value{}
	for _, a := range b.Attributes {
		attributes[a.Name] = build(a.ValueType(), given[a.Name])
	}
	for _, nested := range b.BlockTypes {
		as := nested.ValueType()
		one := func(value any) tftypes.Value { v, _ := value.(values); return block(nested.Block, v) }
		var all []any
		if list, ok := given[nested.TypeName].([]any); ok {
			all = list
		}
		switch {
		case nested.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle && given[nested.TypeName] == nil:
			attributes[nested.TypeName] = tftypes.NewValue(as, nil)
		case nested.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle:
			attributes[nested.TypeName] = one(given[nested.TypeName])
		default:
			elements := []tftypes.Value{}
			for _, value := range all {
				elements = append(elements, one(value))
			}
			attributes[nested.TypeName] = tftypes.NewValue(as, elements)
		}
	}
	return tftypes.NewValue(b.ValueType(), attributes)
}

// build makes a value of a type; attributes that are not given are null.
func build(as tftypes.Type, given any) tftypes.Value {
	if given == nil {
		return tftypes.NewValue(as, nil)
	}
	if as.Is(tftypes.DynamicPseudoType) {
		switch given := given.(type) {
		case string:
			return tftypes.NewValue(tftypes.String, given)
		case []any:
			return build(tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.String, tftypes.Number}}, given)
		}
	}
	elements := func(element func(int) tftypes.Type) []tftypes.Value {
		all := []tftypes.Value{}
		for i, e := range given.([]any) {
			all = append(all, build(element(i), e))
		}
		return all
	}
	switch as := as.(type) {
	case tftypes.Object:
		attributes := map[string]tftypes.Value{}
		for name, inner := range as.AttributeTypes {
			attributes[name] = build(inner, given.(values)[name])
		}
		return tftypes.NewValue(as, attributes)
	case tftypes.Map:
		all := map[string]tftypes.Value{}
		for key, e := range given.(values) {
			all[key] = build(as.ElementType, e)
		}
		return tftypes.NewValue(as, all)
	case tftypes.List:
		return tftypes.NewValue(as, elements(func(int) tftypes.Type { return as.ElementType }))
	case tftypes.Set:
		return tftypes.NewValue(as, elements(func(int) tftypes.Type { return as.ElementType }))
	case tftypes.Tuple:
		return tftypes.NewValue(as, elements(func(i int) tftypes.Type { return as.ElementTypes[i] }))
	}
	return tftypes.NewValue(as, given)
}

// plain is a value as JSON would have it; what is unknown is "(unknown)".
func plain(v tftypes.Value) any {
	switch {
	case !v.IsKnown():
		return "(unknown)"
	case v.IsNull():
		return nil
	}
	var s string
	var b bool
	var n *big.Float
	var list []tftypes.Value
	var object map[string]tftypes.Value
	switch {
	case v.As(&s) == nil:
		return s
	case v.As(&b) == nil:
		return b
	case v.As(&n) == nil:
		f, _ := n.Float64()
		return f
	case v.As(&list) == nil:
		all := []any{}
		for _, e := range list {
			all = append(all, plain(e))
		}
		return all
	case v.As(&object) == nil:
		all := values{}
		for name, e := range object {
			all[name] = plain(e)
		}
		return all
	}
	return fmt.Sprintf("(%s)", v.Type())
}
