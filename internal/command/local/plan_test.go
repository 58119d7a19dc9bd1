package local_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// record launches a provider and notes which calls about resources it gets.
type record struct {
	provider.Launcher
	mu    sync.Mutex
	calls []string
}

func (r *record) Launch(ctx context.Context) (provider.Server, error) {
	s, err := r.Launcher.Launch(ctx)
	return &recorded{Server: s, to: r}, err
}

func (r *record) note(call string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
}

// take is the calls since the last time.
func (r *record) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.calls
	r.calls = nil
	return out
}

type recorded struct {
	provider.Server
	to *record
}

// unreadable launches a provider that cannot read.
type unreadable struct{ provider.Launcher }

func (u unreadable) Launch(ctx context.Context) (provider.Server, error) {
	s, err := u.Launcher.Launch(ctx)
	return unreadableServer{s}, err
}

type unreadableServer struct{ provider.Server }

func (unreadableServer) ReadResource(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{Diagnostics: []*tfprotov6.Diagnostic{{
		Severity: tfprotov6.DiagnosticSeverityError, Summary: "Forbidden", Detail: "It cannot be read.",
	}}}, nil
}

func (r *recorded) ValidateResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	r.to.note("validate " + q.TypeName)
	return r.Server.ValidateResourceConfig(ctx, q)
}

func (r *recorded) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	r.to.note("read " + q.TypeName)
	return r.Server.ReadResource(ctx, q)
}

func (r *recorded) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	r.to.note("plan " + q.TypeName)
	return r.Server.PlanResourceChange(ctx, q)
}

func (r *recorded) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	what := "apply "
	if bytes.Equal(q.PlannedState.MsgPack, []byte{0xc0}) {
		what = "delete "
	}
	r.to.note(what + q.TypeName)
	return r.Server.ApplyResourceChange(ctx, q)
}

// All that a manifest wants is validated, once, before anything is read: what is wrong with it is
// then said at once.
func TestPlanValidatesFirst(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	calls := &record{Launcher: &plugin.Launcher{Path: providertest.Binary(t, "random")}}
	path := filepath.Join(t.TempDir(), "s.tfstate")
	const good = "apiVersion: random.landbridge.io/v1alpha1\nkind: String\nmetadata: {name: good}\nspec: {forProvider: {length: 8}}\n---\n"
	session := func(manifest string) *local.Session {
		m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(manifest)}})
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		s := local.New(p, source, calls, m, open(t, p, path))
		t.Cleanup(func() { _ = s.Close(context.Background()) })
		return s
	}

	s := session(good)
	plan, messages := s.Plan(t.Context(), local.Normal)
	if messages.HasErrors() {
		t.Fatal(messages)
	}
	if diff := cmp.Diff([]string{"validate random_string", "plan random_string"}, calls.take()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if _, messages := s.Apply(t.Context(), plan, local.Hooks{}); messages.HasErrors() {
		t.Fatal(messages)
	}
	calls.take()

	s = session(good + "apiVersion: random.landbridge.io/v1alpha1\nkind: Pet\nmetadata: {name: a}\nspec: {forProvider: {}}\n---\n" +
		"apiVersion: random.landbridge.io/v1alpha1\nkind: Password\nmetadata: {name: b}\nspec: {forProvider: {length: 0}}\n---\n" +
		"apiVersion: random.landbridge.io/v1alpha1\nkind: String\nmetadata: {name: c}\nspec: {forProvider: {length: 0}}\n")
	_, messages = s.Plan(t.Context(), local.Normal)
	var got []string
	for _, m := range messages {
		got = append(got, m.Address)
	}
	if !messages.HasErrors() || !slices.Contains(got, "random_password.b") || !slices.Contains(got, "random_string.c") {
		t.Errorf("got %s", messages)
	}
	want := []string{"validate random_password", "validate random_pet", "validate random_string", "validate random_string"}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(calls.take()))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	// What is to be destroyed needs no valid configuration.
	if _, messages = s.Plan(t.Context(), local.Destroy); messages.HasErrors() {
		t.Error(messages)
	}
	if diff := cmp.Diff([]string{"read random_string"}, calls.take()[:1]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// As in Terraform, what is stored has the flag from the configuration as soon as the object is
// read, whatever becomes of the change.
func TestFlagIsStoredWithWhatWasRead(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.tfstate")
	stored := func(lifecycle string, mode local.Mode) bool {
		t.Helper()
		m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(
			"apiVersion: random.landbridge.io/v1alpha1\nkind: String\nmetadata: {name: a}\nspec: {forProvider: " +
				"{length: 8}, lifecycle: " + lifecycle + "}\n")}})
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		s := local.New(p, source, &plugin.Launcher{Path: providertest.Binary(t, "random")}, m, open(t, p, path))
		defer s.Close(context.Background()) //nolint:errcheck // nothing comes of it
		plan, messages := s.Plan(t.Context(), mode)
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		if _, messages := s.Apply(t.Context(), plan, local.Hooks{}); messages.HasErrors() {
			t.Fatal(messages)
		}
		in, err := open(t, p, path).Instance(m.Resources[0])
		if err != nil {
			t.Fatal(err)
		}
		return in.CreateBeforeDestroy
	}
	if stored("{}", local.Normal) {
		t.Error("the flag is stored, though not set")
	}
	if !stored("{createBeforeDestroy: true}", local.RefreshOnly) {
		t.Error("the flag is not stored")
	}
}

// What cannot be read any more is destroyed on request, by a flag or by the annotation.
func TestDestroyWithoutRefresh(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	launcher := &plugin.Launcher{Path: providertest.Binary(t, "random")}
	for name, test := range map[string]struct {
		flag        bool
		annotations string
		err         string
	}{
		"not asked for": {err: "destroy it as it is in the state, with --refresh=false"},
		"flag":          {flag: true},
		"annotation":    {annotations: "landbridge.io/delete-without-refresh: 'true'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.tfstate")
			apply := func(l provider.Launcher, mode local.Mode) (local.Messages, bool) {
				t.Helper()
				m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(
					"apiVersion: random.landbridge.io/v1alpha1\nkind: String\nmetadata: {name: a, annotations: {" +
						test.annotations + "}}\nspec: {forProvider: {length: 8}}\n")}})
				if messages.HasErrors() {
					t.Fatal(messages)
				}
				state := open(t, p, path)
				s := local.New(p, source, l, m, state)
				defer s.Close(context.Background()) //nolint:errcheck // nothing comes of it
				s.WithoutRefresh = test.flag
				plan, messages := s.Plan(t.Context(), mode)
				if !messages.HasErrors() {
					_, messages = s.Apply(t.Context(), plan, local.Hooks{})
				}
				in, err := state.Instance(m.Resources[0])
				if err != nil {
					t.Fatal(err)
				}
				return messages, in.Exists()
			}
			if messages, exists := apply(launcher, local.Normal); messages.HasErrors() || !exists {
				t.Fatal(messages)
			}
			if messages, exists := apply(unreadable{launcher}, local.Normal); !messages.HasErrors() || !exists {
				t.Errorf("the object is not read before a change: %s", messages)
			}
			messages, exists := apply(unreadable{launcher}, local.Destroy)
			if exists != (test.err != "") || messages.HasErrors() != (test.err != "") {
				t.Errorf("the object exists: %t; %s", exists, messages)
			}
			text := ""
			for _, m := range messages {
				text += m.Detail
			}
			if !strings.Contains(text, test.err) {
				t.Errorf("%q is not in: %s", test.err, text)
			}
		})
	}
}

// An object that a replacement has left behind may be the one that is in use: it is destroyed when
// the new one is there, and not before.
func TestDeposedObjectsGoLast(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	const address = "registry.terraform.io/hashicorp/random"
	calls := &record{Launcher: &plugin.Launcher{Path: providertest.Binary(t, "random")}}
	path := filepath.Join(t.TempDir(), "s.tfstate")
	if err := os.WriteFile(path, []byte(`{"version": 4, "resources": [{"mode": "managed", "type": "random_integer", "name": "a",
		"provider": "provider[\"`+address+`\"]", "instances": [{"deposed": "0a1b2c3d", "schema_version": 0,
		"attributes": {"id": "7", "keepers": null, "max": 9, "min": 1, "result": 7, "seed": null}}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	apply := func(forProvider string, mode local.Mode) (local.Messages, []local.Status, int) {
		t.Helper()
		m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(
			"apiVersion: random.landbridge.io/v1alpha1\nkind: Integer\nmetadata: {name: a}\nspec: {forProvider: " + forProvider + "}\n")}})
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		state, err := local.OpenState(path, address, p.Schema)
		if err != nil {
			t.Fatal(err)
		}
		s := local.New(p, address, calls, m, state)
		defer s.Close(context.Background()) //nolint:errcheck // nothing comes of it
		plan, messages := s.Plan(t.Context(), mode)
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		calls.take()
		results, messages := s.Apply(t.Context(), plan, local.Hooks{})
		var statuses []local.Status
		for _, r := range results {
			statuses = append(statuses, r.Status)
		}
		in, err := state.Instance(m.Resources[0])
		if err != nil {
			t.Fatal(err)
		}
		return messages, statuses, len(in.Deposed)
	}

	messages, statuses, deposed := apply("{min: 2, max: 1}", local.Normal)
	if diff := cmp.Diff([]local.Status{local.Failed, local.Skipped}, statuses); diff != "" || !messages.HasErrors() || deposed != 1 {
		t.Errorf("%d deposed, %s\n-want, +got:\n%s", deposed, messages, diff)
	}
	if diff := cmp.Diff([]string{"apply random_integer"}, calls.take()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	messages, statuses, deposed = apply("{min: 1, max: 2}", local.Normal)
	if diff := cmp.Diff([]local.Status{local.Applied, local.Applied}, statuses); diff != "" || len(messages) > 0 || deposed != 0 {
		t.Errorf("%d deposed, %s\n-want, +got:\n%s", deposed, messages, diff)
	}
	if diff := cmp.Diff([]string{"plan random_integer", "delete random_integer"}, calls.take()[1:]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// What nothing is stored of is imported as spec.import or the annotations say.
func TestPlanImports(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	launcher := &plugin.Launcher{Path: providertest.Binary(t, "random")}
	resource := func(kind, annotations, spec, status string) string {
		return "apiVersion: random.landbridge.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: a, annotations: {" + annotations + "}}\n" +
			"spec: {forProvider: {length: 8}, " + spec + "}\nstatus: {" + status + "}\n"
	}
	for name, tc := range map[string]struct {
		manifest string
		imports  string // the id; empty: nothing
		message  string // empty: none
	}{
		"nothing":       {manifest: resource("String", "", "", "")},
		"by spec":       {manifest: resource("String", "", "import: {id: abcdefgh}", ""), imports: "abcdefgh"},
		"by annotation": {manifest: resource("String", "crossplane.io/external-name: abcdefgh", "", ""), imports: "abcdefgh"},
		"by both": {
			manifest: resource("String", "crossplane.io/external-name: other", "import: {id: abcdefgh}", ""),
			imports:  "abcdefgh",
		},
		"observed under its name": {
			manifest: resource("String", "crossplane.io/external-name: abcdefgh", "", "atProvider: {id: abcdefgh}"),
			imports:  "abcdefgh",
		},
		"observed under another name": {
			manifest: resource("Password", "crossplane.io/external-name: abcdefgh", "", "atProvider: {id: abcdefgh}"),
			message:  "the object that its annotations name has another name",
		},
		"never observed, another name": {manifest: resource("Password", "crossplane.io/external-name: abcdefgh", "", ""), imports: "abcdefgh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.tfstate")
			session := func(manifest string) *local.Session {
				m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(manifest)}})
				if messages.HasErrors() {
					t.Fatal(messages)
				}
				s := local.New(p, source, launcher, m, open(t, p, path))
				t.Cleanup(func() { _ = s.Close(context.Background()) })
				return s
			}
			plan, messages := session(tc.manifest).Plan(t.Context(), local.Normal)
			if got := messages.String(); messages.HasErrors() != (tc.message != "") || !strings.Contains(got, tc.message) {
				t.Fatalf("got messages %q, want %q", got, tc.message)
			}
			if tc.message != "" {
				return
			}
			imports := ""
			if target := plan.Changes[0].Importing; target != nil {
				imports = target.ID
			}
			if imports != tc.imports {
				t.Errorf("got an import of %q, want %q", imports, tc.imports)
			}
		})
	}
}
