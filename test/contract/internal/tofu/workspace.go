package tofu

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-plugin"

	"github.com/landbridge-io/landbridge/internal/terraform/cli/tfjson"
)

// Host is tofu's default registry host.
const Host = "registry.opentofu.org"

// version is the version of the program.
const version = "1.12.6"

const configFile, planFile = "main.tf.json", "tfplan"

// Namespace is the namespace of the providers served here.
const Namespace = "landbridge"

// Program runs tofu. It is not safe for concurrent use.
type Program struct {
	path, dir string
	env       []string
	providers []string
	// saves is set when plans are saved and shown before they are applied.
	saves bool
	// ephemerals are the ephemeral resources to configure, by type.
	ephemerals map[string]any
	// Meta is the provider_meta to configure, by provider.
	Meta map[string]any
}

// Resource is one resource of a configuration, at Type.x.
type Resource struct {
	// Body is the resource's body in JSON syntax; nil if it is not configured.
	Body json.RawMessage
	// Locals are the local values that the body refers to.
	Locals map[string]any
	// Import is the body of its import block without the address; nil if there is none.
	Import map[string]any
	// MovedFrom is the type of the object in State, if it differs.
	MovedFrom string
	// State is the resource in the state file, as tofu wrote it; nil if it is not in the file.
	State json.RawMessage
}

// Result is the result of a run.
type Result struct {
	// State is the resources in the state file afterwards, by type.
	State map[string]json.RawMessage
	// Diagnostics are by type; those without a resource are under the empty type.
	Diagnostics map[string][]Diagnostic
	// Planned and Drift are the planned changes and the detected drift, by type.
	Planned, Drift map[string][]Change
	// Shown is the saved plan for the resources' current objects, as JSON, by type; empty if none
	// is saved.
	Shown map[string]json.RawMessage
	// Applied is set when the run began to apply.
	Applied bool
	// Crashed is set when tofu crashed.
	Crashed bool
	// Output is tofu's output without progress messages.
	Output string
	// Configuration is the configuration that tofu read.
	Configuration Configuration
}

// Change is a planned change, in the words of tofu's log: create, update, replace, delete, import,
// move, noop.
type Change struct{ Action, Reason string }

// New returns a program that runs in a directory, with running providers.
func New(path, dir string, providers map[string]*plugin.ReattachConfig) (*Program, error) {
	type address struct{ Network, String string }
	type reattach struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
		Addr            address
	}
	all := map[string]reattach{}
	for name, c := range providers {
		all[Host+"/"+Namespace+"/"+name] = reattach{
			Protocol: string(c.Protocol), ProtocolVersion: c.ProtocolVersion, Pid: c.Pid, Test: true,
			Addr: address{c.Addr.Network(), c.Addr.String()},
		}
	}
	attached, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return newProgram(path, dir, slices.Sorted(maps.Keys(providers)), "", "TF_REATTACH_PROVIDERS="+string(attached))
}

// NewWithBinaries returns a program that runs in a directory and starts the providers in the given
// directories itself. Plans are saved and shown before they are applied.
func NewWithBinaries(path, dir string, binaries map[string]string, env ...string) (*Program, error) {
	var overrides strings.Builder
	for name, dir := range binaries {
		fmt.Fprintf(&overrides, "%q = %q\n", Host+"/"+Namespace+"/"+name, dir)
	}
	p, err := newProgram(path, dir, slices.Sorted(maps.Keys(binaries)), "provider_installation {\ndev_overrides {\n"+
		overrides.String()+"}\ndirect {}\n}\n", env...)
	if err == nil {
		p.saves = true
	}
	return p, err
}

func newProgram(path, dir string, providers []string, config string, env ...string) (*Program, error) {
	p := &Program{path: path, dir: dir, providers: providers}
	file := filepath.Join(dir, "tofurc")
	p.env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+dir, "TMPDIR="+os.TempDir(), "TF_CLI_CONFIG_FILE="+file,
		"CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "GOGC=400")
	return p, os.WriteFile(file, []byte(config), 0o600)
}

// Apply plans and applies.
func (p *Program) Apply(ctx context.Context, resources map[string]Resource) (Result, error) {
	configuration, err := p.write(resources, true)
	if err != nil {
		return Result{}, err
	}
	out := Result{
		Diagnostics: map[string][]Diagnostic{}, Planned: map[string][]Change{}, Drift: map[string][]Change{},
		Shown: map[string]json.RawMessage{}, Configuration: configuration,
	}
	common := []string{"-json", "-input=false", "-lock=false", "-parallelism=8", "-consolidate-warnings=false"}
	ok := true
	if p.saves {
		if ok, err = out.add(p.run(ctx, append([]string{"plan", "-out=" + planFile}, common...)...)); err != nil {
			return out, err
		}
		if ok {
			if err := p.show(ctx, &out); err != nil {
				return out, err
			}
			planned, drift := maps.Clone(out.Planned), maps.Clone(out.Drift)
			_, err = out.add(p.run(ctx, append(append([]string{"apply", "-backup=-"}, common...), planFile)...))
			out.Planned, out.Drift = planned, drift // apply reports them again
		}
	} else {
		_, err = out.add(p.run(ctx, append([]string{"apply", "-auto-approve", "-backup=-"}, common...)...))
	}
	if err != nil || out.Crashed {
		return out, err
	}
	out.State, err = p.state()
	return out, err
}

// PlanEphemerals plans a configuration of ephemeral resources alone: it validates, opens and closes
// each. bodies are by type, in JSON syntax.
func (p *Program) PlanEphemerals(ctx context.Context, bodies map[string]json.RawMessage) (Result, error) {
	out := Result{Diagnostics: map[string][]Diagnostic{}, Planned: map[string][]Change{}, Drift: map[string][]Change{}}
	p.ephemerals = map[string]any{}
	for name, body := range bodies {
		p.ephemerals[name] = map[string]any{"x": body}
	}
	defer func() { p.ephemerals = nil }()
	if _, err := p.write(nil, false); err != nil {
		return out, err
	}
	_, err := out.add(p.run(ctx, "plan", "-json", "-input=false", "-lock=false", "-parallelism=8", "-consolidate-warnings=false"))
	return out, err
}

// add adds the output of a run of tofu. It reports whether the run succeeded.
func (r *Result) add(stdout []byte, stderr string, code int, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(stdout) + stderr) {
		if !strings.HasPrefix(line, `{"@level":"info"`) {
			r.Output += line
		}
	}
	if code > 1 {
		r.Crashed = true
		return false, nil
	}
	return code == 0, r.parse(stdout)
}

// show reads the saved plan.
func (p *Program) show(ctx context.Context, r *Result) error {
	stdout, stderr, code, err := p.run(ctx, "show", "-json", planFile)
	if err != nil || code != 0 {
		return errors.Join(err, fmt.Errorf("tofu show: code %d: %s", code, stderr))
	}
	var plan struct {
		ResourceChanges []json.RawMessage `json:"resource_changes"`
	}
	if err := json.Unmarshal(stdout, &plan); err != nil {
		return err
	}
	for _, raw := range plan.ResourceChanges {
		var head struct{ Type, Deposed string }
		if err := json.Unmarshal(raw, &head); err != nil {
			return err
		}
		if head.Deposed == "" {
			r.Shown[head.Type] = raw
		}
	}
	return nil
}

// Run runs tofu in the workspace with only the providers configured, and returns its output.
func (p *Program) Run(ctx context.Context, args ...string) ([]byte, error) {
	if _, err := p.write(nil, false); err != nil {
		return nil, err
	}
	stdout, stderr, code, err := p.run(ctx, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("tofu %s: code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout, err
}

// run runs tofu. A non-zero exit code is not an error.
func (p *Program) run(ctx context.Context, args ...string) (stdout []byte, stderr string, code int, err error) {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
		if code < 0 {
			err = fmt.Errorf("tofu: %w\n%s", exit, errOut.Bytes())
		}
	}
	return out.Bytes(), errOut.String(), code, err
}

// write writes the configuration, and with withState also the state.
func (p *Program) write(resources map[string]Resource, withState bool) (Configuration, error) {
	required := map[string]any{}
	for _, name := range p.providers {
		required[name] = map[string]any{"source": Namespace + "/" + name}
	}
	settings := map[string]any{"required_providers": required}
	if len(p.Meta) > 0 {
		settings["provider_meta"] = p.Meta
	}
	config := map[string]any{"terraform": settings}
	bodies, locals := map[string]any{}, map[string]any{}
	var imports, moves []any
	state := []json.RawMessage{}
	for name, r := range resources {
		if r.Body != nil {
			bodies[name] = map[string]any{"x": r.Body}
		}
		maps.Copy(locals, r.Locals)
		if r.Import != nil {
			r.Import["to"] = name + ".x"
			imports = append(imports, r.Import)
		}
		if r.MovedFrom != "" {
			moves = append(moves, map[string]any{"from": r.MovedFrom + ".x", "to": name + ".x"})
		}
		if r.State != nil {
			state = append(state, r.State)
		}
	}
	for name, content := range map[string]map[string]any{"resource": bodies, "locals": locals, "ephemeral": p.ephemerals} {
		if len(content) > 0 {
			config[name] = content
		}
	}
	for name, content := range map[string][]any{"import": imports, "moved": moves} {
		if len(content) > 0 {
			config[name] = content
		}
	}
	raw, err := json.MarshalIndent(config, "", " ")
	if err != nil {
		return Configuration{}, err
	}
	raw = tfjson.ASCII(raw)
	if err := os.WriteFile(filepath.Join(p.dir, configFile), raw, 0o600); err != nil {
		return Configuration{}, err
	}
	if !withState {
		return Configuration{raw: raw}, nil
	}
	file, err := StateFile(state...)
	if err != nil {
		return Configuration{}, err
	}
	return Configuration{raw: raw}, os.WriteFile(p.statePath(), file, 0o600)
}

// StateFile returns a state file with resources.
func StateFile(resources ...json.RawMessage) ([]byte, error) {
	if resources == nil {
		resources = []json.RawMessage{}
	}
	return json.Marshal(map[string]any{
		"version": 4, "terraform_version": version, "serial": 1, "lineage": "6a2b4f0e-5f0a-4a8e-9a34-2f4b7b7c1a11",
		"outputs": map[string]any{}, "resources": resources, "check_results": nil,
	})
}

func (p *Program) statePath() string { return filepath.Join(p.dir, "terraform.tfstate") }

func (p *Program) state() (map[string]json.RawMessage, error) {
	raw, err := os.ReadFile(p.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return Resources(raw)
}

// Resources returns the resources of a state file, by type.
func Resources(file []byte) (map[string]json.RawMessage, error) {
	var content struct{ Resources []json.RawMessage }
	if err := json.Unmarshal(file, &content); err != nil {
		return nil, fmt.Errorf("reading a state file: %w", err)
	}
	out := map[string]json.RawMessage{}
	for _, r := range content.Resources {
		var head struct{ Type string }
		if err := json.Unmarshal(r, &head); err != nil {
			return nil, err
		}
		out[head.Type] = r
	}
	return out, nil
}

// parse reads the events that tofu prints.
func (r *Result) parse(stdout []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(stdout))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		name := e.Change.Resource.Type
		switch e.Type {
		case "apply_start":
			r.Applied = true
		case "change_summary":
			r.Applied = r.Applied || e.Changes.Operation == "apply"
		case "planned_change":
			if e.Change.Reason == "delete_because_no_resource_config" {
				e.Change.Reason = "" // tests request a destroy this way
			}
			r.Planned[name] = append(r.Planned[name], Change{e.Change.Action, e.Change.Reason})
		case "resource_drift":
			r.Drift[name] = append(r.Drift[name], Change{e.Change.Action, e.Change.Reason})
		case "diagnostic":
			d := newDiagnostic(e)
			switch d.Summary {
			case "Failed to decode resource from state": // a consequence of failures of other resources
				continue
			case "Provider development overrides are in effect":
				continue
			}
			r.Diagnostics[d.Resource] = append(r.Diagnostics[d.Resource], d)
		}
	}
	return lines.Err()
}

// event is a line of tofu's JSON output.
type event struct {
	Type    string
	Changes struct{ Operation string }
	Change  struct {
		Resource struct {
			Type string `json:"resource_type"`
		}
		Action, Reason string
	}
	Diagnostic struct {
		Severity, Summary, Detail, Address string
		Range                              *struct {
			Filename string
			Start    struct{ Byte int }
		}
	}
}
