package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
)

const manifestHelp = `The manifest contains custom resources as for kubectl, in one or more documents, of one or more
kinds of one provider. A ClusterProviderConfig or ProviderConfig in it configures the provider; without
one, the provider has an empty configuration. References to Secrets are resolved to the Secrets in the
manifest, and references to resources among its resources: their values are known when those are applied.
spec.import, spec.initProvider, spec.lifecycle and spec.managementPolicies have the same
meaning as in a cluster; no connection Secret is written.

The state of the objects is in a state file in Terraform's format, where the address of a custom
resource is TYPE.NAME. The file contains sensitive values: protect it as you protect Terraform's.
Resources that are in the state but not in the manifest are left alone.`

func newPlanCommand() *cobra.Command {
	var flags standaloneFlags
	var server diffFlags
	var policies policyFlags
	detailed, withServer := false, false
	cmd := &cobra.Command{
		Use:   "plan -f MANIFEST (--provider PROVIDER | --server)",
		Short: "Plan a manifest without a cluster, or against one",
		Long: `Plan a manifest without a cluster: read the objects, and show what apply would change. Nothing is
changed or written.

` + manifestHelp + `

With --policy, it shows what PlanPolicies would decide. The exit code is 1 if one denies a change.

With --server, it is a plan against a cluster, as by landbridge diff, for the comment of a pull request.
` + diffHelp,
		Example: `  landbridge plan -f manifests/ --server -o markdown
  landbridge plan -f password.yaml --provider hashicorp/random
  landbridge plan -f password.yaml --provider ./terraform-provider-random_v3.9.0
  landbridge plan -f manifests/ --provider ./terraform-provider-hcloud_v1.68.0 --provider-env HCLOUD_TOKEN -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if withServer {
				return planWithServer(cmd, &flags, &server, &policies, detailed)
			}
			for _, flag := range serverOnly {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s is for plans against a cluster: add --server", flag)
				}
			}
			wanted, at, err := policies.read(cmd, flags.output)
			if err != nil {
				return err
			}
			s, err := flags.session(cmd)
			if err != nil {
				return err
			}
			defer s.close()
			plan, messages := s.Plan(cmd.Context(), flags.mode())
			results := plan.Policies(cmd.Context(), wanted, at)
			if err := s.show(plan, append(s.messages, messages...), results...); err != nil {
				return err
			}
			switch {
			case messages.HasErrors(), denies(results):
				return exit{1}
			case detailed && plan.HasChanges():
				return exit{2}
			}
			return nil
		},
	}
	flags.add(cmd)
	policies.add(cmd)
	server.remote.from = flags.from
	server.add(cmd)
	cmd.Flags().BoolVar(&withServer, "server", false,
		"plan against a cluster and what is stored in it; the output can be "+strings.Join(diffOutputs, ", "))
	cmd.MarkFlagsOneRequired("provider", "server")
	for _, flag := range []string{"provider", "source", "provider-env", "state", "destroy", "refresh-only", "name", "config"} {
		cmd.MarkFlagsMutuallyExclusive("server", flag)
	}
	cmd.Flags().BoolVar(&detailed, "detailed-exitcode", false, "exit with 2 when there is something to do, 0 when there is not, 1 on errors")
	return cmd
}

// serverOnly are the flags that only --server uses.
var serverOnly = []string{
	"kubeconfig", "context", "namespace", "terraform-provider", "system-namespace", "field-manager", "cli",
}

// planWithServer plans against a cluster.
func planWithServer(cmd *cobra.Command, flags *standaloneFlags, server *diffFlags, policies *policyFlags, detailed bool) error {
	server.policies = *policies
	server.files, server.output, server.refresh, server.noColor, server.remote.timeout = flags.files, flags.output,
		flags.refresh, flags.noColor, flags.timeout
	out, err := server.run(cmd)
	switch {
	case err != nil:
		return err
	case out.denied:
		return exit{1}
	case out.changes && detailed:
		return exit{2}
	}
	return nil
}

// exit is an error that only sets the exit code.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// exitCode returns the exit code of an error, and whether the error must still be printed.
func exitCode(err error) (code int, tell bool) {
	var e exit
	if errors.As(err, &e) {
		return e.code, false
	}
	return 1, true
}

// standaloneFlags are the flags of plan and apply.
type standaloneFlags struct {
	providerFlags
	files       []string
	binary      string
	source      string
	env         []string
	state       string
	output      string
	destroy     bool
	admission   bool
	refreshOnly bool
	refresh     bool
	noColor     bool
}

var planOutputs = []string{"text", "json"}

func (f *standaloneFlags) add(cmd *cobra.Command) {
	f.providerFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files, "filename", "f", nil, "manifest: a file, a directory of them, or - for standard input")
	flags.StringVar(&f.binary, "provider", "", "the provider: its program, a directory that holds it, or its "+
		"address, such as hashicorp/random or hashicorp/random@3.9.0")
	flags.StringVar(&f.source, "source", "", "the provider's source in the state, such as hashicorp/random "+
		"(default: from the binary's place in a mirror, else hashicorp/NAME)")
	flags.StringArrayVar(&f.env, "provider-env", nil, "environment variable for the provider, as NAME or NAME=VALUE; no others are passed")
	flags.StringVar(&f.state, "state", "landbridge.tfstate", "state file; apply creates it if absent")
	flags.BoolVar(&f.destroy, "destroy", false, "destroy the objects of the manifest")
	flags.BoolVar(&f.refreshOnly, "refresh-only", false, "only update the state, and change no object")
	flags.BoolVar(&f.refresh, "refresh", true, "read the objects first; with --destroy, false destroys them as they "+
		"are in the state, for objects that cannot be read any more")
	flags.StringVarP(&f.output, "output", "o", "text", "output format: "+strings.Join(planOutputs, ", "))
	flags.BoolVar(&f.admission, "admission", true, "refuse what the API server of a cluster would refuse")
	_ = flags.MarkHidden("admission") // false is for comparisons with Terraform, which has no API server
	flags.BoolVar(&f.noColor, "no-color", false, "no colours on a terminal; also set by the environment variable NO_COLOR")
	_ = cmd.MarkFlagRequired("filename")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(planOutputs, cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagsMutuallyExclusive("destroy", "refresh-only")
}

func (f *standaloneFlags) mode() local.Mode {
	switch {
	case f.destroy:
		return local.Destroy
	case f.refreshOnly:
		return local.RefreshOnly
	}
	return local.Normal
}

// openSession is a session with its output.
type openSession struct {
	*local.Session
	flags    *standaloneFlags
	out, err io.Writer
	colour   bool
	messages local.Messages // from reading the manifest
}

// session reads the provider, the manifest and the state. It prints errors of the manifest.
func (f *standaloneFlags) session(cmd *cobra.Command) (*openSession, error) {
	if err := checkFormat(f.output, planOutputs); err != nil {
		return nil, err
	}
	if !f.refresh && !f.destroy {
		return nil, errors.New("--refresh=false is possible with --destroy only")
	}
	env, err := environment(f.env)
	if err != nil {
		return nil, err
	}
	sources, err := local.ReadSources(f.files, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	p, err := f.open(cmd.Context(), f.binary, env)
	if err != nil {
		return nil, err
	}
	source, err := sourceOf(f.source, p)
	if err != nil {
		return nil, err
	}
	s := &openSession{flags: f, out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
	s.colour = !f.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(s.out)
	var options []local.ReadOption
	if f.destroy || !f.admission { // what is to be destroyed need not be valid
		options = append(options, local.WithoutAdmission())
	}
	manifest, messages := local.ReadManifest(p.model, sources, options...)
	s.messages = messages
	if messages.HasErrors() {
		if err := s.show(nil, messages); err != nil {
			return nil, err
		}
		return nil, exit{1}
	}
	state, err := local.OpenState(f.state, source, p.schema)
	if err != nil {
		return nil, err
	}
	s.Session = local.New(p.model, source, p.launcher(f.timeout, env), manifest, state)
	s.WithoutRefresh = !f.refresh
	return s, nil
}

// environment returns the variables of --provider-env.
func environment(asked []string) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range asked {
		name, value, given := strings.Cut(e, "=")
		if !given {
			if value, given = os.LookupEnv(name); !given {
				return nil, fmt.Errorf("--provider-env %s: there is no such environment variable", name)
			}
		}
		out[name] = value
	}
	return out, nil
}

// sourceOf returns the provider's address: as given, that by which it was found, or from the place
// of the binary in a mirror (HOST/NAMESPACE/TYPE/VERSION/OS_ARCH/BINARY).
func sourceOf(source string, p *openedProvider) (string, error) {
	if source = cmp.Or(source, p.source); source == "" {
		source = "hashicorp/" + p.model.Name
		parts := strings.Split(filepath.ToSlash(p.path), "/")
		if n := len(parts); n > 6 && strings.ContainsRune(parts[n-6], '.') && strings.Contains(parts[n-2], "_") {
			source = strings.Join(parts[n-6:n-3], "/")
		}
	}
	address, err := install.ParseAddress(source)
	if err != nil {
		return "", fmt.Errorf("--source %s: %w", source, err)
	}
	return address.String(), nil
}

func (s *openSession) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = s.Close(ctx) // an error loses nothing: all answers have arrived
}

// show prints a plan and its messages. A plan in JSON holds the messages, too.
func (s *openSession) show(plan *local.Plan, messages local.Messages, policies ...local.PolicyResult) error {
	if s.flags.output == "json" {
		d := newPlanDocument(s.flags.mode(), plan, messages)
		d.Policies = policies
		return writeJSON(s.out, d)
	}
	if plan != nil {
		if !messages.HasErrors() || len(plan.Changes) > 0 {
			style := planview.Style{Colour: s.colour, RefreshOnly: plan.Mode == local.RefreshOnly}
			if messages.HasErrors() {
				fmt.Fprint(s.out, "Planning failed. This is what was planned before:\n\n")
			}
			if err := planview.Text(s.out, plan.View(), style); err != nil {
				return err
			}
		}
		if len(plan.Others) > 0 {
			fmt.Fprintf(s.out, "\nNot in the manifest, and left alone: %s.\n", strings.Join(plan.Others, ", "))
		}
		writePolicies(s.out, policies)
	}
	s.tell(messages)
	return nil
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
