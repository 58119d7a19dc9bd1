package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// Validations see an object, who owns it, the query and its configuration, and no secrets.
func TestJudge(t *testing.T) {
	t.Parallel()
	in := input(t)
	prod := policy.ConfigurationOf("ClusterProviderConfig", &metav1.ObjectMeta{Name: "prod", Labels: map[string]string{"stage": "prod"}})
	base := policy.Found{
		Model: in.Model, Configuration: prod,
		Query:       policy.QueryMeta{Namespace: "team", Name: "servers", Labels: map[string]string{"tier": "gold"}},
		DisplayName: "web", State: in.Plan.Prior.State,
	}
	owned := base
	owned.Managed, owned.Owner = true, policy.OwnerMeta{Kind: "Server", Namespace: "team", Name: "web"}
	stateless := base
	stateless.State = cty.NilVal
	for name, test := range map[string]struct {
		found      policy.Found
		expression string
		match      v1alpha1.EstatePolicyMatch
		violated   bool
		message    string // a part
	}{
		"true":  {found: base, expression: `object.region == "eu" && object.size == 1`},
		"false": {found: base, expression: `object.region != "eu"`, violated: true, message: "Move it."},
		"managed": {
			found:      owned,
			expression: `managed && !declared && owner.kind == "Server" && owner.namespace == query.namespace && owner.name == "web"`,
		},
		"not managed": {found: base, expression: `managed || declared || owner.name != ""`, violated: true, message: "Move it."},
		"query": {
			found:      base,
			expression: `query.name == "servers" && query.labels.tier == "gold" && resourceType == "cloud_server" && displayName == "web"`,
		},
		"configuration": {
			found:      base,
			expression: `configuration.name == "prod" && configuration.labels.stage == "prod" && now > timestamp("2020-01-01T00:00:00Z")`,
		},
		"no secrets":      {found: base, expression: `!has(object.password)`},
		"without a state": {found: stateless, expression: `object == null || object.region == "us"`},
		"cannot be evaluated": {
			found: stateless, expression: `object.region == "eu"`, violated: true,
			message: "it cannot be evaluated, so it counts as violated",
		},
		"does not compile": {found: base, expression: `objects.region == "eu"`, violated: true, message: "it cannot be used"},
		"is no bool":       {found: base, expression: `displayName`, violated: true, message: "it must be true or false"},
		"too expensive":    {found: base, expression: `[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))`, violated: true, message: "cannot be evaluated"},
		"of another type":  {found: base, expression: `false`, match: v1alpha1.EstatePolicyMatch{ResourceTypes: []string{"other_*"}}},
		"of the type": {
			found: base, expression: `false`, match: v1alpha1.EstatePolicyMatch{
				ResourceTypes: []string{"cloud_*"},
			}, violated: true,
		},
		"of another namespace": {found: base, expression: `false`, match: v1alpha1.EstatePolicyMatch{Namespaces: []string{"prod"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy.CompileEstate(&v1alpha1.EstatePolicy{
				ObjectMeta: metav1.ObjectMeta{Name: "p"},
				Spec: v1alpha1.EstatePolicySpec{
					Match: test.match, Validations: []v1alpha1.EstateValidation{
						{Expression: "true"}, {Expression: test.expression, Message: "Move it."},
					},
				},
			})
			got := policy.Judge(t.Context(), []*policy.EstatePolicy{p}, test.found, time.Now())
			if len(got) > 1 || (len(got) == 1) != test.violated || strings.Contains(fmt.Sprint(got), planted) {
				t.Fatalf("violated: %v, want %t", got, test.violated)
			}
			if test.violated && (got[0].Policy != "p" || !strings.Contains(got[0].Message, test.message)) {
				t.Errorf("got %+v, want %q", got[0], test.message)
			}
		})
	}
}

// What cannot be used of an EstatePolicy is known beforehand.
func TestInvalidEstate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec v1alpha1.EstatePolicySpec
		want string
	}{
		"valid": {spec: v1alpha1.EstatePolicySpec{Validations: []v1alpha1.EstateValidation{{Expression: "managed"}}}},
		"second": {
			spec: v1alpha1.EstatePolicySpec{
				Validations: []v1alpha1.EstateValidation{{Expression: "managed"}, {Expression: "owner.uid == ''"}},
			}, want: "spec.validations[1].expression",
		},
		"pattern": {
			spec: v1alpha1.EstatePolicySpec{Match: v1alpha1.EstatePolicyMatch{ResourceTypes: []string{"["}}},
			want: "the pattern \"[\" of spec.match",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := policy.CompileEstate(&v1alpha1.EstatePolicy{Spec: test.spec}).Invalid(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want != "", got != ""); diff != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
