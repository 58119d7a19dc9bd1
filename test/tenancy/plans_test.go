package tenancy_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// warnings are the warnings of the API server.
type warnings struct {
	mu  sync.Mutex
	all string
}

// HandleWarningHeader implements rest.WarningHandler.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all += text + "\n"
}

// said returns all of them.
func (w *warnings) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// warned returns a tenant whose warnings are collected.
func (by tenant) warned(t *testing.T) (tenant, *warnings) {
	t.Helper()
	all := &warnings{}
	config := rest.CopyConfig(by.config)
	config.WarningHandler = all
	var err error
	by.Client, err = client.New(config, client.Options{Scheme: by.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return by, all
}

// posts sends a review of the victim's resource to the webhook for plans, and reports whether the
// answer shows what it has.
func (x *world) posts(t *testing.T, path string) bool {
	t.Helper()
	u := x.place(x.victim, x.name, m{"value": "another"})
	body, err := json.Marshal(m{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": m{
		"uid": "1", "kind": m{"group": open + ".landbridge.io", "kind": "Place", "version": "v1alpha1"}, "object": u.Object,
	}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		fmt.Sprintf("https://localhost:%d%s", x.webhook, path), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	insecure := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := insecure.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(content), "confidential")
}

// webhookPath returns the path of the webhook as an administrator sees it.
func (x *world) webhookPath(t *testing.T, c client.Client) string {
	t.Helper()
	config := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	eventually(t, "the webhook is configured", func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKey{Name: "plan." + open + ".landbridge.io"}, config) == nil
	})
	_, path, _ := strings.Cut(strings.TrimPrefix(*config.Webhooks[0].ClientConfig.URL, "https://"), "/")
	return "/" + path
}

// approving is a resource whose plans wait for approval.
func (x *world) approving(t *testing.T, by tenant) (approve func(context.Context, client.Client) error) {
	t.Helper()
	u := x.place(by, x.name, nil)
	spec(u)["lifecycle"] = m{"approvalPolicy": "Always"}
	by.create(t, u)
	x.WaitFor(t, u, "waiting", func() bool { return text(u, "status", "plan", "hash") != "" })
	hash := text(u, "status", "plan", "hash")
	return func(ctx context.Context, c client.Client) error {
		return c.Patch(ctx, u, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"landbridge.io/approve":"`+hash+`"}}}`)))
	}
}

// plans are attacks on plans, policies and approvals, and by them.
var plans = map[string]attack{
	"an approval": {
		attacker: attacker, means: "approves the plan of its own resource", refusal: "forbidden without the verb approve",
		try: func(t *testing.T, x *world) bool {
			return x.approving(t, x.mallory)(t.Context(), x.mallory) == nil
		},
		control: func(t *testing.T, x *world) bool { return x.approving(t, x.mallory)(t.Context(), x) == nil },
	},
	"an approval of another's": annotates("approves a plan of another namespace", "approve", "all"),
	"an approval at creation": {
		attacker: attacker, means: "creates a resource that has an approval already", refusal: "forbidden without the verb approve",
		try: func(t *testing.T, x *world) bool {
			return x.createsWith(t, x.mallory, "approve", "all")
		},
		control: func(t *testing.T, x *world) bool {
			return x.createsWith(t, x.bound(t, x.name, x.Namespace(t), "landbridge-edit", "landbridge-approve"), "approve", "all")
		},
	},
	"another's approval at creation": {
		attacker: attacker, means: "creates a resource that names an administrator as who approved it",
		refusal: "only the user's own name is taken",
		try:     func(t *testing.T, x *world) bool { return x.createsWith(t, x.mallory, "approved-by", "admin") },
		control: func(t *testing.T, x *world) bool { return x.createsWith(t, x.mallory, "approved-by", "mallory") },
	},
	"another's approval": {
		attacker: "a user who may approve, and that is another than approved before,",
		means:    "approves a plan in the name of who approved before", refusal: "the user is noted",
		try:     func(t *testing.T, x *world) bool { return x.approvesAs(t, x.elsewhere(t), "eve") },
		control: func(t *testing.T, x *world) bool { return x.approvesAs(t, x.elsewhere(t), "alice") },
	},
	"another's approval, of a module": {
		attacker: "a user who may approve, and that is another than approved before,",
		means:    "approves a plan of a module in the name of who approved before", refusal: "the user is noted",
		try:     func(t *testing.T, x *world) bool { return x.approvesAs(t, x.moduleInstance(t), "eve") },
		control: func(t *testing.T, x *world) bool { return x.approvesAs(t, x.moduleInstance(t), "alice") },
	},
	"drift": annotates("has the arguments of another's object set again", "reapply", "now"),
	"a policy": forbidden("creates a policy for the plans of all", func(ctx context.Context, _ *world, c client.Client) error {
		return c.Create(ctx, resource("landbridge.io/v1alpha1", "PlanPolicy", "", "evil",
			m{"condition": "true", "action": "Deny"}), client.DryRunAll)
	}),
	"a denied plan": {
		attacker: attacker, means: "approves a plan that a policy denies, and loosens the policies of its resource", refusal: "DeniedByPolicy",
		try: func(t *testing.T, x *world) bool { return x.carriedOut(t, x.mallory, "Deny") },
		// The policy only warns.
		control: func(t *testing.T, x *world) bool { return x.carriedOut(t, x.mallory, "Warn") },
	},
	"another's plan": {
		attacker: attacker + " and a pod that reaches the webhook for plans",
		means:    "asks it for a plan of another's resource", refusal: "the path is not known",
		try: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			if err := x.mallory.List(t.Context(), &admissionregistrationv1.ValidatingWebhookConfigurationList{}); err == nil {
				return true
			}
			return x.posts(t, "/plan") || x.posts(t, "/plan/")
		},
		control: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			return x.posts(t, x.webhookPath(t, x))
		},
	},
	"a value, by a dry run": between("applies a resource that refers to another's, as a dry run",
		"the plan waits for the reference", func(t *testing.T, x *world, by tenant) bool {
			x.owned(t, "Place")
			x.webhookPath(t, x)
			by, told := by.warned(t)
			r := x.refers(by, x.name+"-dry", m{"name": x.name})
			eventually(t, "there is a plan", func(ctx context.Context) bool {
				if err := by.Create(ctx, r.DeepCopy(), client.DryRunAll); err != nil {
					t.Fatal(err)
				}
				return strings.Contains(told.all, "value") || strings.Contains(told.all, "waiting for other resources")
			})
			return strings.Contains(told.all, "confidential")
		}),
	"another's object, by a dry run": between("imports another's object, as a dry run",
		"it is planned against what is stored of the resource itself", func(t *testing.T, x *world, by tenant) bool {
			u := x.owned(t, "Place")
			x.webhookPath(t, x)
			name := x.name
			if by.namespace != x.victim.namespace {
				name += "-dry"
			}
			by, told := by.warned(t)
			r := x.importing(by, name)
			spec(r)["forProvider"].(m)["value"] = "another"
			eventually(t, "there is a plan", func(ctx context.Context) bool {
				var err error
				if by.namespace == u.GetNamespace() {
					err = by.Patch(ctx, u.DeepCopy(),
						client.RawPatch(types.MergePatchType, []byte(`{"spec":{"forProvider":{"value":"another"}}}`)),
						client.DryRunAll)
				} else {
					err = by.Create(ctx, r.DeepCopy(), client.DryRunAll)
				}
				if err != nil {
					t.Fatal(err)
				}
				return told.all != ""
			})
			return strings.Contains(told.all, "confidential")
		}),
	"a value that reads like a hidden one": {
		attacker: attacker,
		means:    "changes a value from the placeholder of a hidden one, so that a policy does not see it",
		refusal:  "DeniedByPolicy",
		try:      func(t *testing.T, x *world) bool { return x.changesTo(t, "prod") },
		control:  func(t *testing.T, x *world) bool { return x.changesTo(t, "dev") },
	},
	"an approval for another configuration": {
		attacker: attacker, means: "has a plan that was approved for one configuration carried out with another", refusal: "PlanChanged",
		try:     func(t *testing.T, x *world) bool { return x.approvedElsewhere(t, "-dev", "-prod") },
		control: func(t *testing.T, x *world) bool { return x.approvedElsewhere(t, "-dev", "-dev") },
	},
}

// createsWith reports whether a user may create a resource with an annotation.
func (x *world) createsWith(t *testing.T, by tenant, annotation, value string) bool {
	t.Helper()
	u := x.place(by, x.name, nil)
	eventually(t, "the user may create it otherwise", func(ctx context.Context) bool {
		return by.Create(ctx, u.DeepCopy(), client.DryRunAll) == nil
	})
	u.SetAnnotations(map[string]string{"landbridge.io/" + annotation: value})
	err := by.Create(t.Context(), u)
	if err != nil && !kerrors.IsForbidden(err) {
		t.Fatal(err)
	}
	return err == nil
}

// changesTo reports whether mallory changes a value that reads like the placeholder of a hidden
// one, although a policy denies the value prod.
func (x *world) changesTo(t *testing.T, value string) bool {
	t.Helper()
	u := x.mallory.create(t, x.place(x.mallory, x.name, m{"value": "(sensitive value)"}))
	x.WaitReady(t, u)
	x.MustCreate(t, resource("landbridge.io/v1alpha1", "PlanPolicy", "", x.name, m{
		"match":     m{"namespaces": []any{x.mallory.namespace}},
		"condition": `resource.name == "` + x.name + `" && plan.changes.exists(c, c.path == "value" && c.after == "prod")`, "action": "Deny",
	}))
	x.policyIsValid(t)
	x.MustPatch(t, u, `{"spec":{"forProvider":{"value":"`+value+`"}}}`)
	return x.either(t, u, func() bool {
		o, _ := remote("place", x.name)
		return o["value"] == value
	}, func() bool { return refusedFor(u, "DeniedByPolicy") })
}

// approvedElsewhere reports whether a plan that was approved for one provider configuration is
// carried out with another one.
func (x *world) approvedElsewhere(t *testing.T, shown, used string) bool {
	t.Helper()
	for _, name := range []string{"-dev", "-prod"} {
		x.MustCreate(t, resource(apiVersion(open), "ClusterProviderConfig", "", x.name+name, m{}))
	}
	u := using(x.place(x.mallory, x.name, nil), "ClusterProviderConfig", x.name+shown)
	spec(u)["lifecycle"] = m{"approvalPolicy": "Always"}
	x.mallory.create(t, u)
	x.WaitFor(t, u, "planned", func() bool { return text(u, "status", "plan", "hash") != "" })
	hash := text(u, "status", "plan", "hash")
	x.MustPatch(t, u, `{"spec":{"providerConfigRef":{"name":"`+x.name+used+
		`"}},"metadata":{"annotations":{"landbridge.io/approve":"`+hash+`"}}}`)
	return x.either(t, u, func() bool { return isTrue(u, "Ready", "Synced") }, func() bool {
		status, why, _ := objecttest.Condition(u, "Approved")
		return status == "False" && why == "PlanChanged"
	})
}

// approvesAs has alice approve a plan of a resource, and then a user another one. It reports
// whether the second approval is hers.
func (x *world) approvesAs(t *testing.T, u *unstructured.Unstructured, user string) bool {
	t.Helper()
	roles := []string{"landbridge-edit", "landbridge-approve"}
	alice := x.bound(t, "alice", u.GetNamespace(), roles...)
	second := alice
	if user != "alice" {
		second = x.bound(t, user, u.GetNamespace(), roles...)
	}
	const approve, by = "landbridge.io/approve", "landbridge.io/approved-by"
	u.SetAnnotations(map[string]string{approve: "one", by: "alice"})
	eventually(t, "the first plan is approved", func(ctx context.Context) bool { return alice.Create(ctx, u) == nil })
	var err error
	eventually(t, "the second user may approve", func(ctx context.Context) bool {
		err = second.Patch(ctx, u, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+approve+`":"two"}}}`)))
		return err == nil || strings.Contains(err.Error(), by)
	})
	t.Log(u.GetAnnotations(), err)
	return err == nil && u.GetAnnotations()[by] == "alice"
}

// elsewhere returns a resource in a namespace of its own.
func (x *world) elsewhere(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	u := x.place(x.victim, x.name, nil)
	u.SetNamespace(x.Namespace(t))
	return u
}

// moduleInstance returns an instance of a module that is installed.
func (x *world) moduleInstance(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	dir := filepath.Join(scratch, x.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte("variable \"n\" { default = 1 }"), 0o644); err != nil {
		t.Fatal(err)
	}
	definition := x.module(t, m{"directory": dir})
	x.WaitFor(t, definition, "served", func() bool { return isTrue(definition, "Installed", "Healthy") && objecttest.Current(definition) })
	group, kind := text(definition, "status", "group"), text(definition, "status", "kind")
	return resource(group+"/v1alpha1", kind, x.Namespace(t), x.name, m{"forProvider": m{}})
}

// carriedOut reports whether a tenant has a plan carried out about which a policy decides.
func (x *world) carriedOut(t *testing.T, by tenant, action string) bool {
	t.Helper()
	x.MustCreate(t, resource("landbridge.io/v1alpha1", "PlanPolicy", "", x.name, m{
		"match": m{"namespaces": []any{by.namespace}}, "condition": `resource.name == "` + x.name + `"`, "action": action, "message": "No.",
	}))
	x.policyIsValid(t)
	u := x.place(by, x.name, nil)
	spec(u)["lifecycle"] = m{"approvalPolicy": "Never"}
	by.create(t, u)
	done := x.becomesReady(t, u, "DeniedByPolicy")
	if !done {
		// An approval that an administrator has given by mistake does not help.
		x.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/approve":"`+text(u, "status", "plan", "hash")+`"}}}`)
		x.Reconcile(t, u)
		done = x.becomesReady(t, u, "DeniedByPolicy")
	}
	return done
}

func (x *world) policyIsValid(t *testing.T) {
	t.Helper()
	u := resource("landbridge.io/v1alpha1", "PlanPolicy", "", x.name, m{})
	x.WaitFor(t, u, "decided about", func() bool { return text(u, "status", "conditions") != "" })
}
