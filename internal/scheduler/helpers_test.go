package scheduler_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// identityKind is how much of an object's identity is known before it is created.
type identityKind string

const (
	// noIdentity: the type has none; objects are found by the id the cloud gave them.
	noIdentity identityKind = "none"
	// assigned: the identity is the id that the cloud gives.
	assigned identityKind = "assigned"
	// plannedIdentity: the provider plans the identity.
	plannedIdentity identityKind = "planned"
	// derivable: the identity is the argument name, and the provider plans none.
	derivable identityKind = "derivable"
	// mapped: the identity is title and class. The configuration says that title is the argument
	// name, and class is Thing.
	mapped identityKind = "mapped"
	// constant: the type has none, and all objects have the same id.
	constant identityKind = "constant"
)

// foreseen says whether the identity is known before the create.
func (k identityKind) foreseen() bool { return k == plannedIdentity || k == derivable || k == mapped }

func (k identityKind) resource() terraform.ResourceType {
	s := &schema.Resource{
		Type: "test_thing", Version: 1,
		Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id":    {Type: cty.String, Computed: true},
			"name":  {Type: cty.String, Required: true},
			"size":  {Type: cty.Number, Optional: true},
			"token": {Type: cty.String, Optional: true},
		}},
	}
	required := &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
	optional := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
	switch k {
	case assigned:
		s.Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"id": required}}
	case plannedIdentity:
		s.Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"path": required}}
	case derivable:
		s.Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"name": required, "region": optional}}
	case mapped:
		s.Identity = &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"title": required, "class": required}}
	}
	return terraform.ResourceType{Schema: s}
}

func config(name string, size int64) *terraform.Config {
	return &terraform.Config{Value: thing(cty.NullVal(cty.String), name, size)}
}

func thing(id cty.Value, name string, size int64) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"id": id, "name": cty.StringVal(name), "size": cty.NumberIntVal(size), "token": cty.NullVal(cty.String),
	})
}

// withToken is a thing with a create token.
func withToken(v, token cty.Value) cty.Value {
	values := v.AsValueMap()
	values["token"] = token
	return cty.ObjectVal(values)
}

// mappedHandles are the handles of a configuration that says title is the argument name, and class
// a constant.
func mappedHandles(class string) *ownership.Handles {
	return &ownership.Handles{Identity: func(object cty.Value) map[string]cty.Value {
		out := map[string]cty.Value{"class": cty.StringVal(class)}
		if v := object.GetAttr("name"); v.IsKnown() && !v.IsNull() {
			out["title"] = v
		}
		return out
	}}
}

// namedImport is the import id of a configuration that makes it of the argument name.
func namedImport(name string) translate.NamedImport {
	return translate.NamedImport{ID: "named/" + name, Names: func(object cty.Value) bool {
		v := object.GetAttr("name")
		return v.IsKnown() && !v.IsNull() && v.AsString() == name
	}}
}

// object is a remote object. Nothing keeps two from having the same name.
type object struct {
	name string
	size int64
}

// manner is how the provider carries out an apply.
type manner string

const (
	inOrder manner = "in order"
	// refused: an error, and nothing was done.
	refused manner = "refused"
	// halfway: it was done, and an error is answered with it.
	halfway manner = "halfway"
	// unread: it was done, and could not be read afterwards.
	unread manner = "not read"
	// silentDone and silentUndone: no answer, whether it was done or not.
	silentDone   manner = "no answer, done"
	silentUndone manner = "no answer, not done"
	// late and halfwayLate: no answer, or an error with the object; a create goes on, and its
	// object can be seen later. Nothing else is done.
	late        manner = "no answer, goes on"
	halfwayLate manner = "an error, goes on"
)

// cloud is the remote world and its provider: a terraform.Executor.
type cloud struct {
	kind identityKind
	log  *events

	mu      sync.Mutex
	objects map[string]object
	// coming are objects that are being made: they are not visible, and their deletion cancels
	// that.
	coming map[string]object
	// hidden are objects that requests do not find. A deletion reports success, and does nothing.
	// shown are objects as reads show them, which may be something else than they are, or not
	// exist.
	hidden map[string]bool
	shown  map[string]object
	serial int
	// prefix is the beginning of ids.
	prefix  string
	applies int
	manner  manner
	refusal diagnostic.Diagnostics // instead of a quota's
	// block, if set, keeps Apply until it is closed or the context ends.
	block chan struct{}
	// stopped is the manner of an Apply that is interrupted while it blocks. If deaf is set it does
	// not end.
	stopped manner
	deaf    bool
	// before and after surround what Apply does in the world.
	before, after func()
	// reads and answers change objects as reads and the answers of applies show them; nil if they
	// show them as they are.
	reads, answers func(object) object
	// warns are the warnings of reads.
	warns diagnostic.Diagnostics
	// unstable plans other private bytes each time.
	unstable bool
	// keepsPlans plans the private bytes of the earlier plan, if the request has them.
	keepsPlans bool
	// rigid has no arguments that can be set again.
	rigid bool
	// restless plans an update of another value, also if nothing differs.
	restless bool
	plans    int
	// otherBytes is set if the bytes of each answer are others.
	otherBytes bool
	// silentPlans is set if plans give no warning.
	silentPlans bool
	// asked gets each plan that is to be applied.
	asked func(terraform.Plan)
	// moved are the objects whose planned identity is not the one that follows from their name.
	moved map[string]string
	// tokens are the objects that were made with a create token.
	tokens map[string]string
	// classed is the class of the identities of mapped things.
	classed string
	// credulous imports by any identity, and returns what it is given if there is no such object.
	credulous bool
	// unique refuses a second object of the same name.
	unique bool
	// during gets the name of each call while it is made.
	during func(name string)
	// fail makes a call of the given name answer with an error.
	fail map[string]diagnostic.Diagnostics
	// upgradeFails says of a refresh that fails that it is because of the identity's upgrade.
	upgradeFails bool
	// untold are attributes that lists do not tell.
	untold map[string]bool
	// most is how many calls of Apply there were at the same time.
	now, most int
}

var (
	_ terraform.Executor = (*cloud)(nil)
	_ terraform.Lister   = (*cloud)(nil)
)

func newCloud(kind identityKind) *cloud {
	return &cloud{
		kind: kind, log: &events{}, objects: map[string]object{}, coming: map[string]object{},
		hidden: map[string]bool{}, shown: map[string]object{}, moved: map[string]string{},
		tokens: map[string]string{}, classed: "Thing", manner: inOrder, fail: map[string]diagnostic.Diagnostics{},
	}
}

func (c *cloud) call(name string) diagnostic.Diagnostics {
	c.log.add(name)
	if c.during != nil {
		c.during(name)
	}
	return c.fail[name]
}

func (c *cloud) instance(id string) instance.Instance {
	o, ok := c.objects[id]
	if other, late := c.shown[id]; late {
		o, ok = other, true
	}
	if !ok {
		return instance.Instance{}
	}
	shown := id
	if c.kind == constant {
		shown = "none"
	}
	state := thing(cty.StringVal(shown), o.name, o.size)
	for token, of := range c.tokens {
		if of == id {
			state = withToken(state, cty.StringVal(token))
		}
	}
	return instance.Instance{
		State: state, SchemaVersion: 1,
		Identity: c.identity(id, o.name), Status: instance.Full, Private: []byte(id),
	}
}

// instanceAs is an object as it is shown; nil shows it as it is.
func (c *cloud) instanceAs(id string, show func(object) object) instance.Instance {
	was, ok := c.objects[id]
	if show == nil || !ok {
		return c.instance(id)
	}
	c.objects[id] = show(was)
	defer func() { c.objects[id] = was }()
	return c.instance(id)
}

// find is the id of an instance's object.
func (c *cloud) find(in instance.Instance) string {
	if c.kind == constant {
		return string(in.Private)
	}
	return idOf(in)
}

func (c *cloud) identity(id, name string) cty.Value {
	switch c.kind {
	case assigned:
		return cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)})
	case plannedIdentity:
		if path, ok := c.moved[id]; ok {
			return cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal(path)})
		}
		return cty.ObjectVal(map[string]cty.Value{"path": cty.StringVal("/things/" + name)})
	case derivable:
		return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name), "region": cty.StringVal("here")})
	case mapped:
		return cty.ObjectVal(map[string]cty.Value{"title": cty.StringVal(name), "class": cty.StringVal(c.classed)})
	}
	return cty.NilVal
}

func (c *cloud) add(o object) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addLocked(o)
}

func (c *cloud) addLocked(o object) string {
	c.serial++
	id := fmt.Sprintf("%s-%d", cmp.Or(c.prefix, "i"), c.serial)
	c.objects[id] = o
	return id
}

// create makes an object, unless there is one that was made with the same create token.
func (c *cloud) create(planned cty.Value) string {
	token := planned.GetAttr("token")
	if token.IsNull() {
		return c.addLocked(object{nameOf(planned), sizeOf(planned)})
	}
	id, ok := c.tokens[token.AsString()]
	if !ok {
		id = c.addLocked(object{nameOf(planned), sizeOf(planned)})
		c.tokens[token.AsString()] = id
	}
	return id
}

func (c *cloud) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, id)
}

func (c *cloud) change(id string, o object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.objects[id] = o
}

func (c *cloud) ids() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for id := range c.objects {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// appear ends what is being made.
func (c *cloud) appear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.objects, c.coming)
	clear(c.coming)
}

func idOf(in instance.Instance) string {
	if !in.Exists() {
		return ""
	}
	return in.State.GetAttr("id").AsString()
}

func nameOf(v cty.Value) string { return v.GetAttr("name").AsString() }

func sizeOf(v cty.Value) int64 {
	n, _ := v.GetAttr("size").AsBigFloat().Int64()
	return n
}

func (c *cloud) Refresh(_ context.Context, _ terraform.ResourceType, in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.call("refresh"); d.HasErrors() {
		return terraform.Refreshed{Instance: in, IdentityUpgrade: c.upgradeFails}, d
	}
	given := in
	in, _ = in.Unpacked(c.kind.resource().Schema)
	out := c.instanceAs(c.find(in), c.reads)
	if c.hidden[c.find(in)] {
		out = instance.Instance{}
	}
	if in.Status == instance.Tainted && out.Exists() {
		out.Status = instance.Tainted
	}
	out.Operation, out.Deposed, out.IdentityHistory, out.SensitivePaths = in.Operation, in.Deposed, in.IdentityHistory, in.SensitivePaths
	unchanged := out.Exists() && out.State.RawEquals(in.State) && out.Status == in.Status &&
		(out.Identity == cty.NilVal || out.Identity.RawEquals(in.Identity))
	out.Wire = instance.WireOf(out, c.kind.resource().Schema)
	if unchanged && given.IsPacked() && !c.otherBytes {
		out = given
	}
	return terraform.Refreshed{Instance: out, Unchanged: unchanged}, c.warns
}

func (c *cloud) Validate(context.Context, terraform.ResourceType, terraform.Config) diagnostic.Diagnostics {
	return nil
}

func (c *cloud) Plan(
	_ context.Context, r terraform.ResourceType, in instance.Instance, config terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.call("plan"); d.HasErrors() {
		return terraform.Plan{}, d
	}
	name, size := nameOf(config.Value), sizeOf(config.Value)
	if in.Exists() && slices.ContainsFunc(config.IgnoreChanges.Paths, cty.GetAttrPath("size").Equals) {
		size = sizeOf(in.State)
	}
	p := terraform.Plan{Resource: r, Prior: in, Config: config.Value, Private: []byte("planned")}
	if c.plans++; c.unstable {
		p.Private = fmt.Appendf(nil, "planned %d", c.plans)
	}
	if c.keepsPlans {
		if config.PlannedPrivate != nil {
			p.Private = config.PlannedPrivate
		}
		p.Again = p.Private
	}
	token := config.Value.GetAttr("token")
	p.State = withToken(thing(cty.UnknownVal(cty.String), name, size), token)
	switch c.kind {
	case assigned:
		p.Identity = cty.ObjectVal(map[string]cty.Value{"id": cty.UnknownVal(cty.String)})
	case plannedIdentity:
		p.Identity = c.identity("", name)
	}
	switch {
	case !in.Exists():
		p.Action = terraform.Create
	case in.Status == instance.Tainted:
		p.Action, p.Reason = replacement(config), terraform.ReplaceBecauseTainted
	case nameOf(in.State) != name, !in.State.GetAttr("token").RawEquals(token):
		p.Action, p.Reason = replacement(config), terraform.ReplaceBecauseCannotUpdate
		p.RequiresReplace = []cty.Path{cty.GetAttrPath("name")}
	case sizeOf(in.State) != size:
		p.Action, p.State, p.Identity = terraform.Update, withToken(thing(cty.StringVal(idOf(in)), name, size), token), in.Identity
	default:
		p.Action, p.State, p.Identity = terraform.NoOp, in.State, in.Identity
		if config.Reapply && !c.rigid || c.restless {
			p.Action = terraform.Update
		}
	}
	if c.silentPlans {
		return p, nil
	}
	return p, diagnostic.Warningf("Deprecated", "Something is.")
}

func replacement(config terraform.Config) terraform.Action {
	if config.CreateBeforeDestroy {
		return terraform.CreateThenDelete
	}
	return terraform.DeleteThenCreate
}

func (c *cloud) PlanDestroy(_ context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Plan, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.call("plan destroy"); d.HasErrors() {
		return terraform.Plan{}, d
	}
	null := cty.NullVal(r.Schema.ImpliedType())
	return terraform.Plan{Resource: r, Action: terraform.Delete, Prior: in, Config: null, State: null, Private: in.Private}, nil
}

func (c *cloud) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	c.mu.Lock()
	c.log.add("apply " + string(p.Action))
	c.applies++
	if c.asked != nil {
		c.asked(p)
	}
	c.now++
	c.most = max(c.most, c.now)
	block, before, after := c.block, c.before, c.after
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	if block != nil {
		select {
		case <-block:
		case <-provider.Interrupted(ctx).Done():
			c.mu.Lock()
			if c.stopped != "" {
				c.manner = c.stopped
			}
			deaf := c.deaf
			c.mu.Unlock()
			if deaf {
				<-ctx.Done()
				return c.silent(p, ctx.Err())
			}
		case <-ctx.Done():
			return c.silent(p, ctx.Err())
		}
	}
	if before != nil {
		before()
	}
	out, diags := c.apply(p)
	if after != nil {
		after()
	}
	return out, diags
}

// silent is what the engine makes of a provider that does not answer.
func (c *cloud) silent(p terraform.Plan, err error) (instance.Instance, diagnostic.Diagnostics) {
	diags := diagnostic.Errorf("Plugin did not respond", "The provider encountered an error and failed to respond.")
	if err != nil {
		diags = provider.CallError(err)
	}
	if p.Action == terraform.Create {
		diags = append(diags, terraform.OutcomeUnknownError("test_thing")...)
	}
	return p.Prior, diags
}

func (c *cloud) apply(p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.manner {
	case refused:
		if c.refusal != nil {
			return p.Prior, c.refusal
		}
		return p.Prior, diagnostic.Errorf("Quota exceeded", "There is no room.")
	case silentUndone:
		return c.silent(p, nil)
	case late, halfwayLate:
		if p.Action != terraform.Create {
			return c.silent(p, nil)
		}
	}
	id := c.find(p.Prior)
	switch p.Action {
	case terraform.Create:
		for _, all := range []map[string]object{c.objects, c.coming} {
			for _, o := range all {
				if c.unique && o.name == nameOf(p.State) {
					return p.Prior, diagnostic.Errorf("Already exists", "There is one of this name.")
				}
			}
		}
		id = c.create(p.State)
	case terraform.Update:
		if _, ok := c.objects[id]; !ok {
			return p.Prior, diagnostic.Errorf("Not found", "There is no such object.")
		}
		c.objects[id] = object{nameOf(p.State), sizeOf(p.State)}
	case terraform.Delete:
		if c.hidden[id] {
			return instance.Instance{}, nil
		}
		delete(c.objects, id)
		delete(c.coming, id)
	default:
		return p.Prior, diagnostic.Errorf("Plan cannot be applied", "It is %s.", p.Action)
	}
	out := c.instanceAs(id, c.answers)
	if p.Action == terraform.Delete {
		out = instance.Instance{}
	}
	if out.Exists() {
		out.IdentityHistory = p.Prior.IdentityHistory
	}
	if c.manner == late || c.manner == halfwayLate {
		c.coming[id] = c.objects[id]
		delete(c.objects, id)
	}
	if p.Action == terraform.Create && out.Exists() && sizeOf(out.State) != sizeOf(p.State) {
		out.Status = instance.Tainted
		return out, diagnostic.Errorf("Provider produced inconsistent result after apply", "The size is another.")
	}
	switch {
	case c.manner == unread && p.Action == terraform.Create:
		out.Status = instance.Partial
		return out, diagnostic.Warningf("Not read", "It was created, and could not be read.")
	case c.manner == silentDone, c.manner == late:
		return c.silent(p, nil)
	case c.manner == halfway, c.manner == halfwayLate:
		if p.Action == terraform.Create {
			out.Status = instance.Tainted
		}
		return out, diagnostic.Errorf("Halfway", "It did not end well.")
	}
	return out, nil
}

func (c *cloud) Import(
	_ context.Context, _ terraform.ResourceType, target terraform.ImportTarget,
) (instance.Instance, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.call("import"); d.HasErrors() {
		return instance.Instance{}, d
	}
	if c.kind == constant { // anything is imported, and becomes an object
		id := c.addLocked(object{target.ID, 0})
		return c.instance(id), nil
	}
	all := maps.Clone(c.objects)
	maps.Copy(all, c.shown)
	for id, o := range all {
		if c.hidden[id] {
			continue
		}
		byIdentity := target.Identity != cty.NilVal
		var want cty.Value
		if byIdentity {
			if !target.Identity.IsWhollyKnown() {
				return instance.Instance{}, diagnostic.Errorf("Invalid import identity argument", "It is not known.")
			}
			want = c.identity(id, o.name)
		}
		switch {
		case !byIdentity && (target.ID == id || target.ID == "named/"+o.name),
			byIdentity && c.kind != derivable && want.RawEquals(target.Identity),
			byIdentity && c.kind == derivable && target.Identity.GetAttr("name").RawEquals(want.GetAttr("name")):
			return c.instance(id), nil
		}
	}
	if c.credulous && target.Identity != cty.NilVal {
		given := cty.NullVal(cty.String)
		for _, v := range target.Identity.AsValueMap() {
			if !v.IsNull() {
				given = v
			}
		}
		return instance.Instance{
			State: cty.ObjectVal(map[string]cty.Value{
				"id": given, "name": cty.NullVal(cty.String), "size": cty.NumberIntVal(0),
				"token": cty.NullVal(cty.String),
			}),
			Identity: target.Identity, SchemaVersion: 1, Status: instance.Full,
		}, nil
	}
	return instance.Instance{}, diagnostic.Errorf("Cannot import non-existent remote object", "There is none.")
}

func (c *cloud) List(
	_ context.Context, _ terraform.ResourceType, arguments map[string]cty.Value, limit int,
) ([]cty.Value, bool, diagnostic.Diagnostics) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.call("list"); d.HasErrors() {
		return nil, false, d
	}
	var out []cty.Value
	for id, o := range c.objects {
		if name, ok := arguments["name"]; !ok || name.AsString() == o.name {
			out = append(out, c.identity(id, o.name))
		}
	}
	return out[:min(len(out), limit)], len(out) >= limit, nil
}

// events is what happened, in order.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) add(s string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, s)
}

// take gives the events so far, and begins anew.
func (e *events) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.list
	e.list = nil
	return out
}

// fault is what goes wrong with one call of a store.
type fault string

const (
	// unavailable: an error, and nothing was done.
	unavailable fault = "unavailable"
	// unanswered: it was done, and an error is answered all the same.
	unanswered fault = "unanswered"
	// touched: another client writes just before, and changes nothing.
	touched fault = "touched"
)

var errUnavailable = errors.New("the API server is not available")

// memory is a store.Store with optimistic locking, whose records go through their encoding.
type memory struct {
	log *events

	mu      sync.Mutex
	records map[store.Key]record
	version int
	writes  int
	// forgotten are the keys whose memory was released.
	forgotten []store.Key
	// elsewhere are the keys whose records belong to another shard.
	elsewhere map[store.Key]bool
	// tooLarge says which instances are not accepted.
	tooLarge func(instance.Instance) bool
	// fault says what goes wrong with a call: "load", "save" or "delete".
	fault func(call string) fault
}

type record struct {
	owner   types.UID
	version string
	data    []byte
	handled store.Tokens
	objects store.Objects
	account instance.Account
	history []byte
	former  *store.Former
}

var _ store.Store = (*memory)(nil)

func newMemory(log *events) *memory { return &memory{log: log, records: map[store.Key]record{}} }

// fails sets what goes wrong with calls, while operations may run.
func (m *memory) fails(f func(call string) fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = f
}

func (m *memory) begin(call string, k store.Key) fault {
	if m.fault == nil {
		return ""
	}
	f := m.fault(call)
	if f == touched {
		m.touchLocked(k)
	}
	return f
}

func (m *memory) touch(k store.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.touchLocked(k)
}

func (m *memory) touchLocked(k store.Key) {
	if r, ok := m.records[k]; ok {
		r.version = m.nextVersion()
		m.records[k] = r
	}
}

func (m *memory) nextVersion() string {
	m.version++
	return fmt.Sprint(m.version)
}

func (m *memory) Load(_ context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.begin("load", k); f == unavailable || f == unanswered {
		return store.Record{}, errUnavailable
	}
	stored, ok := m.records[k]
	if !ok {
		return store.Record{}, store.ErrNotFound
	}
	if m.elsewhere[k] {
		return store.Record{Owner: stored.owner, Handled: stored.handled}, store.ErrElsewhere
	}
	in, err := instance.Decode(stored.data, r)
	return store.Record{
		Owner: stored.owner, Version: stored.version, Instance: in, Handled: stored.handled, Account: stored.account,
		History: stored.history, Former: stored.former,
	}, err
}

// Leave, Free and Fence are those of store.Secrets.
func (m *memory) Leave(context.Context, store.Key) error { return nil }

func (m *memory) Free(_ context.Context, k store.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in, err := instance.Decode(m.records[k].data, store.Verbatim); err != nil || in.Operation != nil {
		return store.ErrElsewhere
	}
	delete(m.elsewhere, k)
	return nil
}

func (m *memory) Fence(_ context.Context, k store.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if in, err := instance.Decode(m.records[k].data, store.Verbatim); err != nil || in.Operation != nil {
		return store.ErrElsewhere
	}
	m.touchLocked(k)
	return nil
}

func (m *memory) Save(_ context.Context, k store.Key, r *schema.Resource, rec store.Record) (store.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.begin("save", k)
	if f == unavailable {
		m.log.add("save fails")
		return rec, errUnavailable
	}
	if m.records[k].version != rec.Version {
		m.log.add("save conflicts")
		return rec, store.ErrConflict
	}
	if m.tooLarge != nil && m.tooLarge(rec.Instance) {
		m.log.add("save refused")
		return rec, fmt.Errorf("%w: it has 70.0 MiB", store.ErrTooLarge)
	}
	data, err := instance.Encode(rec.Instance, r)
	if err != nil {
		return rec, err
	}
	next := record{
		owner: rec.Owner, version: rec.Version, data: data, handled: rec.Handled, objects: rec.Objects,
		account: rec.Account, history: rec.History, former: rec.Former,
	}
	rec.Objects = store.Objects{} // as store.Secrets
	if rec.Version != "" && !rec.Rewrite && reflect.DeepEqual(next, m.records[k]) {
		return rec, nil // as store.Secrets
	}
	what := "save"
	if rec.Instance.Operation != nil {
		what += " intent " + string(rec.Instance.Operation.Kind)
	}
	m.log.add(what)
	m.writes++
	rec.Version = m.nextVersion()
	next.version, rec.Rewrite = rec.Version, false
	m.records[k] = next
	if f == unanswered {
		return rec, errUnavailable
	}
	return rec, nil
}

func (m *memory) Delete(_ context.Context, k store.Key, version string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.begin("delete", k)
	if f == unavailable {
		return errUnavailable
	}
	if version == "" {
		return nil // it was never stored
	}
	if r, ok := m.records[k]; ok && r.version != version {
		return store.ErrConflict
	}
	m.log.add("delete")
	delete(m.records, k)
	if f == unanswered {
		return errUnavailable
	}
	return nil
}

func (m *memory) Forget(k store.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgotten = append(m.forgotten, k)
}

// harness is a scheduler over a cloud and a store, for one resource. Its test runs in a
// bubble of its own time.
type harness struct {
	t     *testing.T
	cloud *cloud
	store *memory
	log   *events
	sched *scheduler.Scheduler
	o     scheduler.Options
	r     scheduler.Request
	told  *events // what is told of the resource
}

func bubble(t *testing.T, kind identityKind, f func(h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(newHarness(t, kind)) })
}

func newHarness(t *testing.T, kind identityKind) *harness {
	c := newCloud(kind)
	h := &harness{t: t, cloud: c, log: c.log, store: newMemory(c.log), told: &events{}}
	h.o = scheduler.Options{
		Store: h.store, Logger: logr.Discard(), LongOperation: 1000 * time.Hour, PlanKey: []byte(strings.Repeat("k", 32)),
		Wake: func(store.Key) { c.log.add("wake") },
		// In most tests, objects are visible at once.
		CreationGracePeriod: -1,
	}
	h.sched = scheduler.New(h.o)
	h.r = scheduler.Request{
		Resource: scheduler.Resource{
			Key:        store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: "team", Name: "one"},
			UID:        "uid-1",
			Generation: 1,
			Type:       kind.resource(),
		},
		Access: scheduler.Access{
			ProviderConfiguration: "default",
			Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return c, func() {}, nil
			},
		},
		Desired: scheduler.Desired{Policies: desired.FullControl(), Config: config("a", 1), ConfigHash: "a1"},
		Hooks:   scheduler.Hooks{Tell: func(e scheduler.Event) { h.told.add(eventText(e)) }},
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = h.sched.Stop(ctx)
	})
	return h
}

// eventText is an event in short, such as "Failed Create of replacement".
func eventText(e scheduler.Event) string {
	parts := []string{string(e.Kind)}
	add := func(when bool, s string) {
		if when {
			parts = append(parts, s)
		}
	}
	add(e.Operation != "", string(e.Operation))
	add(e.Replacement, "of replacement")
	add(e.Deposed != "", "with deposed")
	add(e.Found, "found")
	add(e.Asked, "as asked")
	if e.Kind == scheduler.IdentityChanged {
		parts = append(parts, e.From.GetAttr("path").AsString(), e.To.GetAttr("path").AsString())
	}
	for _, d := range e.Diagnostics {
		parts = append(parts, "("+d.Summary+")")
	}
	return strings.Join(parts, " ")
}

// want changes the configuration.
func (h *harness) want(name string, size int64) {
	h.r.Generation++
	h.r.Config, h.r.ConfigHash = config(name, size), fmt.Sprint(name, size)
}

// restart leaves the scheduler to itself and makes a new one, which knows only what is stored.
// Operations that run must be ended by the caller.
func (h *harness) restart() { h.sched = scheduler.New(h.o) }

func (h *harness) observe() *scheduler.Observation {
	h.t.Helper()
	o, err := h.sched.Observe(h.t.Context(), h.r)
	if err != nil {
		h.t.Fatalf("Observe: %v", err)
	}
	return o
}

func (h *harness) apply() {
	h.t.Helper()
	if err := h.sched.Apply(h.t.Context(), h.r); err != nil {
		h.t.Fatalf("Apply: %v", err)
	}
}

// settle observes and applies until nothing is left to do.
func (h *harness) settle() *scheduler.Observation {
	h.t.Helper()
	for range 5 {
		o := h.observe()
		if o.UpToDate() {
			return o
		}
		h.apply()
		synctest.Wait()
	}
	h.t.Fatal("there is always something left to do")
	return nil
}

// refuses is the *scheduler.Error of a call that must fail for the given reason.
func (h *harness) refuses(err error, reason scheduler.Reason) *scheduler.Error {
	h.t.Helper()
	var se *scheduler.Error
	if !errors.As(err, &se) {
		h.t.Fatalf("got error %v, want a *scheduler.Error", err)
	}
	if se.Reason != reason {
		h.t.Fatalf("got reason %s (%v), want %s", se.Reason, se, reason)
	}
	return se
}

func (h *harness) observeRefused(reason scheduler.Reason) *scheduler.Error {
	h.t.Helper()
	_, err := h.sched.Observe(h.t.Context(), h.r)
	return h.refuses(err, reason)
}

// stored is what the store holds.
func (h *harness) stored() store.Record {
	h.t.Helper()
	rec, ok := h.record()
	if !ok {
		h.t.Fatal("nothing is stored")
	}
	return rec
}

// record is what the store holds, if it holds anything.
func (h *harness) record() (store.Record, bool) {
	h.t.Helper()
	h.store.mu.Lock()
	records := maps.Clone(h.store.records)
	h.store.mu.Unlock()
	rec, err := (&memory{log: &events{}, records: records}).Load(context.Background(), h.r.Key, h.r.Type.Schema)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		h.t.Fatalf("what is stored cannot be read: %v", err)
	}
	return rec, err == nil
}

// interrupted is a store that holds an unconcluded operation, as a crash leaves it.
func (h *harness) interrupted(kind instance.OperationKind, prior instance.Instance) *instance.Operation {
	h.t.Helper()
	p, _ := h.cloud.Plan(h.t.Context(), h.r.Type, prior, *h.r.Config)
	if kind == instance.Delete {
		p, _ = h.cloud.PlanDestroy(h.t.Context(), h.r.Type, prior)
	}
	in := prior
	in.Operation = &instance.Operation{
		ID: "op-1", Kind: kind, Generation: 1, Absent: kind == instance.Create && h.cloud.kind.foreseen(),
		StartedAt: time.Now(), Deadline: time.Now().Add(time.Hour),
		PlannedState: p.State, PlannedPrivate: p.Private, PlannedIdentity: p.Identity,
	}
	h.stores(in)
	return in.Operation
}

// stores puts an instance into the store, as an earlier process left it.
func (h *harness) stores(in instance.Instance) {
	h.t.Helper()
	if _, err := h.store.Save(h.t.Context(), h.r.Key, h.r.Type.Schema, store.Record{Owner: h.r.UID, Instance: in}); err != nil {
		h.t.Fatal(err)
	}
	h.log.take()
	h.store.writes = 0
}
