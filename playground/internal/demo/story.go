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

// stepLimit bounds each single wait. A quiet machine needs seconds; one with ten times as much to
// do as it can needs minutes.
const stepLimit = 4 * time.Minute

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
	s := &story{Options: o}
	steps := []func(context.Context) error{
		s.install, s.applyResources, s.secretStaysSecret, s.update, s.replace, s.drift, s.repair, s.deleteResources, s.removeProviders,
	}
	s.screen = &screen{out: o.Out, start: o.Start, steps: len(steps)}
	var err error
	if s.cluster, err = newCluster(o.Config, s.line); err != nil {
		return err
	}
	if s.providers, err = Manifests(filepath.Join(o.Examples, "providers.yaml"), o.Dir); err != nil {
		return err
	}
	if s.resources, err = Manifests(filepath.Join(o.Examples, "resources.yaml"), o.Dir); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return fmt.Errorf("step %d of %d does not hold: %w", s.step, s.steps, err)
		}
	}
	return nil
}

func (s *story) install(ctx context.Context) error {
	s.title("Install released Terraform providers")
	i := &Installation{cluster: s.cluster, line: s.line}
	for _, p := range s.providers {
		if _, err := i.Create(ctx, p); err != nil {
			return err
		}
	}
	if err := i.Wait(ctx, s.providers...); err != nil {
		return err
	}
	all, err := s.list(ctx, crds)
	if err != nil {
		return err
	}
	s.line("%d custom resource definitions are served", s.kinds(all))
	return nil
}

// kinds returns how many of the custom resource definitions are the providers'.
func (s *story) kinds(all []unstructured.Unstructured) int {
	kinds := 0
	for _, crd := range all {
		owner := crd.GetLabels()["landbridge.io/provider"]
		if slices.ContainsFunc(s.providers, func(p *unstructured.Unstructured) bool { return p.GetName() == owner }) {
			kinds++
		}
	}
	return kinds
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
		now, err := s.waitFor(ctx, stepLimit, r, "ready, with an external name or an identity", func(u *unstructured.Unstructured) bool {
			return settled(u) && (u.GetAnnotations()["crossplane.io/external-name"] != "" || text(u.Object, "status", "identity") != "")
		})
		if err != nil {
			return err
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
	return s.checkFile(ctx, text(file.Object, "spec", "forProvider", "content"))
}

// observed reports whether the status is of the object's last change.
func observed(u *unstructured.Unstructured) bool {
	return text(u.Object, "status", "observedGeneration") == fmt.Sprint(u.GetGeneration())
}

// settled reports whether the resource is as declared and no operation is pending.
func settled(u *unstructured.Unstructured) bool {
	return observed(u) && isTrue(u, "Ready", "Synced") &&
		text(u.Object, "status", "state") == "Full" &&
		text(u.Object, "status", "plan", "action") == "" &&
		text(u.Object, "status", "operation", "id") == ""
}

// planned returns a condition that is true when the resource's status shows a
// plan with this action.
func planned(action string) func(*unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool {
		return observed(u) && text(u.Object, "status", "plan", "action") == action
	}
}

// checkFile returns when the file has the content.
func (s *story) checkFile(ctx context.Context, content string) error {
	if err := s.waitFile(ctx, stepLimit, content); err != nil {
		return err
	}
	s.line("%s holds %q", s.file, strings.TrimSpace(content))
	return nil
}

// stillHas returns an error unless the file has the content now.
func (s *story) stillHas(content string) error {
	got, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	if string(got) != content {
		return fmt.Errorf("%s holds %q, want %q", s.file, got, content)
	}
	s.line("%s still holds %q", s.file, strings.TrimSpace(content))
	return nil
}

// waitFile returns when the file has the content: a provider that writes it makes it empty first.
func (s *story) waitFile(ctx context.Context, limit time.Duration, content string) error {
	err := s.wait(ctx, limit, fmt.Sprintf("%s holds %q", s.file, strings.TrimSpace(content)), func(context.Context) error {
		got, err := os.ReadFile(s.file)
		if err == nil && string(got) != content {
			err = fmt.Errorf("it holds %q", got)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s does not hold %q: %w", s.file, content, err)
	}
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
	now, err := s.exists(ctx, u)
	if err != nil {
		return err
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
	before, err := s.exists(ctx, offset)
	if err != nil {
		return err
	}
	s.line("spec.forProvider.offsetDays: %s -> 30, with managementPolicies that do not allow updates",
		text(offset.Object, "spec", "forProvider", "offsetDays"))
	if err := s.patch(ctx, offset,
		`{"spec":{"managementPolicies":["Observe","Create","Delete"],"forProvider":{"offsetDays":30}}}`); err != nil {
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
	if err := s.stillHas(old); err != nil {
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
	return s.checkFile(ctx, content)
}

func (s *story) drift(ctx context.Context) error {
	s.title("Drift: the file is edited by hand")
	file, err := find(s.resources, "File", "greeting")
	if err != nil {
		return err
	}
	if err := s.patch(ctx, file, `{"spec":{"managementPolicies":["Observe","Delete"]}}`); err != nil {
		return err
	}
	// A reconcile that has not seen this would repair the file.
	if _, err := s.waitFor(ctx, stepLimit, file, "only observed", settled); err != nil {
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
	if err := s.stillHas(vandalism); err != nil {
		return fmt.Errorf("it was changed although only observing was allowed: %w", err)
	}
	s.line("now allow the repair: managementPolicies: [\"*\"]")
	if err := s.patch(ctx, file, `{"spec":{"managementPolicies":["*"]}}`); err != nil {
		return err
	}
	if _, err := s.waitFor(ctx, stepLimit, file, "repaired", settled); err != nil {
		return err
	}
	return s.checkFile(ctx, string(wanted))
}

func (s *story) repair(ctx context.Context) error {
	s.title("Drift again: the file is removed by hand, and Landbridge repairs it")
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
	if err := s.waitFile(ctx, stepLimit, string(wanted)); err != nil {
		return about(file, err)
	}
	if _, err := s.waitFor(ctx, stepLimit, file, "ready again", settled); err != nil {
		return err
	}
	s.line("found and repaired after %.1f s", time.Since(removed).Seconds())
	return s.stillHas(string(wanted))
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
	if err := s.waitNoRecords(ctx); err != nil {
		return err
	}
	s.line("no record of them is stored any more")
	return nil
}

// waitNoRecords returns when no records of resources are stored. One is removed after its resource
// is gone.
func (s *story) waitNoRecords(ctx context.Context) error {
	var stored *unstructured.Unstructured
	err := s.wait(ctx, stepLimit, "no record of a resource is stored", func(ctx context.Context) error {
		left, err := s.tryList(ctx, secrets)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(left, func(u unstructured.Unstructured) bool { return text(u.Object, "type") == "landbridge.io/instance" })
		if i < 0 {
			return nil
		}
		stored = &left[i]
		return errNotYet
	})
	if err != nil && stored != nil {
		return about(
			stored, fmt.Errorf("the resources are gone, but the record in the Secret %s/%s is still stored: %w",
				stored.GetNamespace(), stored.GetName(), err),
		)
	}
	return err
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
	err := s.wait(ctx, stepLimit, "the providers' kinds are gone", func(ctx context.Context) error {
		all, err := s.tryList(ctx, crds)
		if kinds := s.kinds(all); kinds > 0 {
			err = fmt.Errorf("%d custom resource definitions are still there", kinds)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("the providers are gone, but their kinds are not: %w", err)
	}
	s.line("the providers and their kinds are gone")
	return nil
}
