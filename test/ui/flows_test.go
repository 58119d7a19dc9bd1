package ui_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// record returns a record, which is created when its plan is approved.
func record(namespace, name string, value string) *unstructured.Unstructured {
	return objecttest.New(group+"/v1alpha1", "Record", namespace, name, m{
		"forProvider": m{"name": namespace + "-" + name, "value": value}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "default"},
		"lifecycle": m{"approvalPolicy": "Always"},
	})
}

// planned creates a record, and waits for its plan.
func (c *cluster) planned(t *testing.T, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	u := record(namespace, name, "first")
	c.MustCreate(t, u)
	c.WaitFor(t, u, "planned", func() bool { return hash(u) != "" })
	return u
}

func hash(u *unstructured.Unstructured) string { return objecttest.Text(u, "status", "plan", "hash") }

func path(view string, u *unstructured.Unstructured) string {
	return "/" + view + "/record." + group + "/" + u.GetNamespace() + "/" + u.GetName()
}

// A plan that waits appears by itself, is approved, and is gone when it is carried out.
func TestApproval(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	b := open(t, c.server.Config, namespace)
	b.visit("/plans")
	first, second := c.planned(t, namespace, "first"), c.planned(t, namespace, "second")
	b.shows("Record " + namespace + "/first")
	b.shows("Record " + namespace + "/second")
	b.shows("value: \"first\"")
	b.run(chromedp.Click(fmt.Sprintf(`input[name="plan"][value$="/%s/first#%s"]`, namespace, hash(first)), chromedp.ByQuery),
		chromedp.Click(`#selection button`, chromedp.ByQuery))
	b.shows("Record " + namespace + "/first: approved.")
	c.WaitReady(t, first)
	b.holds("the approved plan is gone", fmt.Sprintf(`!document.querySelector('[data-plan$="/%s/first"]')`, namespace))
	b.visit(path("resources", second))
	b.run(chromedp.Click(`.plan button`, chromedp.ByQuery))
	b.shows("Record " + namespace + "/second: approved.")
	c.WaitReady(t, second)
	b.visit(path("resources", second))
	b.shows("is ready")
	b.shows(objecttest.Text(second, "status", "atProvider", "id"))
}

// A plan that changes while it is read says so, and its selection is gone.
func TestChangedPlan(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	u := c.planned(t, namespace, "changing")
	before := hash(u)
	b := open(t, c.server.Config, namespace)
	b.visit("/plans")
	b.holds("the page is live", `document.documentElement.classList.contains("live")`)
	b.run(chromedp.Click(fmt.Sprintf(`input[name="plan"][value$="/%s/changing#%s"]`, namespace, before), chromedp.ByQuery))
	c.MustPatch(t, u, `{"spec":{"forProvider":{"value":"second"}}}`)
	c.WaitFor(t, u, "planned anew", func() bool { return hash(u) != before && hash(u) != "" })
	b.shows(`This plan has changed since you opened the page.`)
	b.shows(`value: "second"`)
	b.holds("nothing is selected", `!document.querySelector("input[name=plan]:checked")`)
}

// What fails appears by itself, in a group with what waits for it, and leads to the resource.
func TestTrouble(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	b := open(t, c.server.Config, namespace)
	for i := range 3 {
		u := record(namespace, fmt.Sprintf("waits-%d", i), "")
		unstructured.RemoveNestedField(u.Object, "spec", "forProvider", "value") // a value that is set is kept
		u.Object["spec"].(m)["references"] = []any{m{
			"to":   "forProvider.value",
			"from": m{"kind": "Record", "name": "absent", "fieldPath": "status.atProvider.id"},
		}}
		c.MustCreate(t, u)
	}
	b.shows("Record " + namespace + "/absent 3 objects")
	b.run(chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll("article.group")].find(g => g.innerText.includes("%s/absent")).querySelector("details").open = true`, namespace), nil),
		chromedp.Click(fmt.Sprintf(`a[href$="/%s/waits-1"]`, namespace), chromedp.ByQuery))
	b.shows("there is no Record " + namespace + "/absent")
	b.shows("landbridge explain")
}

// An object is found by its identity, and its dependencies lead on.
func TestSearch(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	u := record(namespace, "sought", "needle-"+namespace)
	delete(u.Object["spec"].(m), "lifecycle")
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	b := open(t, c.server.Config, namespace)
	b.run(chromedp.SendKeys("#q", "NEEDLE-"+namespace+"\r", chromedp.ByQuery))
	b.shows("1 object has")
	b.run(chromedp.Click(fmt.Sprintf(`a[href$="/%s/sought"]`, namespace), chromedp.ByQuery))
	b.shows("The object was created.")
	b.run(chromedp.Click(`a[href^="/dependencies/"]`, chromedp.ByQuery))
	b.shows("ProviderConfig " + namespace + "/default")
	b.holds("it is drawn", `document.querySelector("figure svg")`)
}

// What no resource manages is found, and imported by manifests that change nothing.
func TestImport(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	made := c.cloud.Make(t, "things", m{"name": namespace + "-found", "region": "eu-central-1", "size": 2})
	before := c.cloud.Audit(t)
	b := open(t, c.server.Config, namespace)
	b.run(chromedp.Click(`header a[href="/import"]`, chromedp.ByQuery))
	b.shows("Resource type")
	b.holds("the type is offered", `document.querySelector('#types option[value="examplecloud_thing"]')`)
	b.run(chromedp.SendKeys("#type", "examplecloud_thing", chromedp.ByQuery),
		chromedp.SetValue("#configuration", "ProviderConfig/default", chromedp.ByQuery), chromedp.Click(".choose button", chromedp.ByQuery))
	b.shows(namespace + "-found")
	b.shows("no resource")
	b.run(chromedp.Click(fmt.Sprintf(`input[aria-label^="Select %s-found"]`, namespace), chromedp.ByQuery),
		chromedp.Click(`#view form[method] button`, chromedp.ByQuery))
	b.shows("1 of 1 object is adopted without a change")
	results.views++
	b.examine(t)
	manifest := evaluate[string](b, `document.querySelector("pre").innerText`)
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &u.Object); err != nil {
		t.Fatalf("%v\n%s", err, manifest)
	}
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	if got, _, _ := unstructured.NestedString(u.Object, "status", "atProvider", "id"); got != made["id"] {
		t.Errorf("the resource has %s, and was to adopt %v", got, made["id"])
	}
	b.run(chromedp.Click(`a[href^="/import?type="]`, chromedp.ByQuery))
	b.shows("Thing " + namespace + "/" + u.GetName())
	if after := c.cloud.Audit(t); after.Creates != before.Creates || after.Updates != before.Updates || after.Deletes != before.Deletes {
		t.Errorf("the import has changed something: before %+v, after %+v", before, after)
	}
}

// Upgrades have the provider's conditions, and its plan when it is asked for.
func TestUpgrades(t *testing.T) {
	flow(t)
	c := newCluster(t)
	b := open(t, c.server.Config, c.namespace(t))
	b.run(chromedp.Click(`header a[href="/upgrades"]`, chromedp.ByQuery))
	b.shows("Installed")
	b.shows("landbridge upgrade plan cloud")
	b.run(chromedp.Click(`button[name="plan"][value="cloud"]`, chromedp.ByQuery))
	b.shows("There is no newer version.")
}

// Figures have the operations that were just carried out, as a drawing and as a table.
func TestFigures(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	u := record(namespace, "counted", "x")
	delete(u.Object["spec"].(m), "lifecycle")
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	b := open(t, c.server.Config, namespace)
	b.run(chromedp.Click(`header a[href="/figures"]`, chromedp.ByQuery))
	b.shows("From the change records of")
	b.holds("the operation is drawn", `document.querySelector(".chart rect.succeeded")`)
	b.holds("durations are shown", `[...document.querySelectorAll("tbody th")].some(e => e.innerText === "Create")`)
}

// Names, messages and values are texts, whatever is in them.
func TestScripts(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace := c.namespace(t)
	const attack = `"><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>`
	u := record(namespace, "attack", attack)
	u.SetAnnotations(map[string]string{"note": attack, "crossplane.io/external-name": attack, "hx-on": attack})
	c.MustCreate(t, u)
	c.WaitFor(t, u, "planned", func() bool { return hash(u) != "" })
	p := objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "attack", m{
		"source": "/nowhere/<script>window.attacked=1</script>",
	})
	c.MustCreate(t, p)
	defer c.Remove(t, p)
	b := open(t, c.server.Config, namespace)
	for _, view := range []string{
		"/", "/estate", "/plans", "/providers", "/upgrades", "/import", "/figures",
		"/search?q=%22%3E%3Cscript%3Ewindow.attacked%3D1%3C%2Fscript%3E", path("resources", u), path("dependencies", u),
	} {
		b.visit(view)
		if evaluate[bool](b, `window.attacked !== undefined || document.querySelector("#view script, #view img") !== null`) {
			t.Errorf("a script ran in %s", view)
		}
	}
}

// reader returns the configuration of a person who may see the objects of one namespace alone.
func (c *cluster) reader(t *testing.T, namespace string) *rest.Config {
	t.Helper()
	api, err := kubernetes.NewForConfig(c.server.Config)
	if err != nil {
		t.Fatal(err)
	}
	name := "reader-" + namespace
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	if _, err := api.RbacV1().Roles(namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{group}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"},
	}}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta, Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(c.server.Config)
	config.Impersonate.UserName = name
	return config
}

// Someone without the permission to approve sees the plan, and the cluster's refusal.
func TestRightsOfPerson(t *testing.T) {
	flow(t)
	c := newCluster(t)
	namespace, others := c.namespace(t), c.namespace(t)
	c.planned(t, namespace, "mine")
	c.planned(t, others, "hidden")
	b := open(t, c.reader(t, namespace), namespace)
	b.visit("/plans")
	b.shows("Record " + namespace + "/mine")
	b.lacks(others)
	b.run(chromedp.Click(fmt.Sprintf(`[data-plan$="/%s/mine"] button`, namespace), chromedp.ByQuery))
	b.shows("Not approved")
	b.shows("cannot patch resource")
}

// A page whose process has ended says that it is not live any more.
func TestEndedProcess(t *testing.T) {
	flow(t)
	c := newCluster(t)
	b := open(t, c.server.Config, c.namespace(t))
	b.holds("the page is live", `document.getElementById("live").innerText === "Live"`)
	b.end()
	b.holds("the page says that it is not", `document.getElementById("live").innerText.startsWith("Not live")`)
}

// The keyboard alone reaches the view and its commands.
func TestKeyboard(t *testing.T) {
	flow(t)
	c := newCluster(t)
	b := open(t, c.server.Config, c.namespace(t))
	b.visit("/")
	b.run(chromedp.KeyEvent("\t"))
	b.holds("the first stop skips the navigation", `document.activeElement.className === "skip"`)
	b.run(chromedp.KeyEvent("\r"))
	b.holds("the view has the focus", `document.activeElement.id === "view"`)
	b.run(chromedp.Focus("header nav a", chromedp.ByQuery), chromedp.KeyEvent("\t"), chromedp.KeyEvent("\r"))
	b.shows("objects.")
}
