package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// make creates one repository in its own directory, and runs the steps of its author.
func (t tools) make(ctx context.Context, dir string, r repository) (made string, f figures, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	cloud, err := r.cloud(ctx, dir)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, cloud.stop()) }()
	from, err := r.provider(ctx)
	if err != nil {
		return "", nil, err
	}
	repository := filepath.Join(dir, "provider-"+r.name)
	args := append([]string{"init", "example.org/provider-" + r.name, "--landbridge", t.root, "--output-dir", repository}, from...)
	if r.inProcess {
		args = append(args, "--in-process")
	}
	documentation := filepath.Join(dir, "documentation")
	if r.documentation != "" {
		if err := os.Mkdir(documentation, 0o755); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(filepath.Join(documentation, "example.tf"), []byte(r.documentation), 0o644); err != nil {
			return "", nil, err
		}
		args = append(args, "--documentation", documentation)
	}
	begin := time.Now()
	out, err := t.command(ctx, dir, t.landbridge, args...)
	if err != nil {
		return "", nil, err
	}
	kinds, _, _ := strings.Cut(strings.TrimPrefix(out[strings.LastIndex(out, "provider-"+r.name+": "):], "provider-"+r.name+": "), "\n")
	made = fmt.Sprintf("%s; init %.0f s", kinds, time.Since(begin).Seconds())

	if err := t.planExamples(ctx, repository, r); err != nil {
		return "", nil, err
	}
	manifests := filepath.Join(repository, "test", "e2e", "manifests")
	if err := os.MkdirAll(manifests, 0o755); err != nil {
		return "", nil, err
	}
	for name, content := range map[string]string{"1-create.yaml": r.create, "2-change.yaml": r.change} {
		content = cloud.replacer.Replace(content)
		if err := os.WriteFile(filepath.Join(manifests, name), []byte(content), 0o600); err != nil {
			return "", nil, err
		}
	}
	e2e := []string{"e2e", "PLAYGROUND=" + t.playground}
	if !r.inProcess {
		e2e = append(e2e, "PROGRAM_FLAGS=--provider-write-path="+dir)
	}
	provider, _, _ := strings.Cut(r.name, "-")
	program := filepath.Join(runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-"+provider)
	if r.inProcess {
		program = filepath.Join("plugin", program)
	}
	// The same version changes nothing.
	preview := []string{"preview-upgrade", "VERSION=" + filepath.Join(repository, "bin", program)}
	steps := [][]string{{"build"}, {"test"}, {"generate"}, preview, {"package"}, e2e}
	if r.rebuild {
		// As on another machine, where the Makefile has to obtain the provider's program.
		steps = append([][]string{{"clean"}}, steps...)
		steps = append(steps, []string{"schema"}, []string{"generate"})
	}
	if r.upgrade != nil {
		to, err := r.upgrade(ctx)
		if err != nil {
			return "", nil, err
		}
		steps = append(steps, []string{"upgrade", to}, []string{"build"})
	}
	if r.documentation != "" {
		steps = append([][]string{{"references", "DOCUMENTATION=" + documentation}}, steps...)
	}
	for _, step := range steps {
		begin := time.Now()
		out, err := t.command(ctx, repository, "make", step...)
		if err != nil {
			return "", nil, err
		}
		switch step[0] {
		case "references":
			// Nothing else needs it.
			if err := os.RemoveAll(documentation); err != nil {
				return "", nil, err
			}
		case "generate":
			// init writes the same as the repository's generator.
			if !strings.Contains(out, "; 0 files written, 0 removed, ") {
				return "", nil, fmt.Errorf("make generate changed something:\n%s", out)
			}
		case "preview-upgrade":
			if !strings.Contains(out, "\nas it is: ") || strings.Contains(out, "would be") {
				return "", nil, fmt.Errorf("make preview-upgrade did not say that the same version changes nothing:\n%s", out)
			}
		case "package":
			crds, err := filepath.Glob(filepath.Join(repository, "package", "crds", "*.yaml"))
			if want := fmt.Sprintf("with %d CRDs\n", len(crds)); err != nil || !strings.HasSuffix(out, want) {
				return "", nil, fmt.Errorf("make package did not say %q, but:\n%s", want, out)
			}
		case "e2e":
			if !strings.Contains(out, "--- PASS: TestEndToEnd") || !strings.Contains(out, "2-change.yaml: ") {
				return "", nil, fmt.Errorf("make e2e did not do what it should:\n%s", out)
			}
		}
		made += fmt.Sprintf(", %s %.0f s", step[0], time.Since(begin).Seconds())
	}
	if err := cloud.check(); err != nil || !r.inProcess {
		return made, nil, err
	}
	if _, err := t.command(ctx, repository, "make", "figures", "PLAYGROUND="+t.playground,
		"PLUGIN_FLAGS=--provider-write-path="+dir); err != nil {
		return "", nil, err
	}
	f, err = readFigures(filepath.Join(repository, "docs", "in-process.md"))
	return made, f, err
}

// planExamples plans each example with the provider, if it needs no configuration.
func (t tools) planExamples(ctx context.Context, repository string, r repository) error {
	if _, err := os.Stat(filepath.Join(repository, "examples", "providerconfig.yaml")); err == nil {
		return nil // it has no cloud
	}
	name := strings.TrimSuffix(r.name, inProcessSuffix)
	config := filepath.Join(filepath.Dir(repository), "config.yaml")
	if err := os.WriteFile(config, []byte("group: "+name+".example.org\n"), 0o600); err != nil {
		return err
	}
	programs, err := filepath.Glob(filepath.Join(repository, "bin", "*", "terraform-provider-"+name))
	if r.inProcess {
		programs, err = filepath.Glob(filepath.Join(repository, "bin", "plugin", "*", "terraform-provider-"+name))
	}
	if err != nil || len(programs) != 1 {
		return fmt.Errorf("programs of the provider: %v, %w", programs, err)
	}
	examples, err := filepath.Glob(filepath.Join(repository, "examples", "*", "*.yaml"))
	if err != nil || len(examples) == 0 {
		return fmt.Errorf("there are no examples: %w", err)
	}
	for _, file := range examples {
		if _, err := t.command(ctx, repository, t.landbridge, "plan", "-f", file, "--provider", programs[0], "--name",
			name, "--config", config); err != nil {
			return fmt.Errorf("an example cannot be planned: %w", err)
		}
	}
	return nil
}

// command runs a program and returns its output, which is also in the error.
func (tools) command(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	// This process may run under make, whose flags must not be inherited.
	for _, v := range os.Environ() {
		if !makes.MatchString(v) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out.Bytes())
	}
	return out.String(), nil
}

// makes are the variables that make and CI pass to child processes.
var makes = regexp.MustCompile(`^(MAKE|MFLAGS|GNUMAKE|SHELL|RACE|PARALLEL|TESTFLAGS)[A-Z]*=`)
