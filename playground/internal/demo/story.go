package demo

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// stepLimit bounds each single wait. It is more than an idle machine needs.
const stepLimit = time.Minute

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// Options configures Run.
type Options struct {
	Config   *rest.Config
	Examples string        // directory with providers.yaml and resources.yaml
	Dir      string        // where the files are made that resources are
	Poll     time.Duration // how often the controller looks for drift, to say it
	Out      io.Writer
	Start    time.Time // when the demo began, for the time of each line
}

type story struct {
	*screen
	*cluster
	Options
	providers []*unstructured.Unstructured
	resources []*unstructured.Unstructured
	file      string // that the File resource is
}

// Run runs the demo. It ends at the first step that fails.
func Run(ctx context.Context, o Options) error {
	c, err := newCluster(o.Config)
	if err != nil {
		return err
	}
	s := &story{cluster: c, Options: o}
	steps := []func(context.Context) error{
		s.install, s.applyResources, s.secretStaysSecret, s.update, s.replace, s.drift, s.repair, s.deleteResources, s.removeProviders,
	}
	s.screen = &screen{out: o.Out, start: o.Start, steps: len(steps)}
	if s.providers, err = Manifests(filepath.Join(o.Examples, "providers.yaml"), o.Dir); err != nil {
		return err
	}
	if s.resources, err = Manifests(filepath.Join(o.Examples, "resources.yaml"), o.Dir); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *story) install(ctx context.Context) error {
	s.title("Install released Terraform providers")
	if err := InstallProviders(ctx, s.Config, s.providers, s.line); err != nil {
		return err
	}
	kinds, err := s.kinds(ctx)
	if err != nil {
		return err
	}
	if kinds == 0 {
		return errors.New("no provider installed a custom resource definition")
	}
	s.line("%d custom resource definitions are served", kinds)
	return nil
}

// kinds returns the number of custom resource definitions of the providers.
func (s *story) kinds(ctx context.Context) (int, error) {
	all, err := s.list(ctx, crds)
	kinds := 0
	for _, crd := range all {
		owner := crd.GetLabels()["landbridge.io/provider"]
		if slices.ContainsFunc(s.providers, func(p *unstructured.Unstructured) bool { return p.GetName() == owner }) {
			kinds++
		}
	}
	return kinds, err
}

// InstallProviders applies TerraformProvider objects and returns when their
// kinds are served.
func InstallProviders(ctx context.Context, config *rest.Config, providers []*unstructured.Unstructured, line func(string, ...any)) error {
	c, err := newCluster(config)
	if err != nil {
		return err
	}
	for _, p := range providers {
		// The controller, just started, serves the kind in a moment.
		err := wait(ctx, stepLimit, func(context.Context) (bool, error) {
			_, err := c.resource(p)
			return err == nil, nil
		})
		if err != nil {
			return fmt.Errorf("waiting for the kind %s: %w", p.GetKind(), err)
		}
		if err := c.apply(ctx, p); err != nil {
			return err
		}
		line("applied TerraformProvider %s (%s)", p.GetName(), text(p.Object, "spec", "source"))
	}
	for _, p := range providers {
		now, err := c.waitFor(ctx, stepLimit, p, "installed and healthy", func(u *unstructured.Unstructured) bool {
			return isTrue(u, "Installed", "Healthy")
		})
		if err != nil {
			return err
		}
		line("%s %s speaks protocol %s; %s of its %s resource types are kinds now", p.GetName(),
			text(now.Object, "status", "installed", "version"), text(now.Object, "status", "protocol"),
			text(now.Object, "status", "activated"), text(now.Object, "status", "resources"))
	}
	return nil
}

func (s *story) applyResources(ctx context.Context) error {
	s.title("Apply resources and wait until they are ready")
	for _, r := range s.resources {
		if err := s.apply(ctx, r); err != nil {
			return err
		}
	}
	s.line("applied %d resources", len(s.resources))
	var ready []*unstructured.Unstructured
	for _, r := range s.resources {
		now, err := s.waitFor(ctx, stepLimit, r, "ready", settled)
		if err != nil {
			return err
		}
		if now.GetAnnotations()["crossplane.io/external-name"] == "" && text(now.Object, "status", "identity") == "" {
			return fmt.Errorf("%s is ready, but has neither an external name nor an identity", nameOf(r))
		}
		s.line("%s is ready", nameOf(r))
		ready = append(ready, now)
	}
	s.table(ready)

	file, err := find(s.resources, "File", "greeting")
	if err != nil {
		return err
	}
	s.file = text(file.Object, "spec", "forProvider", "filename")
	return s.checkFile(text(file.Object, "spec", "forProvider", "content"))
}

// settled reports whether the resource is as declared and no operation is pending.
func settled(u *unstructured.Unstructured) bool {
	return isTrue(u, "Ready", "Synced") &&
		text(u.Object, "status", "state") == "Full" &&
		text(u.Object, "status", "plan", "action") == "" &&
		text(u.Object, "status", "operation", "id") == ""
}

// planned returns a condition that is true when the resource's status shows a
// plan with this action.
func planned(action string) func(*unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool { return text(u.Object, "status", "plan", "action") == action }
}

func (s *story) checkFile(content string) error {
	got, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	if string(got) != content {
		return fmt.Errorf("%s holds %q, want %q", s.file, got, content)
	}
	s.line("%s holds %q", s.file, strings.TrimSpace(content))
	return nil
}

func (s *story) secretStaysSecret(ctx context.Context) error {
	s.title("Sensitive values are only in a Secret")
	password, err := find(s.resources, "Password", "database")
	if err != nil {
		return err
	}
	secret := &unstructured.Unstructured{}
	secret.SetAPIVersion("v1")
	secret.SetKind("Secret")
	secret.SetNamespace(password.GetNamespace())
	secret.SetName(text(password.Object, "spec", "writeConnectionSecretToRef", "name"))
	const key = "attribute.result"
	now, err := s.waitFor(ctx, stepLimit, secret, "written", func(u *unstructured.Unstructured) bool {
		return text(u.Object, "data", key) != ""
	})
	if err != nil {
		return err
	}
	value, err := base64.StdEncoding.DecodeString(text(now.Object, "data", key))
	if err != nil {
		return err
	}
	if want := text(password.Object, "spec", "forProvider", "length"); fmt.Sprint(len(value)) != want {
		return fmt.Errorf("the password has %d characters, want %s", len(value), want)
	}
	s.line("Secret %s has the password, %d characters, under %s", secret.GetName(), len(value), key)

	for _, object := range append([]*unstructured.Unstructured{password}, s.providers...) {
		if err := s.checkAbsent(ctx, object, string(value)); err != nil {
			return err
		}
	}
	events, err := s.list(ctx, schema.GroupVersionResource{Version: "v1", Resource: "events"})
	if err != nil {
		return err
	}
	for _, e := range events {
		if b, err := e.MarshalJSON(); err != nil || strings.Contains(string(b), string(value)) {
			return errors.Join(err, fmt.Errorf("an event of %s shows the password", text(e.Object, "involvedObject", "name")))
		}
	}
	s.line("it is not in the resource's status, and in none of %d events", len(events))
	return nil
}

func (s *story) checkAbsent(ctx context.Context, u *unstructured.Unstructured, value string) error {
	now, err := s.get(ctx, u)
	if err != nil || now == nil {
		return errors.Join(err, fmt.Errorf("reading %s", nameOf(u)))
	}
	b, err := now.MarshalJSON()
	if err != nil {
		return err
	}
	if strings.Contains(string(b), value) {
		return fmt.Errorf("%s shows the password", nameOf(u))
	}
	return nil
}

func (s *story) update(ctx context.Context) error {
	s.title("Change a resource: review the plan first, then allow it")
	offset, err := find(s.resources, "Offset", "certificate-expiry")
	if err != nil {
		return err
	}
	before, err := s.get(ctx, offset)
	if err != nil {
		return err
	}
	s.line("spec.forProvider.offsetDays: %s -> 30, with managementPolicies that do not allow updates", text(offset.Object, "spec", "forProvider", "offsetDays"))
	if err := s.patch(ctx, offset, `{"spec":{"managementPolicies":["Observe","Create","Delete"],"forProvider":{"offsetDays":30}}}`); err != nil {
		return err
	}
	now, err := s.waitFor(ctx, stepLimit, offset, "planned to be updated", planned("Update"))
	if err != nil {
		return err
	}
	s.plan(now)
	if now, was := text(now.Object, "status", "atProvider", "rfc3339"), text(before.Object, "status", "atProvider", "rfc3339"); now != was {
		return fmt.Errorf("it was changed from %s to %s although updates were not allowed", was, now)
	}
	s.line("now allow it: managementPolicies: [\"*\"]")
	if err := s.patch(ctx, offset, `{"spec":{"managementPolicies":["*"]}}`); err != nil {
		return err
	}
	now, err = s.waitFor(ctx, stepLimit, offset, "updated", func(u *unstructured.Unstructured) bool {
		return settled(u) && text(u.Object, "status", "atProvider", "offsetDays") == "30"
	})
	if err != nil {
		return err
	}
	const want = "2030-01-31T00:00:00Z"
	if got := text(now.Object, "status", "atProvider", "rfc3339"); got != want {
		return fmt.Errorf("status.atProvider.rfc3339 is %s, want %s", got, want)
	}
	s.line("updated in place: status.atProvider.rfc3339 was %s, is %s", text(before.Object, "status", "atProvider", "rfc3339"), want)
	return nil
}

func (s *story) replace(ctx context.Context) error {
	s.title("A change that needs a replacement waits for consent")
	file, err := find(s.resources, "File", "greeting")
	if err != nil {
		return err
	}
	old := text(file.Object, "spec", "forProvider", "content")
	const content = "Hello again, and in other words.\n"
	if err := s.patch(ctx, file, fmt.Sprintf(`{"spec":{"forProvider":{"content":%q}}}`, content)); err != nil {
		return err
	}
	now, err := s.waitFor(ctx, stepLimit, file, "planned to be replaced", planned("DeleteThenCreate"))
	if err != nil {
		return err
	}
	s.plan(now)
	if err := s.checkFile(old); err != nil {
		return fmt.Errorf("it was replaced without consent: %w", err)
	}
	s.line("now allow it: lifecycle.replacePolicy: Automatic")
	if err := s.patch(ctx, file, `{"spec":{"lifecycle":{"replacePolicy":"Automatic"}}}`); err != nil {
		return err
	}
	id := now.GetAnnotations()["crossplane.io/external-name"]
	now, err = s.waitFor(ctx, stepLimit, file, "replaced", func(u *unstructured.Unstructured) bool {
		return settled(u) && u.GetAnnotations()["crossplane.io/external-name"] != id
	})
	if err != nil {
		return err
	}
	s.line("replaced: external name %s is %s now", shorten(id, 12), shorten(now.GetAnnotations()["crossplane.io/external-name"], 12))
	return s.checkFile(content)
}

func (s *story) drift(ctx context.Context) error {
	s.title("Drift: somebody edits the file")
	file, err := find(s.resources, "File", "greeting")
	if err != nil {
		return err
	}
	if err := s.patch(ctx, file, `{"spec":{"managementPolicies":["Observe","Delete"]}}`); err != nil {
		return err
	}
	s.line("first only observe: managementPolicies: [Observe, Delete]")
	const vandalism = "Not what was declared.\n"
	wanted, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file, []byte(vandalism), 0o644); err != nil {
		return err
	}
	s.line("wrote %q into %s", strings.TrimSpace(vandalism), s.file)
	now, err := s.waitFor(ctx, stepLimit, file, "found to have drifted", planned("Create"))
	if err != nil {
		return err
	}
	s.line("found: the created object no longer exists")
	s.plan(now)
	if err := s.checkFile(vandalism); err != nil {
		return fmt.Errorf("it was changed although only observing was allowed: %w", err)
	}
	s.line("now allow the repair: managementPolicies: [\"*\"]")
	if err := s.patch(ctx, file, `{"spec":{"managementPolicies":["*"]}}`); err != nil {
		return err
	}
	if _, err := s.waitFor(ctx, stepLimit, file, "repaired", settled); err != nil {
		return err
	}
	return s.checkFile(string(wanted))
}

func (s *story) repair(ctx context.Context) error {
	s.title("Drift again: somebody removes the file, and Landbridge repairs it")
	file, err := find(s.resources, "File", "greeting")
	if err != nil {
		return err
	}
	wanted, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	if err := os.Remove(s.file); err != nil {
		return err
	}
	s.line("removed %s; the controller checks every %s", s.file, s.Poll)
	removed := time.Now()
	err = wait(ctx, stepLimit, func(context.Context) (bool, error) {
		_, err := os.Stat(s.file)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the file: %w", err)
	}
	if _, err := s.waitFor(ctx, stepLimit, file, "ready again", settled); err != nil {
		return err
	}
	s.line("found and repaired after %.1f s", time.Since(removed).Seconds())
	return s.checkFile(string(wanted))
}

func (s *story) deleteResources(ctx context.Context) error {
	s.title("Delete everything")
	for _, r := range s.resources {
		if err := s.delete(ctx, r); err != nil {
			return err
		}
	}
	for _, r := range s.resources {
		if err := s.waitGone(ctx, stepLimit, r); err != nil {
			return err
		}
	}
	s.line("the %d resources are gone from the cluster", len(s.resources))
	if _, err := os.Stat(s.file); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is still there (%w)", s.file, err)
	}
	s.line("%s is gone from the disk", s.file)
	left, err := s.list(ctx, secrets)
	if err != nil {
		return err
	}
	for _, secret := range left {
		if text(secret.Object, "type") == "landbridge.io/instance" {
			return fmt.Errorf("the Secret %s still has the state of a remote object", secret.GetName())
		}
	}
	s.line("no state of them is stored any more")
	return nil
}

func (s *story) removeProviders(ctx context.Context) error {
	s.title("Remove the providers")
	for _, p := range s.providers {
		if err := s.delete(ctx, p); err != nil {
			return err
		}
	}
	for _, p := range s.providers {
		if err := s.waitGone(ctx, stepLimit, p); err != nil {
			return err
		}
	}
	err := wait(ctx, stepLimit, func(ctx context.Context) (bool, error) {
		kinds, err := s.kinds(ctx)
		return err == nil && kinds == 0, err
	})
	if err != nil {
		return fmt.Errorf("waiting until the providers' custom resource definitions are gone: %w", err)
	}
	s.line("the providers and their kinds are gone")
	return nil
}
