package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// The resource types differ in what is known of an object's identity.
const (
	// named: the identity is the argument name, and the cloud refuses a second object of it.
	named = "sim_named"
	// identified: the identity is the id, which the cloud assigns.
	identified = "sim_identified"
	// anonymous: there is no identity, only the assigned id.
	anonymous = "sim_anonymous"
	// listed: as identified, and the objects can be listed, which recovers interrupted creates.
	listed = "sim_listed"
)

// resourceTypes are the resource types. A new one is appended, so that kept schedules mean the same
// as before.
var resourceTypes = []string{named, identified, anonymous, listed}

// providerSchema is the schema of the provider. If objects are distinct, all but the anonymous ones
// have a uid.
func providerSchema(distinct bool) *schema.Provider {
	out := &schema.Provider{
		Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{},
		ListResources: map[string]*schema.Block{listed: {}},
	}
	out.Capabilities.MoveResourceState = true
	for _, t := range resourceTypes {
		r := &schema.Resource{Type: t, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id":       {Type: cty.String, Computed: true},
			"name":     {Type: cty.String, Required: true},
			"zone":     {Type: cty.String, Required: true},
			"tag":      {Type: cty.String, Required: true},
			"size":     {Type: cty.Number, Optional: true},
			"password": {Type: cty.String, Computed: true, Sensitive: true},
		}}}
		if distinct && t != anonymous {
			r.Block.Attributes[uid] = &schema.Attribute{Type: cty.String, Computed: true}
		}
		attribute := map[string]string{named: "name", identified: "id", listed: "id"}[t]
		if attribute != "" {
			r.Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{attribute: {Type: cty.String, RequiredForImport: true}}}
		}
		out.Resources[t] = r
	}
	return out
}

// object is a remote object.
type object struct {
	resourceType, id, name, zone, tag, password string
	// account is where it is, and uid what no other object has.
	account, uid string
	size         int64
	// coming is set while the object is being created: it exists, but is not visible.
	coming bool
	// made is when its create was accepted.
	made time.Time
	quirks
	// repeats is how often it was updated to its size since repeatedSince.
	repeats       int
	repeatedSince time.Time
	// stored is set when its password was stored: the result of its create is not lost any more.
	stored bool
	// shared is set when two resources have had it.
	shared bool
	// tainted is set when its create failed halfway.
	tainted bool
	// refused is set when the API server refused to store it, because of its size.
	refused bool
	// unknown is set when a user did to the resource that had it before what may have lost its
	// password.
	unknown bool
}

// pending is a change that the cloud has accepted and not completed.
type pending struct {
	o       *object
	destroy bool
	since   time.Time
	// answered is closed when no call waits for it: the cloud completes it by itself.
	abandoned bool
}

// cloud is the simulated cloud.
type cloud struct {
	w       *world
	objects []*object
	// ghosts are objects that do not exist any more, and are shown for some time.
	ghosts  []*object
	pending []*pending
	serial  int
	// serials are the numbers of the latest objects of accounts.
	serials map[string]int
	// throttled is until when the cloud rejects all requests.
	throttled time.Time
	// reserved is until when names of destroyed objects are taken. full is until when nothing can
	// be created.
	reserved map[string]time.Time
	full     time.Time
	// latest are the latest objects, by their accounts, types and names.
	latest map[string]*object
	// normalised is in which way objects are shown, by their resource types and tags.
	normalised map[string]behaviour
	// unstarted is until when no provider can be started.
	unstarted time.Time
}

func (c *cloud) find(account, resourceType string, match func(*object) bool) *object {
	for _, o := range c.objects {
		if o.account == account && o.resourceType == resourceType && match(o) {
			return o
		}
	}
	return nil
}

// present returns an object that requests find.
func (c *cloud) present(account, resourceType, id string) *object {
	if o := c.byID(account, resourceType, id); o != nil && !o.coming && c.shows(o) {
		return o
	}
	return nil
}

// visible returns the object that a read shows, which may not exist any more.
func (c *cloud) visible(account, resourceType, id string) *object {
	if o := c.present(account, resourceType, id); o != nil {
		return o
	}
	for _, o := range c.ghosts {
		if o.account == account && o.resourceType == resourceType && o.id == id && c.w.now().Before(o.shownUntil) {
			return o
		}
	}
	return nil
}

// add adds an object, which gets its id and its secret. Each account counts its objects, so two of
// them have the same ids.
func (c *cloud) add(o *object) {
	c.serial++
	c.serials[o.account]++
	o.id, o.password = fmt.Sprintf("i-%d", c.serials[o.account]), fmt.Sprintf("password-%d.", c.serial)
	if o.resourceType == named {
		o.id = o.name
	}
	if c.w.schema.Resources[o.resourceType].Block.Attributes[uid] != nil {
		o.uid = fmt.Sprintf("uid-%08d.", c.serial)
	}
	c.objects = append(c.objects, o)
	c.latest[o.account+o.resourceType+o.name] = o
}

func (c *cloud) remove(o *object) {
	c.objects = slices.DeleteFunc(c.objects, func(other *object) bool { return other == o })
}

// complete completes a pending change.
func (c *cloud) complete(p *pending) {
	c.pending = slices.DeleteFunc(c.pending, func(other *pending) bool { return other == p })
	if p.destroy {
		c.remove(p.o)
		return
	}
	p.o.coming = false
}

// verdict is what happens to a call.
type verdict int

const (
	proceed verdict = iota
	// refuse: the call fails, and nothing is done.
	refuse
	// lose: it is done, and the answer is lost.
	lose
	// throttle: the call is rejected, since there are too many.
	throttle
	// half: a create makes an object, and then fails.
	half
	// slow: it is accepted, and takes a while.
	slow
	// final: it is done, and the process dies before the answer.
	final
	// vanish: the process is dead.
	vanish
)

type verdictKey struct{}

// server is the provider of one process.
type server struct {
	provider.Server
	p      *process
	schema *schema.Provider
	// configuration is the name of its provider configuration. module is set if a module uses it.
	configuration string
	module        bool
	// account is the one that the configuration gives access to.
	account string
	// verdicts are those on the changes of a module, by resource type.
	verdicts map[string]verdict
}

// GetProviderSchema implements tfprotov6.ProviderServer. Its answer is only passed on.
func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{}, nil
}

func (s *server) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return s.schema, nil
}

func (s *server) ProtocolVersion() int { return 6 }

var errLost = status.Error(codes.Unavailable, "connection lost")

// state is the decoded state of an object.
type state map[string]cty.Value

func (s *server) decode(resourceType string, v *tfprotov6.DynamicValue) (state, error) {
	if v == nil {
		return nil, nil
	}
	out, err := msgpack.Unmarshal(v.MsgPack, s.schema.Resources[resourceType].ImpliedType())
	if err != nil || out.IsNull() {
		return nil, err
	}
	return out.AsValueMap(), nil
}

func (s *server) encode(resourceType string, v state) (*tfprotov6.DynamicValue, error) {
	t := s.schema.Resources[resourceType].ImpliedType()
	out := cty.NullVal(t)
	if v != nil {
		if s.later(resourceType) {
			v[grade] = cty.StringVal(standard)
		}
		out = cty.ObjectVal(v)
	}
	b, err := msgpack.Marshal(out, t)
	return &tfprotov6.DynamicValue{MsgPack: b}, err
}

func (v state) text(name string) string {
	if x := v[name]; x != cty.NilVal && x.IsKnown() && !x.IsNull() {
		return x.AsString()
	}
	return ""
}

func (v state) size() int64 {
	if x := v["size"]; x != cty.NilVal && x.IsKnown() && !x.IsNull() {
		n, _ := x.AsBigFloat().Int64()
		return n
	}
	return 0
}

// stateOf is the state of an object as the cloud shows it: it returns the password only to its
// create.
func stateOf(o *object, password cty.Value) state {
	out := state{
		"id": cty.StringVal(o.id), "name": cty.StringVal(o.name), "zone": cty.StringVal(o.zone), "tag": cty.StringVal(o.tag),
		"size": cty.NumberIntVal(o.size), "password": password,
	}
	if o.uid != "" {
		out[uid] = cty.StringVal(o.uid)
	}
	return out
}

func (s *server) identity(resourceType string, v state) (*tfprotov6.ResourceIdentityData, error) {
	t := s.schema.Resources[resourceType].IdentityType()
	if t == cty.NilType || v == nil {
		return nil, nil
	}
	out := map[string]cty.Value{}
	for name := range t.AttributeTypes() {
		out[name] = v[name]
	}
	b, err := msgpack.Marshal(cty.ObjectVal(out), t)
	return &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: b}}, err
}

func (s *server) ValidateResourceConfig(
	context.Context, *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *server) UpgradeResourceState(
	_ context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	t := s.schemaType(r.TypeName)
	upgrades := s.later(r.TypeName) && r.Version == 0
	if upgrades {
		attributes := maps.Clone(t.AttributeTypes)
		delete(attributes, grade)
		t.AttributeTypes = attributes
	}
	v, err := r.RawState.Unmarshal(t)
	if err == nil && upgrades {
		v, err = s.upgraded(r.TypeName, v)
	}
	if err != nil {
		return nil, err
	}
	out, err := tfprotov6.NewDynamicValue(s.schemaType(r.TypeName), v)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &out}, err
}

func (s *server) schemaType(resourceType string) tftypes.Object {
	out := map[string]tftypes.Type{
		"id": tftypes.String, "name": tftypes.String, "zone": tftypes.String, "tag": tftypes.String,
		"size": tftypes.Number, "password": tftypes.String,
	}
	if s.distinct(resourceType) {
		out[uid] = tftypes.String
	}
	if s.later(resourceType) {
		out[grade] = tftypes.String
	}
	return tftypes.Object{AttributeTypes: out}
}

// distinct reports whether objects of a type have a uid.
func (s *server) distinct(resourceType string) bool {
	return s.schema.Resources[resourceType].Block.Attributes[uid] != nil
}

func (s *server) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	current, err := s.decode(r.TypeName, r.CurrentState)
	if err != nil {
		return nil, err
	}
	v := s.p.wait(ctx, "read "+r.TypeName+" "+current.text("id"))
	if v == refuse || v == lose {
		return nil, errLost
	}
	fails := func(text string) (*tfprotov6.ReadResourceResponse, error) {
		return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Diagnostics: []*tfprotov6.Diagnostic{failure(text)}}, nil
	}
	if s.p.w.cloud.throttles(v) {
		return fails(tooMany)
	}
	out := &tfprotov6.ReadResourceResponse{Private: r.Private}
	o := s.p.w.cloud.visible(s.account, r.TypeName, current.text("id"))
	var read state
	if o != nil {
		if s.p.w.cloud.unreadable(o) {
			return fails("The object cannot be read.")
		}
		read = s.p.w.cloud.read(o, current["password"])
	}
	if out.NewState, err = s.encode(r.TypeName, read); err != nil {
		return nil, err
	}
	out.NewIdentity, err = s.identity(r.TypeName, read)
	if o == nil && r.CurrentIdentity != nil {
		out.NewIdentity = r.CurrentIdentity
	}
	return out, err
}

func (s *server) ImportResourceState(
	ctx context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	id := r.ID
	if r.Identity != nil {
		t := s.schema.Resources[r.TypeName].IdentityType()
		v, err := msgpack.Unmarshal(r.Identity.IdentityData.MsgPack, t)
		if err != nil {
			return nil, err
		}
		for _, x := range v.AsValueMap() {
			id = x.AsString()
		}
	}
	imported := state{"id": cty.StringVal(id), "size": cty.NullVal(cty.Number)}
	for _, name := range []string{"name", "zone", "tag", "password"} {
		imported[name] = cty.NullVal(cty.String)
	}
	if s.distinct(r.TypeName) {
		imported[uid] = cty.NullVal(cty.String)
	}
	if r.TypeName == named {
		imported["name"] = cty.StringVal(id)
	}
	encoded, err := s.encode(r.TypeName, imported)
	if err != nil {
		return nil, err
	}
	identity, err := s.identity(r.TypeName, imported)
	return &tfprotov6.ImportResourceStateResponse{
		ImportedResources: []*tfprotov6.ImportedResource{{TypeName: r.TypeName, State: encoded, Identity: identity}},
	}, err
}

// ValidateListResourceConfig implements tfprotov6.ListResourceServer.
func (s *server) ValidateListResourceConfig(
	context.Context, *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return &tfprotov6.ValidateListResourceConfigResponse{}, nil
}

// ListResource implements tfprotov6.ListResourceServer.
func (s *server) ListResource(ctx context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	v := s.p.wait(ctx, "list "+r.TypeName)
	if v == refuse || v == lose {
		return nil, errLost
	}
	var results []tfprotov6.ListResourceResult
	if s.p.w.cloud.throttles(v) {
		results = append(results, tfprotov6.ListResourceResult{Diagnostics: []*tfprotov6.Diagnostic{failure(tooMany)}})
		return &tfprotov6.ListResourceServerStream{Results: slices.Values(results)}, nil
	}
	for _, o := range s.p.w.cloud.objects {
		if o.account != s.account || o.resourceType != r.TypeName || o.coming || s.p.w.now().Before(o.listedFrom) {
			continue
		}
		identity, err := s.identity(r.TypeName, stateOf(o, cty.NullVal(cty.String)))
		if err != nil {
			return nil, err
		}
		result := tfprotov6.ListResourceResult{DisplayName: o.name, Identity: identity}
		if r.IncludeResource {
			if result.Resource, err = s.encode(r.TypeName, stateOf(o, cty.NullVal(cty.String))); err != nil {
				return nil, err
			}
		}
		results = append(results, result)
	}
	return &tfprotov6.ListResourceServerStream{Results: slices.Values(results)}, nil
}

func (s *server) PlanResourceChange(
	_ context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	out := &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate}
	planned, err := s.decode(r.TypeName, r.ProposedNewState)
	if err != nil || planned == nil {
		return out, err
	}
	prior, err := s.decode(r.TypeName, r.PriorState)
	if err != nil {
		return nil, err
	}
	if prior == nil {
		planned["id"], planned["password"] = cty.UnknownVal(cty.String), cty.UnknownVal(cty.String)
		if s.distinct(r.TypeName) {
			planned[uid] = cty.UnknownVal(cty.String)
		}
		if r.TypeName == named {
			planned["id"] = planned["name"]
		}
	} else {
		o := s.p.w.cloud.byID(s.account, r.TypeName, prior.text("id"))
		taken := o != nil && o.resourceType != r.TypeName // over from a resource of another type
		for _, name := range []string{"name", "zone", "tag"} {
			if name == "tag" && taken {
				continue
			}
			if planned.text(name) != prior.text(name) {
				out.RequiresReplace = append(out.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
			}
		}
	}
	out.PlannedState, err = s.encode(r.TypeName, planned)
	return out, err
}

// ApplyResourceChange changes the cloud at once. That the call waits before is up to the executor,
// whose check of the lease comes after the wait.
func (s *server) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	w := s.p.w
	prior, err := s.decode(r.TypeName, r.PriorState)
	if err != nil {
		return nil, err
	}
	planned, err := s.decode(r.TypeName, r.PlannedState)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, provider.NotSent(status.FromContextError(ctx.Err()).Err())
	}
	v, ok := ctx.Value(verdictKey{}).(verdict)
	if !ok {
		v = s.verdicts[r.TypeName]
	}
	w.check.writes(s.p)
	w.check.whole(s)
	if o := w.cloud.byID(s.account, r.TypeName, prior.text("id")); o != nil || prior == nil { // nothing changes one that is gone
		defer w.check.alone(s.p, o, tagOf(prior, planned))()
	}
	defer w.check.changes(tagOf(prior, planned), planned)()
	if w.cloud.throttles(v) {
		w.note("%s: the cloud throttles a change of %s %s", s.p, r.TypeName, planned.text("name"))
		return s.fail(r, tooMany)
	}
	if v == refuse {
		w.note("%s: the cloud refuses a change of %s %s", s.p, r.TypeName, planned.text("name"))
		return s.fail(r, "The cloud refuses.")
	}
	switch {
	case prior == nil:
		return s.create(ctx, r, planned, v)
	case planned == nil:
		return s.destroy(ctx, r, prior, v)
	}
	o := w.cloud.present(s.account, r.TypeName, prior.text("id"))
	if o == nil {
		return s.fail(r, "There is no such object.")
	}
	w.note("%s: the cloud updates %s to size %d", s.p, o, planned.size())
	w.check.asked(r.TypeName, instance.Update, planned)
	w.taken(o, r.TypeName, planned.text("tag"))
	w.check.strangers(o, planned.text("tag"))
	w.check.updated(s.p, o, planned.size())
	w.cloud.updated(o, planned.size())
	s.p.after(v)
	switch {
	case v == lose:
		return nil, errLost
	case v == proceed && w.cloud.behaves(errorAfterSuccess, 4):
		return s.fail(r, "The cloud has an internal error.")
	}
	if o.former == prior.size() {
		o.updatedBy = s.p
	}
	return s.answer(r, stateOf(o, prior["password"]), r.PlannedPrivate)
}

// tagOf returns the tag of the resource whose object is changed.
func tagOf(prior, planned state) string {
	if planned == nil {
		return prior.text("tag")
	}
	return planned.text("tag")
}

const nameTaken = "An object of this name exists already."

const tooMany = "Error 429: Too Many Requests, retry after 2 seconds"

// throttles reports whether a call with a verdict is rejected.
func (c *cloud) throttles(v verdict) bool { return v == throttle || c.w.now().Before(c.throttled) }

func failure(text string) *tfprotov6.Diagnostic {
	return &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: text, Detail: text}
}

// fail returns the answer to a change that failed, and of which nothing is known to be done.
func (s *server) fail(r *tfprotov6.ApplyResourceChangeRequest, text string) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return &tfprotov6.ApplyResourceChangeResponse{NewState: r.PriorState, Diagnostics: []*tfprotov6.Diagnostic{failure(text)}}, nil
}

func (s *server) answer(
	r *tfprotov6.ApplyResourceChangeRequest, v state, private []byte, diags ...*tfprotov6.Diagnostic,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	encoded, err := s.encode(r.TypeName, v)
	if err != nil {
		return nil, err
	}
	identity, err := s.identity(r.TypeName, v)
	if v == nil {
		identity = r.PlannedIdentity
	}
	return &tfprotov6.ApplyResourceChangeResponse{NewState: encoded, NewIdentity: identity, Private: private, Diagnostics: diags}, err
}

func (s *server) create(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest, planned state, v verdict,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	w, c := s.p.w, s.p.w.cloud
	name := planned.text("name")
	if r.TypeName == named && c.find(s.account, named, func(o *object) bool { return o.name == name }) != nil {
		return s.fail(r, nameTaken)
	}
	if why := c.refusesCreate(s.account, r.TypeName, name); why != "" {
		w.note("%s: the cloud refuses to create %s %s: %s", s.p, r.TypeName, name, why)
		return s.fail(r, why)
	}
	o := &object{
		resourceType: r.TypeName, name: name, zone: planned.text("zone"), tag: planned.text("tag"),
		size: planned.size(), made: w.now(), coming: v == slow, account: s.account,
	}
	c.add(o)
	w.note("%s: the cloud creates %s in %s", s.p, o, o.zone)
	c.assignQuirks(o)
	w.check.created(o)
	w.check.asked(r.TypeName, instance.Create, planned)
	if v == slow && !s.await(ctx, &pending{o: o, since: w.now()}) {
		o.tainted = true
		return s.stopped(ctx, r, stateOf(o, cty.StringVal(o.password)), []byte(o.password))
	}
	if v == proceed && !s.module {
		c.makeInconsistent(o)
	}
	if o.size != planned.size() && !o.inconsistent {
		o.tainted = true // it was changed meanwhile, so the answer does not agree with the plan
	}
	s.p.after(v)
	switch {
	case v == lose:
		return nil, errLost
	case v == proceed && c.behaves(nullCreate, 6):
		w.note("%s: the cloud answers without %s", s.p, o)
		return s.answer(r, nil, nil)
	case v == half:
		o.tainted = true
		return s.answer(r, stateOf(o, cty.StringVal(o.password)), []byte(o.password), failure("The create failed halfway."))
	}
	return s.answer(r, stateOf(o, cty.StringVal(o.password)), []byte(o.password), c.created(o)...)
}

func (s *server) destroy(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest, prior state, v verdict,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	w, c := s.p.w, s.p.w.cloud
	o := c.byID(s.account, r.TypeName, prior.text("id"))
	if o != nil && !o.coming && !o.alternates && w.now().Before(o.shown) {
		w.note("%s: the cloud does not find %s, which is to be destroyed", s.p, o)
		o = nil
	}
	if o == nil {
		w.check.acts(instance.Delete, prior.text("tag"))
		s.p.after(v)
		return s.answer(r, nil, nil)
	}
	if why := c.refusesDestroy(o); why != "" {
		w.note("%s: the cloud does not destroy %s: %s", s.p, o, why)
		return s.fail(r, why)
	}
	w.note("%s: the cloud destroys %s", s.p, o)
	w.check.strangers(o, prior.text("tag"))
	w.check.destroyed(s.p, o)
	w.check.asked(r.TypeName, instance.Delete, prior)
	if !o.coming {
		c.destroyed(o)
	}
	if v != slow || o.coming {
		c.remove(o)
	} else if !s.await(ctx, &pending{o: o, destroy: true, since: w.now()}) {
		return s.stopped(ctx, r, prior, r.PlannedPrivate)
	}
	s.p.after(v)
	switch {
	case v == lose:
		return nil, errLost
	case v == proceed && c.behaves(errorAfterSuccess, 4):
		return s.fail(r, "The cloud has an internal error.")
	}
	o.destroyedBy = s.p
	return s.answer(r, nil, nil)
}

// await waits until the cloud has completed a change. It is false if the call ends before, because
// it was interrupted: the cloud completes the change by itself.
func (s *server) await(ctx context.Context, p *pending) (completed bool) {
	c := s.p.w.cloud
	c.pending = append(c.pending, p)
	defer func() { p.abandoned = !completed }()
	s.p.waitFor(ctx, "wait for "+p.o.String(), lasting)
	if s.p.leaving && !s.p.stubborn || provider.Interrupted(ctx).Err() != nil {
		s.p.w.note("%s does not wait for %s any more", s.p, p.o)
		return false
	}
	c.complete(p)
	return true
}

// stopped returns the answer of a provider that was told to stop. It is not delivered if the call
// was cancelled.
func (s *server) stopped(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest, v state, private []byte,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.p.after(proceed)
	if ctx.Err() != nil {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	return s.answer(r, v, private, failure("The provider was told to stop."))
}

func (o *object) String() string {
	if o.account != "" {
		return fmt.Sprintf("%s %s (%s, %s) of the account %s", o.resourceType, o.id, o.name, o.tag, o.account)
	}
	return fmt.Sprintf("%s %s (%s, %s)", o.resourceType, o.id, o.name, o.tag)
}
