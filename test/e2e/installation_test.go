package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/test/doubletest"
)

// A provider that cannot be installed reports the reason in its conditions, is retried
// with growing delays, and recovers when its spec is corrected.
func TestProviderRefused(t *testing.T) {
	c := shared(t)
	file := func(name, content string, mode os.FileMode) func(*testing.T) *unstructured.Unstructured {
		return func(t *testing.T) *unstructured.Unstructured {
			path := filepath.Join(directory(t), "terraform-provider-"+name)
			if err := os.WriteFile(path, []byte(content), mode); err != nil {
				t.Fatal(err)
			}
			return terraformProvider("refused-"+name, path)
		}
	}
	mode := func(mode string) func(*testing.T) *unstructured.Unstructured {
		return func(t *testing.T) *unstructured.Unstructured {
			return newDouble(t, "refused"+mode, "TESTPROVIDER_MODE="+mode).provider()
		}
	}
	version := func(name, source, version string) func(*testing.T) *unstructured.Unstructured {
		return func(*testing.T) *unstructured.Unstructured {
			p := terraformProvider("refused-"+name, source)
			if version != "" {
				p.Object["spec"].(m)["version"] = version
			}
			return p
		}
	}
	for name, x := range map[string]struct {
		provider func(*testing.T) *unstructured.Unstructured
		reason   string
		says     []string
	}{
		"no such source":    {version("source", "hashicorp/nothing", ""), "BinaryNotFound", []string{"hashicorp/nothing"}},
		"no such version":   {version("version", "hashicorp/random", "~> 99.0"), "BinaryNotFound", []string{"~> 99.0", "3.9.0"}},
		"no version at all": {version("constraint", "hashicorp/random", "newest"), "BinaryNotFound", []string{"newest"}},
		"no source at all":  {version("address", "a b c", ""), "BinaryNotFound", []string{"a b c"}},
		"no such file": {
			version("nofile", "/nowhere/terraform-provider-x", ""), "BinaryNotFound", []string{
				"/nowhere/terraform-provider-x",
			},
		},
		"not executable": {file("plain", "text", 0o644), "BinaryNotFound", []string{"chmod +x"}},
		"not a program":  {file("text", "text", 0o755), "ProviderNotRunning", []string{"terraform-provider-text"}},
		"not a provider": {
			file("script", "#!/bin/sh\necho hello\n", 0o755), "ProviderNotRunning", []string{
				"not a Terraform provider", "hello",
			},
		},
		"exits at its start": {mode("exit"), "ProviderNotRunning", []string{"the moon is full", "3"}},
		"protocol 4":         {mode("protocol4"), "ProviderNotRunning", []string{"protocol 4", "5 and 6"}},
		"prints rubbish":     {mode("rubbish"), "ProviderNotRunning", []string{"Hello! This is no provider."}},
		"hangs":              {mode("hang"), "ProviderNotRunning", []string{"did not print the plugin handshake in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := x.provider(t)
			if err := c.Create(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			message := c.WaitFalse(t, p, "Installed", x.reason, x.says...)
			if status, reason, other := condition(p, "Healthy"); status != "False" || reason != x.reason || other != message {
				t.Errorf("Healthy is %s, %s, %q", status, reason, other)
			}
			version := p.GetResourceVersion()
			never(t, 2*time.Second, "another write of the same refusal", func() bool {
				return c.Get(t.Context(), client.ObjectKeyFromObject(p), p) != nil || p.GetResourceVersion() != version
			})
			if name == "no such version" {
				c.MustPatch(t, p, `{"spec":{"version":"~> 3.9","source":"hashicorp/time","activate":["time_nothing"]}}`)
				c.WaitFalse(t, p, "Installed", "BinaryNotFound", "0.14.2")
			}
			c.Remove(t, p)
		})
	}
}

// Providers that hang at startup block neither other installations nor their own removal.
func TestHangingStarts(t *testing.T) {
	c := shared(t)
	began := time.Now()
	c.install(t, newDouble(t, "beforehanging").provider())
	usual := time.Since(began)
	var hanging []*unstructured.Unstructured
	var doubles []*double
	for i := range 8 {
		d := newDouble(t, fmt.Sprintf("hanging%d", i), "TESTPROVIDER_MODE=hang")
		doubles = append(doubles, d)
		p := d.provider()
		if err := c.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		hanging = append(hanging, p)
	}
	// Not all of them: the number of concurrent starts is limited.
	eventually(t, "a provider is starting", func(context.Context) bool {
		return slices.ContainsFunc(doubles, func(d *double) bool { return d.Calls("hang") > 0 })
	})
	began = time.Now()
	d := newDouble(t, "besideshanging")
	c.install(t, d.provider())
	// Two rounds of two seconds plus the time of an installation; the startup timeout is ten
	// seconds.
	if took := time.Since(began); took > 10*time.Second+3*usual {
		t.Errorf("the provider was installed after %s, and usually after %s", took, usual)
	} else {
		t.Logf("installed after %s, and usually after %s", took, usual)
	}
	last := newDouble(t, "hanginglast", "TESTPROVIDER_MODE=hang").provider()
	if err := c.Create(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	c.WaitFor(t, last, "taken up by the controller", func() bool { return len(last.GetFinalizers()) > 0 })
	began = time.Now()
	c.Remove(t, last)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a provider that hangs was removed after %s", took)
	}
	for _, p := range hanging {
		c.WaitFalse(t, p, "Installed", "ProviderNotRunning", "did not print the plugin handshake in time")
		c.Remove(t, p)
	}
}

// crdNames returns the names of a provider's existing CRDs.
func (c *cluster) crdNames(ctx context.Context, provider string) []string {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := c.List(ctx, list, client.MatchingLabels{"landbridge.io/provider": provider}); err != nil {
		return nil
	}
	var out []string
	for _, u := range list.Items {
		out = append(out, u.GetName())
	}
	return out
}

func TestActivation(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "activation")
	ns := c.Namespace(t)
	const things, places = "things.activation.landbridge.io", "places.activation.landbridge.io"

	// An unknown type is reported; the others are served.
	p := d.provider("activation_thing", "activation_nothing", "[")
	if err := c.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	c.WaitFalse(t, p, "Healthy", "UnknownResourceType", `"activation_nothing"`, `"["`, "spec.activate")
	if !isTrue(p, "Installed") || text(p, "status", "activated") != "1" || text(p, "status", "resources") != "2" ||
		text(p, "status", "protocol") != "6" {
		t.Errorf("status %v", p.Object["status"])
	}
	used := d.thing(ns, "used", nil)
	c.MustCreate(t, used)
	c.WaitReady(t, used)
	if c.crd(t.Context(), things) == nil || c.crd(t.Context(), places) != nil {
		t.Error("the CRDs are not those of the activated types")
	}

	c.MustPatch(t, p, `{"spec":{"activate":["activation_*"]}}`)
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Healthy") && text(p, "status", "activated") == "2" })

	// Deactivated: a CRD with resources stays, the other is deleted.
	c.MustPatch(t, p, `{"spec":{"activate":[]}}`)
	c.WaitFor(t, p, "serving all again", func() bool { return current(p) && text(p, "status", "activated") == "2" })
	c.MustPatch(t, p, `{"spec":{"activate":["activation_none"]}}`)
	c.WaitFalse(t, p, "Healthy", "UnknownResourceType", `"activation_none"`)
	eventually(t, "the unused CRD is gone", func(ctx context.Context) bool { return c.crd(ctx, places) == nil })
	if text(p, "status", "activated") != "" && text(p, "status", "activated") != "0" {
		t.Errorf("%s types are activated", text(p, "status", "activated"))
	}
	reads := d.Calls("read thing used")
	c.MustPatch(t, used, `{"spec":{"forProvider":{"value":"later"}}}`)
	never(t, 3*poll, "a resource of a type that is not active was looked at", func() bool {
		return d.Calls("read thing used") > reads+1 || d.Calls("update") > 0
	})
	if c.crd(t.Context(), things) == nil {
		t.Fatal("a CRD with resources was removed")
	}

	c.MustPatch(t, p, `{"spec":{"activate":["activation_thing"]}}`)
	c.has(t, d, "thing", "used", "value", "later")
	c.WaitReady(t, used)

	// The provider is removed and installed again: remote objects do not change.
	changes := d.Changes()
	c.Remove(t, p)
	never(t, 2*poll, "the resource or its CRD went with the provider", func() bool {
		return c.crd(t.Context(), things) == nil || c.Get(t.Context(), client.ObjectKeyFromObject(used), used) != nil
	})
	again := d.provider("activation_thing")
	c.install(t, again)
	reads = d.Calls("read thing used")
	eventually(t, "the resource is looked at again", func(context.Context) bool { return d.Calls("read thing used") > reads })
	c.WaitReady(t, used)
	if n := d.Changes() - changes; n != 0 {
		t.Errorf("%d changes of remote objects", n)
	}

	// A deleted CRD of an activated type is created again.
	c.Remove(t, used)
	if err := c.Delete(t.Context(), c.crd(t.Context(), things)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a removed CRD is back", func(ctx context.Context) bool {
		u := c.crd(ctx, things)
		return u != nil && u.GetDeletionTimestamp() == nil && isTrue(u, "Established")
	})
	after := d.thing(ns, "after", nil)
	c.MustCreate(t, after)
	c.WaitReady(t, after)
	c.Remove(t, after)
	c.Remove(t, again)
	eventually(t, "all of the provider's CRDs are gone", func(ctx context.Context) bool { return len(c.crdNames(ctx, "activation")) == 0 })
}

// A CRD that Landbridge does not own is not changed, and the other types are served.
func TestCRDConflict(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "conflict")
	ns := c.Namespace(t)
	preserve := true
	foreign := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "things.conflict.landbridge.io", Annotations: map[string]string{"made-by": "somebody"}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "conflict.landbridge.io", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", ListKind: "ThingList", Plural: "things", Singular: "thing"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1alpha1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
						Type: "object", XPreserveUnknownFields: &preserve,
					},
				},
			}},
		},
	}
	content, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), &unstructured.Unstructured{Object: content}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the foreign CRD is served", func(ctx context.Context) bool {
		u := c.crd(ctx, foreign.Name)
		return u != nil && isTrue(u, "Established")
	})
	theirs := resource(d.APIVersion(), "Thing", ns, "theirs", m{"whatever": "they like"})
	c.MustCreate(t, theirs)
	before := c.crd(t.Context(), foreign.Name)

	p := d.provider()
	if err := c.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	c.WaitFalse(t, p, "Healthy", "CRDConflict", foreign.Name, "is not managed by Landbridge")
	place := d.place(ns, "served", nil)
	c.MustCreate(t, place)
	c.WaitReady(t, place)
	c.Remove(t, place)

	// Another installation of the same provider does not take over kinds of the first one.
	second := d.provider()
	second.SetName("conflict-second")
	if err := c.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	c.WaitFalse(t, second, "Healthy", "CRDConflict", "belongs to the TerraformProvider conflict")
	c.Remove(t, second)
	c.Remove(t, p)
	after := c.crd(t.Context(), foreign.Name)
	if after == nil || after.GetResourceVersion() != before.GetResourceVersion() {
		t.Error("the foreign CRD was changed")
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(theirs), theirs); err != nil || len(theirs.GetFinalizers()) != 0 {
		t.Errorf("the foreign object was touched: %v", err)
	}
	if left := c.crdNames(t.Context(), "conflict"); len(left) > 0 {
		eventually(t, "the provider's own CRDs are gone", func(ctx context.Context) bool { return len(c.crdNames(ctx, "conflict")) == 0 })
	}
}

// A new version of the provider takes over the resources, and upgrades their state.
func TestProviderVersion(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "versions")
	ns := c.Namespace(t)
	d.release(t, "1.0.0", "2.0.0")
	p := d.provider()
	set(t, p, "test/versions", "spec", "source")
	set(t, p, "~> 1.0", "spec", "version")
	c.install(t, p)
	if got := text(p, "status", "installed", "version"); got != "1.0.0" {
		t.Fatalf("version %s", got)
	}
	r := d.thing(ns, "kept", m{"value": "a"})
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	id := r.GetAnnotations()[externalName]

	c.MustPatch(t, p, `{"spec":{"version":">= 1.0"}}`)
	c.WaitFor(t, p, "of version 2", func() bool { return text(p, "status", "installed", "version") == "2.0.0" && isTrue(p, "Healthy") })
	reads := d.Calls("read thing kept")
	eventually(t, "the new version reads it", func(context.Context) bool { return d.Calls("read thing kept") > reads })
	c.WaitReady(t, r)
	if d.Changes() != 1 || r.GetAnnotations()[externalName] != id {
		t.Errorf("%d changes of remote objects", d.Changes())
	}
	c.MustPatch(t, r, `{"spec":{"forProvider":{"label":"new in version 2"}}}`)
	c.has(t, d, "thing", "kept", "label", "new in version 2")
	c.WaitReady(t, r)

	// With a version that does not exist, the installed one stays.
	c.MustPatch(t, p, `{"spec":{"version":"~> 3.0"}}`)
	c.WaitFalse(t, p, "Installed", "BinaryNotFound", "2.0.0", "1.0.0")
	c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
	c.has(t, d, "thing", "kept", "value", "b")
	c.Remove(t, r)
	c.Remove(t, p)
}

// A provider that was changed in the mirror does not run while its checksum is pinned. The one that
// was checked goes on.
func TestPinnedProvider(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "pinned")
	ns := c.Namespace(t)
	d.release(t, "1.0.0")
	p := d.provider()
	set(t, p, "test/pinned", "spec", "source")
	c.install(t, p)
	pins, _, _ := unstructured.NestedStringSlice(p.Object, "status", "installed", "checksums")
	if len(pins) != 1 || !strings.HasPrefix(pins[0], "h1:") {
		t.Fatalf("checksums %q", pins)
	}
	c.MustPatch(t, p, `{"spec":{"checksums":["`+pins[0]+`"]}}`)
	r := d.thing(ns, "kept", m{"value": "a"})
	c.MustCreate(t, r)
	c.WaitReady(t, r)

	f, err := os.OpenFile(d.inMirror("1.0.0"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("changed")
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	c.MustPatch(t, p, `{"metadata":{"annotations":{"test":"now"}}}`)
	message := c.WaitFalse(t, p, "Installed", "ChecksumMismatch", "spec.checksums", "sha256:")
	c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
	c.has(t, d, "thing", "kept", "value", "b")
	c.WaitReady(t, r)

	now := regexp.MustCompile(`sha256:([0-9a-f]{64})`).FindStringSubmatch(message)
	c.MustPatch(t, p, `{"spec":{"checksums":["`+pins[0]+`","`+now[0]+`"]}}`)
	c.WaitFor(t, p, "the changed provider", func() bool { return text(p, "status", "installed", "sha256") == now[1] && isTrue(p, "Healthy") })
	c.Remove(t, r)
	c.Remove(t, p)
}

// inMirror returns the path of a version of the double in the mirror.
func (d *double) inMirror(version string) string {
	return filepath.Join(scratch, "mirror", "registry.terraform.io", "test", d.Name, version,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-"+d.Name+"_v"+version)
}

// release adds versions of the double to the mirror.
func (d *double) release(t *testing.T, versions ...string) {
	t.Helper()
	for _, v := range versions {
		path := d.inMirror(v)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		from, err := os.Open(doubletest.Binary(t))
		if err != nil {
			t.Fatal(err)
		}
		to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
		if err != nil {
			t.Fatal(err)
		}
		// Bytes after the program do not affect it, but change its checksum.
		_, err = io.Copy(to, io.MultiReader(from, strings.NewReader(v)))
		from.Close()
		if err == nil {
			err = to.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
