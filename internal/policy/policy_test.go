package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// planted is a sensitive value of the plan.
const planted = "hunter2-planted-secret"

func input(t *testing.T) policy.Input {
	t.Helper()
	attribute := func(ty cty.Type, sensitive bool) *schema.Attribute {
		return &schema.Attribute{Type: ty, Optional: true, Computed: true, Sensitive: sensitive}
	}
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{
			"cloud_server": {Type: "cloud_server", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"size": attribute(cty.Number, false), "region": attribute(cty.String, false), "password": attribute(cty.String, true),
				"note": attribute(cty.String, false), "address": attribute(cty.String, false), "tags": attribute(cty.Map(cty.String), false),
			}}},
		},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	object := func(size int64, region, password, note string, address cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"size": cty.NumberIntVal(size), "region": cty.StringVal(region), "password": cty.StringVal(password), "note": cty.StringVal(note),
			"address": address, "tags": cty.MapVal(map[string]cty.Value{"env": cty.StringVal(region)}),
		})
	}
	note := []cty.Path{cty.GetAttrPath("note")}
	m := p.Resources["cloud_server"]
	return policy.Input{
		Model:    m,
		Resource: policy.ResourceMeta{Group: m.Group, Kind: m.Kind, Namespace: "prod", Name: "web", Labels: map[string]string{"tier": "gold"}},
		Plan: &terraform.Plan{
			Action: terraform.DeleteThenCreate, Reason: terraform.ReplaceBecauseCannotUpdate, RequiresReplace: []cty.Path{cty.GetAttrPath("region")},
			Prior: instance.Instance{
				State: object(1, "eu", "old-"+planted, "old-"+planted, cty.StringVal("10.0.0.1")), SensitivePaths: note,
			},
			State:          object(2, "us", planted, planted, cty.UnknownVal(cty.String)),
			SensitivePaths: note,
		},
	}
}

// Conditions see which provider configuration a plan is for.
func TestConfigurationOfPlan(t *testing.T) {
	t.Parallel()
	object := func(kind, namespace, name, account string) policy.Configuration {
		return policy.ConfigurationOf(kind, &metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{"stage": name},
			Annotations: map[string]string{v1alpha1.AnnotationAccount: account},
		})
	}
	prod, dev := object("ClusterProviderConfig", "", "prod", "123"), object("ProviderConfig", "team-a", "dev", "123")
	for name, c := range map[string]struct {
		configurations []policy.Configuration
		condition      string
		want           bool
	}{
		"name": {
			[]policy.Configuration{prod},
			`configuration.name == "prod" && configuration.kind == "ClusterProviderConfig" && configuration.namespace == ""`,
			true,
		},
		"label":    {[]policy.Configuration{prod}, `configuration.labels[?"stage"].orValue("") == "prod"`, true},
		"account":  {[]policy.Configuration{prod}, `configuration.account == "123"`, true},
		"another":  {[]policy.Configuration{dev}, `configuration.name == "prod"`, false},
		"unproven": {[]policy.Configuration{dev}, `configuration.account != "" || configuration.namespace != "team-a"`, false},
		"none":     {nil, `configuration.name != "" || configurations.size() > 0`, false},
		"several":  {[]policy.Configuration{dev, prod}, `configurations.exists(c, c.name == "prod")`, true},
		// What does not consider that there are several permits nothing.
		"one of several": {[]policy.Configuration{dev, prod}, `configuration.name == "prod"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(t)
			in.Configurations = c.configurations
			p := policy.Compile(named("p", v1alpha1.PlanPolicyDeny, c.condition))
			if err := p.Invalid(); err != nil {
				t.Fatal(err)
			}
			if got := policy.Decide(t.Context(), []*policy.Policy{p}, in, time.Now()); (len(got.Denied) == 1) != c.want {
				t.Errorf("got %+v", got.Results())
			}
		})
	}
}

// A value that reads like a placeholder is a value.
func TestPlaceholdersAreFlags(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"sensitive": "(sensitive value)", "unknown": "(known after apply)"} {
		for _, before := range []string{"eu", text} {
			t.Run(name+" after "+before, func(t *testing.T) {
				t.Parallel()
				in := input(t)
				set := func(state cty.Value, region string) cty.Value {
					values := state.AsValueMap()
					values["region"] = cty.StringVal(region)
					return cty.ObjectVal(values)
				}
				after := text
				if before == text {
					after = "prod" // the literal is the former value
				}
				in.Plan.Prior.State, in.Plan.State = set(in.Plan.Prior.State, before), set(in.Plan.State, after)
				condition := `plan.changes.exists(c, c.path == "region" && c.before == "` + before +
					`" && c.after == "` + after + `" && !c.sensitive && !c.unknown)`
				p := policy.Compile(named("p", v1alpha1.PlanPolicyDeny, condition))
				if got := policy.Decide(t.Context(), []*policy.Policy{p}, in, time.Now()); len(got.Denied) != 1 {
					t.Errorf("the plan is not denied: %+v", got.Results())
				}
			})
		}
	}
}

func named(name string, action v1alpha1.PlanPolicyAction, condition string) *v1alpha1.PlanPolicy {
	return &v1alpha1.PlanPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.PlanPolicySpec{Action: action, Condition: condition, Message: "not like this."},
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	saturday := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	in := input(t)
	for condition, want := range map[string]bool{
		`plan.action == "DeleteThenCreate" && plan.destroys && plan.creates`:                                                     true,
		`plan.reason == "replace_because_cannot_update"`:                                                                         true,
		`plan.action == "Update"`:                                                                                                false,
		`plan.changes.exists(c, c.path == "size" && c.before == 1 && c.after > 1.5)`:                                             true,
		`plan.changes.exists(c, c.path == "region" && c.replaces)`:                                                               true,
		`plan.changes.exists(c, c.path == "size" && c.replaces)`:                                                                 false,
		`plan.changes.exists(c, c.path == "address" && c.unknown && c.after == null)`:                                            true,
		`plan.changes.exists(c, c.path == "tags[\"env\"]" && c.after == "us")`:                                                   true,
		`plan.changes.filter(c, c.sensitive).map(c, c.path) == ["note", "password"]`:                                             true,
		`plan.changes.exists(c, c.sensitive && (c.before != null || c.after != null))`:                                           false,
		`resource.kind == "Server" && resource.namespace == "prod" && resource.name == "web" && resource.type == "cloud_server"`: true,
		`resource.labels[?"tier"].orValue("") == "gold" && !("env" in resource.labels)`:                                          true,
		`now.getDayOfWeek("Europe/Berlin") in [0, 6]`:                                                                            true,
		`now.getHours() >= 22 || now.getHours() < 6`:                                                                             false,
		`now > timestamp("2026-12-01T00:00:00Z")`:                                                                                false,
		`plan.resources.size() == 0`:                                                                                             true,
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			p := policy.Compile(named("p", v1alpha1.PlanPolicyDeny, condition))
			if err := p.Invalid(); err != nil {
				t.Fatal(err)
			}
			got := policy.Decide(t.Context(), []*policy.Policy{p}, in, saturday)
			var expected []policy.Result
			if want {
				expected = []policy.Result{{Policy: "p", Action: v1alpha1.PlanPolicyDeny, Message: "not like this."}}
			}
			if d := cmp.Diff(expected, got.Results()); d != "" {
				t.Error(d)
			}
		})
	}
}

// What cannot be evaluated acts as if its condition were true, and no message has a sensitive
// value.
func TestFaultyConditionsActOnEverything(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		condition string
		invalid   bool
		message   string
	}{
		"syntax":             {condition: `plan.action ==`, invalid: true, message: "Syntax error"},
		"unknown field":      {condition: `plan.acton == "Delete"`, invalid: true, message: "undefined field 'acton'"},
		"unknown variable":   {condition: `secrets.size() > 0`, invalid: true, message: "undeclared reference to 'secrets'"},
		"another type":       {condition: `plan.action`, invalid: true, message: "it must be true or false"},
		"dynamic type":       {condition: `plan.changes[0].before`, invalid: true, message: "it must be true or false"},
		"regular expression": {condition: `plan.action.matches("(")`, invalid: true, message: "invalid matches argument"},
		"missing key":        {condition: `resource.labels["none"] == "x"`, message: "no such key: none"},
		"index":              {condition: `plan.changes[99].path == "x"`, message: "index out of bounds"},
		"null is no number":  {condition: `plan.changes.all(c, c.after > 1)`, message: "no such overload"},
		"unknown time zone":  {condition: `now.getHours("Mars/Olympus") > 1`, message: "unknown time zone"},
		"cost": {
			condition: `[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, a+b+c+d+e+f >= 0))))))`,
			message:   "cost limit exceeded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(t)
			for _, action := range []v1alpha1.PlanPolicyAction{
				v1alpha1.PlanPolicyDeny, v1alpha1.PlanPolicyRequireApproval, v1alpha1.PlanPolicyWarn,
			} {
				p := policy.Compile(named("p", action, x.condition))
				if (p.Invalid() != nil) != x.invalid {
					t.Errorf("invalid: %v", p.Invalid())
				}
				results := policy.Decide(t.Context(), []*policy.Policy{p}, in, time.Now()).Results()
				if len(results) != 1 || results[0].Action != action || !strings.Contains(results[0].Message, x.message) {
					t.Fatalf("got %+v", results)
				}
				if text := results[0].String(); strings.Contains(text, planted) || strings.Contains(text, "\n") {
					t.Errorf("got %q", text)
				}
			}
		})
	}
}

func TestPoliciesMatchResources(t *testing.T) {
	t.Parallel()
	in := input(t)
	for name, x := range map[string]struct {
		match v1alpha1.PlanPolicyMatch
		want  bool
	}{
		"everything": {want: true},
		"group and kind": {
			match: v1alpha1.PlanPolicyMatch{
				Groups: []string{"cloud.landbridge.io"}, Kinds: []string{"Disk", "Server"},
			}, want: true,
		},
		"other kind":        {match: v1alpha1.PlanPolicyMatch{Kinds: []string{"Disk"}}},
		"namespace pattern": {match: v1alpha1.PlanPolicyMatch{Namespaces: []string{"prod*"}}, want: true},
		"other namespace":   {match: v1alpha1.PlanPolicyMatch{Namespaces: []string{"team-*"}}},
		"malformed pattern": {match: v1alpha1.PlanPolicyMatch{Namespaces: []string{"["}}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := named("p", v1alpha1.PlanPolicyDeny, "true")
			p.Spec.Match = x.match
			if got := len(policy.Decide(t.Context(), []*policy.Policy{policy.Compile(p)}, in, time.Now()).Denied) == 1; got != x.want {
				t.Errorf("acts: %v, want %v", got, x.want)
			}
		})
	}
}

// An unknown action denies.
func TestUnknownActionDenies(t *testing.T) {
	t.Parallel()
	p := policy.Compile(named("p", "Delay", "false"))
	if got := policy.Decide(t.Context(), []*policy.Policy{p}, input(t), time.Now()); p.Invalid() == nil || len(got.Denied) != 1 {
		t.Errorf("got %+v, %v", got, p.Invalid())
	}
}

// FuzzCompile checks that no condition causes a panic, neither when it is compiled nor when it is
// evaluated.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`plan.destroys`, `plan.changes.exists(c, c.after > 1)`, `now.getHours("Mars") > 1`,
		`resource.labels["a"] == "b"`, `[[[]]]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, condition string) {
		p := policy.Compile(named("p", v1alpha1.PlanPolicyDeny, condition))
		for _, r := range policy.Decide(t.Context(), []*policy.Policy{p}, input(t), time.Now()).Results() {
			if strings.Contains(r.String(), planted) {
				t.Errorf("got %q", r.String())
			}
		}
	})
}
