package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
)

func newImportCommand() *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use: "import {TYPE --id ID | TYPE --identity NAME=VALUE,... | --objects FILE | [TYPE...] --unmanaged | " +
			"--query NAME | --state FILE [ADDRESS...]}",
		Short: "Write manifests that bring existing objects under management",
		Long: `Write manifests that bring existing objects under management, without touching the objects.

Objects are given by import id or identity (--id, --identity), by the JSON or YAML output of
landbridge discover or a part of it (--objects), as all objects of the given types without an owner
(--unmanaged), as those that a ResourceQuery finds (--query), or as all resource instances of a
Terraform state in format 4 (--state), with its data sources. What a resource manages or describes already is not written
again.

Each object is read, and the provider plans a configuration that changes nothing. If there is none,
the resource only observes (managementPolicies), and a comment has the reason. Sensitive values are
not written: the manifest refers to a Secret that you create. With --state they are written to
Secrets, together with the stored state, so that the first reconcile changes nothing.

Manifests go to standard output while objects are read, or all together to files (-o) or to the
cluster (--apply). Those of a state, and those whose names depend on others, follow when all objects
are read. Objects that are left out are listed at the end. Exit code: 0 when all are written and
nothing changes; 2 when some are left out or only observe; 1 when nothing was written, or an error
ended the import.

` + remoteHelp,
		Example: `  # One object
  landbridge import examplecloud_thing --identity id=t-1,region=us-east-1
  # All objects without an owner, to files
  landbridge import --unmanaged --output-dir manifests/
  # What a ResourceQuery finds, apart from what is managed or described already
  landbridge import --query things -n team-a --output-dir manifests/
  # A selection
  landbridge discover -o json | jq '.objects |= map(select(.displayName | startswith("web")))' | landbridge import --objects -
  # A whole Terraform state, straight into the cluster; then remove it from Terraform
  terraform state pull | landbridge import --state - -n team-a --apply`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(args); err != nil {
				return err
			}
			if err := flags.read(cmd.InOrStdin()); err != nil {
				return err
			}
			flags.need = flags.needs(args)
			if flags.query.name != "" {
				var err error
				if flags.queried, err = flags.query.selection(cmd.Context(), &flags.remoteFlags, &flags.list); err != nil {
					return err
				}
			}
			r, err := flags.open(cmd, flags.apply)
			if err != nil {
				return err
			}
			defer r.close()
			return flags.run(cmd, r, args)
		},
	}
	flags.add(cmd)
	return cmd
}

type importFlags struct {
	remoteFlags
	list       listFlags
	query      queryFlag
	ids        []string
	identities []string
	as         string
	objects    string
	unmanaged  bool
	state      string
	content    []byte             // of the file of --state
	document   discovery.Document // of the file of --objects
	queried    selection          // of --query
	// data are the data sources of --state, leftData those without a manifest, and sources the
	// manifests of the others.
	data        []importer.DataSource
	leftData    []importer.Left
	sources     []importer.Manifest
	refresh     bool
	aliases     []string
	directory   string
	apply       bool
	observeOnly bool
}

func (f *importFlags) add(cmd *cobra.Command) {
	f.remoteFlags.add(cmd)
	f.list.add(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.ids, "id", nil, "import id of an object; may be repeated")
	flags.StringArrayVar(&f.identities, "identity", nil, `identity of an object, as NAME=VALUE,... or as JSON; may be repeated`)
	flags.StringVar(&f.as, "as", "", "name of the custom resource of a single object (default: the object's external name)")
	flags.StringVar(&f.objects, "objects", "",
		"file with objects as landbridge discover prints them with -o json or yaml; - is standard input")
	flags.BoolVar(&f.unmanaged, "unmanaged", false, "all objects that can be listed and have no owner")
	flags.StringVar(&f.state, "state", "", "Terraform state whose resource instances are to be imported; - is "+
		"standard input, as of terraform state pull")
	flags.BoolVar(&f.refresh, "refresh", true, "read the objects of a --state; with --refresh=false the state is "+
		"used as it is, and no provider is configured")
	flags.StringArrayVar(&f.aliases, "alias", nil, "provider configuration for resources of an aliased provider in "+
		"a --state, as ALIAS=KIND/NAME (default: the ClusterProviderConfig named as the alias)")
	addPath(cmd, outputDir, &f.directory, "directory to write the manifests into, a file for each object", "yaml")
	flags.BoolVar(&f.apply, "apply", false, "create the objects in the cluster instead of writing manifests")
	flags.BoolVar(&f.observeOnly, "observe", false, "have all resources only observe their objects")
	cmd.MarkFlagsMutuallyExclusive(outputDir, "apply")
	f.query.add(cmd)
	cmd.MarkFlagsMutuallyExclusive("objects", "unmanaged", "query", "state", "id")
	cmd.MarkFlagsMutuallyExclusive("objects", "unmanaged", "query", "state", "identity")
	cmd.MarkFlagsOneRequired("id", "identity", "objects", "unmanaged", "query", "state")
}

// check validates the flags.
func (f *importFlags) check(args []string) error {
	if single := len(f.ids)+len(f.identities) > 0; single && (len(args) != 1 || strings.ContainsAny(args[0], "*?[")) {
		return errors.New("--id and --identity need exactly one resource type")
	}
	if f.as != "" {
		if len(f.ids)+len(f.identities) != 1 {
			return errors.New("--as requires a single object, given by --id or --identity")
		}
		if msgs := validation.NameIsDNSSubdomain(f.as, false); len(msgs) > 0 {
			return fmt.Errorf("--as %s: %s", f.as, strings.Join(msgs, "; "))
		}
	}
	if f.objects != "" && len(args) > 0 {
		return errors.New("--objects and resource types cannot be combined")
	}
	if err := f.query.check(args); err != nil {
		return err
	}
	if !f.refresh && f.state == "" {
		return errors.New("--refresh=false requires --state")
	}
	_, err := f.reference()
	return err
}

// read reads the file of --state or --objects.
func (f *importFlags) read(stdin io.Reader) (err error) {
	switch {
	case f.state != "":
		f.content, err = readFile(f.state, stdin)
	case f.objects != "":
		f.document, err = readObjects(f.objects, stdin)
	}
	return err
}

// needs returns which providers are needed.
func (f *importFlags) needs(args []string) *need {
	if f.state != "" {
		return forState(f.content)
	}
	for _, o := range f.document.Objects {
		if !slices.Contains(args, o.Type) {
			args = append(args, o.Type)
		}
	}
	return forTypes(args)
}

func (f *importFlags) run(cmd *cobra.Command, r *remote, args []string) error {
	ctx := cmd.Context()
	b := &importer.Builder{Namespace: r.namespace, SystemNamespace: f.system, Observe: f.observeOnly}
	if r.cluster != nil {
		taken := map[*model.Resource]map[string]bool{}
		b.Taken = func(m *model.Resource, name string) bool {
			if taken[m] == nil {
				taken[m] = map[string]bool{}
				all, err := r.cluster.Resources(ctx, m)
				if err != nil {
					return false // an existing resource is noticed when it is created
				}
				for _, x := range all {
					if x.Namespace == r.namespace {
						taken[m][x.Name] = true
					}
				}
			}
			return taken[m][name]
		}
	}
	items, skipped, incomplete, err := f.items(cmd, r, b, args)
	if err != nil {
		return err
	}
	summary := importSummary{flags: f, skipped: slices.Concat(f.readSources(ctx, r, b), skipped), incomplete: incomplete}
	summary.add(f.sources...)
	if f.directory == "" && !f.apply {
		w := cmd.OutOrStdout()
		if err := importer.Write(w, f.sources); err != nil {
			return err
		}
		summary.left, err = b.Stream(ctx, items, importer.Sink{
			Secrets: func(m importer.Manifest) error { return importer.WriteSecrets(w, m) },
			Manifest: func(_ int, m importer.Manifest) error {
				summary.add(m)
				return importer.WriteResource(w, m)
			},
		})
	} else {
		err = f.writeAll(cmd, r, b, items, &summary)
	}
	if err != nil {
		return err
	}
	return summary.tell(cmd.ErrOrStderr())
}

// writeAll writes all manifests to files, or applies them: all or none.
func (f *importFlags) writeAll(cmd *cobra.Command, r *remote, b *importer.Builder, items []importer.Item, summary *importSummary) error {
	done := showProgress(cmd, "Reading "+plural(len(items), "object"))
	result, err := b.Build(cmd.Context(), items)
	done()
	if err != nil {
		return err
	}
	summary.add(result.Manifests...)
	summary.left = result.Left
	result.Manifests = slices.Concat(f.sources, result.Manifests)
	switch {
	case len(result.Manifests) == 0:
		return nil
	case f.directory != "":
		return importer.WriteDir(f.directory, result.Manifests)
	}
	done = showProgress(cmd, "Applying "+plural(len(result.Manifests), "manifest"))
	n, err := importer.Apply(cmd.Context(), r.client, result.Manifests)
	done()
	if err != nil && n == 0 {
		return fmt.Errorf("nothing was applied:\n%w", err)
	}
	if err != nil {
		return fmt.Errorf("only %d of %d were applied:\n%w", n, len(result.Manifests), err)
	}
	return nil
}

// importSummary is what is told at the end of an import.
type importSummary struct {
	flags              *importFlags
	lines, skipped     []string
	written, observing int
	left               []importer.Left
	incomplete         bool
}

// add adds manifests that are written.
func (s *importSummary) add(manifests ...importer.Manifest) {
	for _, m := range manifests {
		if s.flags.directory != "" || s.flags.apply {
			s.lines = append(s.lines, fmt.Sprintf("%s → %s %s/%s", printable(m.Origin), m.Resource.GetKind(),
				m.Resource.GetNamespace(), m.Resource.GetName()))
		}
		for _, note := range m.Notes {
			s.lines = append(s.lines, fmt.Sprintf("Note: %s %s: %s", m.Resource.GetKind(), m.Resource.GetName(), printable(note)))
		}
		s.written++
		if m.Observes != "" {
			s.observing++
		}
	}
}

// tell prints a summary of what was written and left out.
func (s *importSummary) tell(w io.Writer) error {
	for _, line := range s.lines {
		fmt.Fprintln(w, line)
	}
	where := "written"
	switch {
	case s.flags.apply:
		where = "applied"
	case s.flags.directory != "":
		where = "written to " + s.flags.directory
	}
	fmt.Fprintf(w, "%s %s", plural(s.written, "resource"), where)
	if s.observing > 0 {
		fmt.Fprintf(w, ", of which %d only observe", s.observing)
	}
	fmt.Fprintln(w, ".")
	for _, line := range s.skipped {
		fmt.Fprintln(w, line)
	}
	if len(s.left) > 0 {
		fmt.Fprintln(w, "Left out:")
		for _, l := range s.left {
			fmt.Fprintf(w, "  %s: %s.\n", printable(l.Origin), printable(strings.TrimSuffix(l.Reason, ".")))
		}
	}
	switch {
	case s.written == 0 && len(s.left) > 0:
		return exit{1}
	case len(s.left) > 0 || s.observing > 0 || s.incomplete:
		return exit{2}
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
