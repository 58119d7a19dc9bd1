package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/diff"
	"github.com/landbridge-io/landbridge/internal/command/local"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/controller/terraformmodule"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

const diffHelp = `Each manifest is applied by the API server in a dry run, so that its defaults and checks count. The
providers run on this machine, in the versions of the cluster's TerraformProviders, and read the
remote objects. Fields that get their value from a resource that does not exist yet are known after
apply. You need the permissions to apply the manifests, to read the Secrets of provider
configurations, and to read the Secrets in which Landbridge stores states. Nothing is changed:
neither in the cluster, nor of what is stored, nor of remote objects.

Instances of modules are planned by OpenTofu or Terraform on this machine, with the module that the
controller serves. Where a manifest changes only the version of a TerraformProvider, what the new
version would do to live resources is shown, as landbridge upgrade preview does. Changes of other
objects, such as ConfigMaps, are not shown: kubectl diff does. They count as changes. What cannot be
planned is an error.`

var diffOutputs = []string{"text", "json", "markdown"}

func newDiffCommand() *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:   "diff -f MANIFEST",
		Short: "Show what applying manifests would change of remote objects",
		Long: `Show what applying manifests to a cluster would change of remote objects: one plan, in the order of
the references between the resources.

` + diffHelp + `

The exit code is that of kubectl diff: 0 if nothing would be changed, 1 if something would be, 2 on
errors, if a manifest is refused, or if something cannot be planned.`,
		Example: `  landbridge diff -f manifests/
  landbridge diff -f manifests/ -o markdown > comment.md`,
		Args: cobra.NoArgs,
		RunE: compared(func(cmd *cobra.Command, _ []string) (bool, error) {
			out, err := flags.run(cmd)
			return out.changes, err
		}),
	}
	flags.add(cmd)
	flags.addOutput(cmd)
	flags.policies.add(cmd)
	cmd.Flags().DurationVar(&flags.remote.timeout, "timeout", time.Minute, "how long a provider may take to start and to return its schema")
	cmd.Flags().BoolVar(&flags.refresh, "refresh", true, "read the remote objects; false plans them as they are stored")
	return cmd
}

// compared runs a command with the exit codes of diff(1): 0 without differences, 1 with some, 2 on
// errors.
func compared(run func(*cobra.Command, []string) (differs bool, _ error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		differs, err := run(cmd, args)
		if err != nil {
			if _, tell := exitCode(err); tell {
				fmt.Fprintln(cmd.ErrOrStderr(), "Error:", err)
			}
			return exit{2}
		}
		if differs {
			return exit{1}
		}
		return nil
	}
}

// diffFlags are the flags of diff, and of plan --server.
type diffFlags struct {
	remote       remoteFlags
	policies     policyFlags
	files        []string
	fieldManager string
	output       string
	refresh      bool
	noColor      bool
	// cli is the program that plans modules.
	cli string
}

// add adds the flags that diff and plan share, but for those that plan has anyway.
func (f *diffFlags) add(cmd *cobra.Command) {
	f.remote.clusterFlags.add(cmd)
	flags := cmd.Flags()
	f.remote.addPrograms(cmd)
	flags.StringVar(&f.remote.system, "system-namespace", "landbridge-system",
		"namespace of Landbridge's own objects, where states are stored")
	flags.StringVar(&f.cli, "cli", "", "path of OpenTofu or Terraform, or a name to look up in PATH, to plan "+
		"modules (default: tofu, else terraform)")
	flags.StringVar(&f.fieldManager, "field-manager", "", "field manager of server-side applies (default: the one "+
		"that has applied the object; objects of kubectl apply are merged as kubectl does it)")
}

func (f *diffFlags) addOutput(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files, "filename", "f", nil, "manifest: a file, a directory of them, or - for standard input")
	flags.StringVarP(&f.output, "output", "o", "text", "output format: "+strings.Join(diffOutputs, ", "))
	flags.BoolVar(&f.noColor, "no-color", false, "no colours on a terminal; also set by the environment variable NO_COLOR")
	_ = cmd.MarkFlagRequired("filename")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(diffOutputs, cobra.ShellCompDirectiveNoFileComp))
}

// diffResult is the result of a plan against a cluster.
type diffResult struct {
	// changes is set if there is something to do, and denied if a policy denies it.
	changes, denied bool
}

// run plans and shows the plan.
func (f *diffFlags) run(cmd *cobra.Command) (out diffResult, err error) {
	if err := checkFormat(f.output, diffOutputs); err != nil {
		return out, err
	}
	sources, err := local.ReadSources(f.files, cmd.InOrStdin())
	if err != nil {
		return out, err
	}
	policies, at, err := f.policies.read(cmd, f.output)
	if err != nil {
		return out, err
	}
	objects, messages := local.ReadObjects(sources)
	var plan *diff.Plan
	var upgrades []*upgrade.Report
	if !messages.HasErrors() {
		f.remote.need = forObjects(objects)
		r, err := f.remote.open(cmd, true)
		if err != nil {
			return out, err
		}
		defer r.close()
		options, err := f.options(r)
		if err != nil {
			return out, err
		}
		installed, err := r.cluster.Policies(cmd.Context())
		if err != nil {
			messages = append(messages, local.Message{Severity: diagnostic.Warning, Summary: "Policies not read", Detail: err.Error() + "."})
		}
		policies = append(policies, installed...)
		modules, closeModules, more := f.modules(cmd.Context(), r, objects)
		defer closeModules()
		options.Modules = modules
		messages = append(messages, more...)
		messages = append(messages, f.unopened(r, objects)...)
		plan, more = diff.Make(cmd.Context(), options, objects)
		messages = append(messages, more...)
		if upgrades, more = f.upgrades(cmd, r, plan.Upgrades); more.HasErrors() {
			messages = append(messages, more...)
		}
	}
	o := &openSession{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
	o.colour = !f.noColor && os.Getenv("NO_COLOR") == "" && isTerminal(o.out)
	var results []local.PolicyResult
	if plan != nil {
		results = plan.Policies(cmd.Context(), policies, at)
	}
	if err := f.show(o, plan, messages, results, upgrades); err != nil {
		return out, err
	}
	if messages.HasErrors() || slices.ContainsFunc(upgrades, (*upgrade.Report).Failed) {
		return out, exit{1}
	}
	return diffResult{changes: plan.HasChanges(), denied: denies(results)}, nil
}

func (f *diffFlags) options(r *remote) (diff.Options, error) {
	config, namespace, err := f.remote.clusterFlags.config()
	if err != nil {
		return diff.Options{}, err
	}
	core, err := corev1.NewForConfig(config)
	if err != nil {
		return diff.Options{}, err
	}
	stored := &store.Secrets{Client: core.Secrets(f.remote.system)}
	out := diff.Options{
		Client: r.client, Namespace: namespace, FieldManager: f.fieldManager, WithoutRefresh: !f.refresh, Secrets: r.secrets,
		Load: func(ctx context.Context, k store.Key, m *model.Resource) (store.Record, error) {
			return stored.Load(ctx, k, m.Schema)
		},
	}
	for _, p := range r.providers {
		out.Providers = append(out.Providers, diff.LocalProvider{Source: p.source, Model: p.model, Launcher: p.launcher})
	}
	return out, nil
}

// upgrades previews the other versions of TerraformProviders that manifests have.
func (f *diffFlags) upgrades(cmd *cobra.Command, r *remote, all []diff.Upgrade) (out []*upgrade.Report, messages local.Messages) {
	for _, u := range all {
		found, err := r.cluster.Providers(cmd.Context(), u.Name)
		var report *upgrade.Report
		if err == nil {
			report, err = previewUpgrade(cmd, r.cluster, &found[0], u.Version, commandupgrade.Options{
				Client: r.client, Stored: r.cluster.Stored, Examples: defaultExamples,
			})
		}
		if err != nil {
			messages = append(messages, local.Message{Severity: diagnostic.Error, Summary: "Upgrade cannot be previewed", Detail: err.Error() + "."})
			continue
		}
		out = append(out, report)
	}
	return out, messages
}

// modules opens the modules of which there are objects.
func (f *diffFlags) modules(
	ctx context.Context, r *remote, objects []local.Object,
) (out []diff.LocalModule, done func(), messages local.Messages) {
	done = func() {}
	list := &v1alpha1.TerraformModuleList{}
	if err := r.client.List(ctx, list); err != nil {
		if !meta.IsNoMatchError(err) {
			messages = append(messages, local.Message{Severity: diagnostic.Warning, Summary: "Modules not read", Detail: err.Error() + "."})
		}
		return nil, done, messages
	}
	list.Items = slices.DeleteFunc(list.Items, func(m v1alpha1.TerraformModule) bool {
		return !slices.ContainsFunc(objects, func(o local.Object) bool {
			gvk := o.GroupVersionKind()
			return gvk.Group == m.Status.Group && gvk.Kind == m.Status.Kind
		})
	})
	if len(list.Items) == 0 {
		return nil, done, nil
	}
	fail := func(err error) {
		messages = append(messages, local.Message{Severity: diagnostic.Error, Summary: "Module cannot be planned", Detail: err.Error() + "."})
	}
	names := []string{f.cli}
	if f.cli == "" {
		names = []string{"tofu", "terraform"}
	}
	var program *commandline.Program
	var errs []error
	for _, name := range names {
		found, err := commandline.Find(ctx, name)
		if err == nil {
			program = found
			break
		}
		errs = append(errs, err)
	}
	if program == nil {
		fail(fmt.Errorf("OpenTofu or Terraform is needed to plan the kind %s; give its path with --cli: %w",
			list.Items[0].Status.Kind, errors.Join(errs...)))
		return nil, done, messages
	}
	runner, err := commandline.New(commandline.Options{Program: program})
	if err != nil {
		fail(err)
		return nil, done, messages
	}
	done = func() {
		for _, m := range out {
			_ = m.Close()
		}
		_ = runner.Close()
	}
	providers := map[string]*diff.LocalProvider{}
	for _, p := range r.providers {
		providers[p.installed] = &diff.LocalProvider{Source: p.source, Model: p.model, Launcher: p.launcher}
	}
	for i := range list.Items {
		opened, err := terraformmodule.Open(ctx, r.client, f.remote.system, runner, &list.Items[i])
		if err != nil {
			fail(err)
			continue
		}
		out = append(out, diff.LocalModule{Opened: opened, Providers: providers})
	}
	return out, done, messages
}

// unopened returns an error for each provider that cannot be used on this machine, if any object
// may be of it.
func (f *diffFlags) unopened(r *remote, objects []local.Object) (out local.Messages) {
	known := func(group string) bool {
		return builtIn(group) || slices.ContainsFunc(r.providers, func(p *remoteProvider) bool { return p.hasGroup(group) })
	}
	if !slices.ContainsFunc(objects, func(o local.Object) bool { return !known(o.GroupVersionKind().Group) }) {
		return nil
	}
	for _, u := range r.unopened {
		out = append(out, local.Message{Severity: diagnostic.Error, Summary: "Provider not available here", Detail: u.err.Error() + "."})
	}
	return out
}

// show prints a plan, the previews of upgrades and the messages.
func (f *diffFlags) show(
	o *openSession, plan *diff.Plan, messages local.Messages, policies []local.PolicyResult, upgrades []*upgrade.Report,
) error {
	switch f.output {
	case "json":
		d := newDiffDocument(plan, messages)
		d.Policies, d.Upgrades = policies, upgrades
		return writeJSON(o.out, d)
	case "markdown":
		err := writeMarkdown(o.out, plan, messages, policies)
		for _, u := range upgrades {
			fmt.Fprintln(o.out)
			err = errors.Join(err, u.Markdown(o.out))
		}
		return err
	}
	if plan != nil && (!messages.HasErrors() || len(plan.Changes) > 0) {
		if messages.HasErrors() {
			fmt.Fprint(o.out, "Planning failed. This is what was planned before:\n\n")
		}
		if err := planview.Text(o.out, plan.View(), planview.Style{Colour: o.colour}); err != nil {
			return err
		}
		for _, w := range plan.Waiting {
			fmt.Fprintf(o.out, "\nNot planned: %s\n", printable(waits(w)))
		}
		writePolicies(o.out, policies)
	}
	for _, u := range upgrades {
		fmt.Fprintln(o.out)
		if err := u.Text(o.out); err != nil {
			return err
		}
	}
	o.tell(messages)
	return nil
}

func waits(w diff.Waiting) string {
	name := w.Name
	if w.Namespace != "" {
		name = w.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %s waits for other resources: %s.", w.Kind, name, strings.Join(w.For, "; "))
}

// diffDocument is the JSON output of diff, and of plan --server.
type diffDocument struct {
	planDocument
	// Waiting are resources that are not planned, since they wait for others.
	Waiting []diff.Waiting `json:"waiting,omitempty"`
	// Unplanned are objects of other kinds that would be created or changed.
	Unplanned []diff.Unplanned `json:"unplanned,omitempty"`
	// Upgrades are what other versions of providers would do to live resources.
	Upgrades []*upgrade.Report `json:"upgrades,omitempty"`
}

func newDiffDocument(plan *diff.Plan, messages local.Messages) diffDocument {
	if plan == nil {
		return diffDocument{planDocument: newPlanDocument(local.Normal, nil, messages)}
	}
	return diffDocument{planDocument: newPlanDocument(local.Normal, &plan.Plan, messages), Waiting: plan.Waiting, Unplanned: plan.Unplanned}
}

// writeMarkdown writes a plan and its messages for the comment of a pull request.
func writeMarkdown(w io.Writer, plan *diff.Plan, messages local.Messages, policies []local.PolicyResult) error {
	var notes []string
	for _, m := range messages {
		text := fmt.Sprintf("**%s**: %s", m.Severity, strings.Join(nonEmpty(m.Address, m.Path, m.Summary, m.Detail), ": "))
		notes = append(notes, "> "+strings.ReplaceAll(printable(text), "\n", "\n> "))
	}
	if plan == nil {
		_, err := fmt.Fprintf(w, "### Planning failed\n\n%s\n", strings.Join(notes, "\n\n"))
		return err
	}
	for _, r := range policies {
		notes = append(notes, fmt.Sprintf("**%s**: `%s`: %s", r.Action, r.Address, printable(r.Result.String())))
	}
	for _, x := range plan.Waiting {
		notes = append(notes, "Not planned: "+printable(waits(x)))
	}
	if messages.HasErrors() {
		if _, err := io.WriteString(w, "**Planning failed.** This is what was planned before:\n\n"); err != nil {
			return err
		}
	}
	return planview.Markdown(w, plan.View(), notes...)
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
