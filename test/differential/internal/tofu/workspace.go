package tofu

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hashicorp/go-plugin"
)

// Host is where tofu expects providers to come from that are named without a host.
const Host = "registry.opentofu.org"

// Namespace is the namespace of the providers served here.
const Namespace = "landbridge"

// Program runs tofu. It must not be used by two callers at once.
type Program struct {
	path, dir string
	env       []string
	providers []string
}

// Resource is one resource of a configuration, at Type.x.
type Resource struct {
	// Body is the resource's body in JSON syntax; nil when it is not configured.
	Body json.RawMessage
	// Import is the body of its import block but for the address; nil without one.
	Import map[string]any
	// State is the resource in the state file, as tofu wrote it; nil when it is not in there.
	State json.RawMessage
}

// Result is what a run left behind.
type Result struct {
	// State is the resources in the state file afterwards, by type.
	State map[string]json.RawMessage
	// Errors are the summaries of the errors about a resource, by type; those about none are
	// under the empty type.
	Errors map[string][]string
	// Applied says that the run got as far as applying.
	Applied bool
	// Crashed says that tofu itself did not survive.
	Crashed bool
	// Output is what tofu printed, but for what it says of its progress.
	Output string
}

// New makes a program that runs in a directory, with providers that are being served.
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
	p := &Program{path: path, dir: dir}
	for name, c := range providers {
		p.providers = append(p.providers, name)
		all[Host+"/"+Namespace+"/"+name] = reattach{
			Protocol: string(c.Protocol), ProtocolVersion: c.ProtocolVersion, Pid: c.Pid, Test: true,
			Addr: address{c.Addr.Network(), c.Addr.String()},
		}
	}
	attached, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "tofurc")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		return nil, err
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(),
		"TF_REATTACH_PROVIDERS=" + string(attached), "TF_CLI_CONFIG_FILE=" + config,
		"CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "GOGC=400",
	}
	return p, nil
}

// Apply plans and applies.
func (p *Program) Apply(ctx context.Context, resources map[string]Resource) (Result, error) {
	if err := p.write(resources); err != nil {
		return Result{}, err
	}
	cmd := exec.CommandContext(ctx, p.path, "apply", "-auto-approve", "-json", "-input=false", "-lock=false", "-backup=-", "-parallelism=8")
	cmd.Dir, cmd.Env = p.dir, p.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Result{}, fmt.Errorf("tofu: %w", err)
	}
	out := Result{Errors: map[string][]string{}}
	for line := range strings.Lines(stdout.String() + stderr.String()) {
		if !strings.HasPrefix(line, `{"@level":"info"`) {
			out.Output += line
		}
	}
	if err != nil && exit.ExitCode() != 1 {
		out.Crashed = true
		return out, nil
	}
	if err := out.parse(stdout.Bytes()); err != nil {
		return out, err
	}
	out.State, err = p.state()
	return out, err
}

// write writes the configuration and the state.
func (p *Program) write(resources map[string]Resource) error {
	required := map[string]any{}
	for _, name := range p.providers {
		required[name] = map[string]any{"source": Namespace + "/" + name}
	}
	config := map[string]any{"terraform": map[string]any{"required_providers": required}}
	bodies := map[string]any{}
	var imports []any
	state := []json.RawMessage{}
	for name, r := range resources {
		if r.Body != nil {
			bodies[name] = map[string]any{"x": r.Body}
		}
		if r.Import != nil {
			r.Import["to"] = name + ".x"
			imports = append(imports, r.Import)
		}
		if r.State != nil {
			state = append(state, r.State)
		}
	}
	if len(bodies) > 0 {
		config["resource"] = bodies
	}
	if len(imports) > 0 {
		config["import"] = imports
	}
	raw, err := json.MarshalIndent(config, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "main.tf.json"), ascii(raw), 0o600); err != nil {
		return err
	}
	raw, err = json.Marshal(map[string]any{
		"version": 4, "terraform_version": "1.12.6", "serial": 1, "lineage": "6a2b4f0e-5f0a-4a8e-9a34-2f4b7b7c1a11",
		"outputs": map[string]any{}, "resources": state, "check_results": nil,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(p.statePath(), raw, 0o600)
}

func (p *Program) statePath() string { return filepath.Join(p.dir, "terraform.tfstate") }

func (p *Program) state() (map[string]json.RawMessage, error) {
	raw, err := os.ReadFile(p.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var file struct{ Resources []json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("reading the state tofu wrote: %w", err)
	}
	out := map[string]json.RawMessage{}
	for _, r := range file.Resources {
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
		var event struct {
			Type       string
			Changes    struct{ Operation string }
			Diagnostic struct {
				Severity, Summary, Detail, Address string
			}
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		switch event.Type {
		case "apply_start":
			r.Applied = true
		case "change_summary":
			r.Applied = r.Applied || event.Changes.Operation == "apply"
		case "diagnostic":
			if d := event.Diagnostic; d.Severity == "error" {
				name := typeIn(d.Address)
				for _, text := range []string{d.Summary, d.Detail} {
					if name == "" {
						name = typeIn(text)
					}
				}
				r.Errors[name] = append(r.Errors[name], d.Summary)
			}
		}
	}
	return lines.Err()
}

// typeIn finds the type in text that names a resource, type.x.
func typeIn(text string) string {
	end := strings.Index(text, ".x")
	if end < 0 {
		return ""
	}
	start := strings.LastIndexFunc(text[:end], func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	return text[start+1 : end]
}

// ascii is JSON with all else escaped: tofu's parser takes a quote and a combining character
// after it, or a letter that combines with a quote, for one character.
func ascii(raw []byte) []byte {
	var out []byte
	for _, r := range string(raw) {
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
	}
	return out
}
