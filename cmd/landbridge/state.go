package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

func newStateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "List, show, export, import and correct what is stored of remote objects",
		Long: `List, show, export, import and correct what is stored of remote objects.

For each managed resource, the controller stores what it knows of the remote object in Landbridge's
own namespace: state, identity, private bytes, and the operation that is in progress. These commands
read and write that, and need permissions for the Secrets of that namespace. They call no provider.`,
	}
	cmd.AddCommand(newStateListCommand(), newStateShowCommand(), newStateExportCommand(), newStateImportCommand(),
		newStateForgetIdentityCommand())
	return cmd
}

// stateFlags are the flags of all state commands.
type stateFlags struct {
	clusterFlags
	everywhere bool
	system     string
}

func (f *stateFlags) add(cmd *cobra.Command) {
	f.clusterFlags.add(cmd)
	cmd.Flags().StringVar(&f.system, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where states are stored")
}

func (f *stateFlags) addEverywhere(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&f.everywhere, "all-namespaces", "A", false, "resources of all namespaces")
}

// openState returns the cluster with its kinds, and the namespace.
func (f *stateFlags) openState(cmd *cobra.Command) (*state.Cluster, state.Kinds, string, error) {
	config, namespace, err := f.config()
	if err != nil {
		return nil, nil, "", err
	}
	if f.everywhere {
		namespace = ""
	}
	c, err := state.Open(config, f.system)
	if err != nil {
		return nil, nil, "", err
	}
	kinds, err := c.Kinds(cmd.Context())
	return c, kinds, namespace, err
}

// findState returns the cluster, and the kind and the key of the resource that the arguments KIND
// NAME or KIND/NAME are about.
func (f *stateFlags) findState(cmd *cobra.Command, args []string) (c *state.Cluster, kind state.Kind, k store.Key, err error) {
	name, resource, err := kindAndName(args)
	if err != nil {
		return nil, kind, k, err
	}
	c, kinds, namespace, err := f.openState(cmd)
	if err == nil {
		kind, err = kinds.Find(name)
	}
	return c, kind, kind.Key(namespace, resource), err
}

// selectStates returns the cluster with its kinds, and what the arguments select.
func (f *stateFlags) selectStates(cmd *cobra.Command, args []string) (*state.Cluster, state.Kinds, state.Selection, error) {
	c, kinds, namespace, err := f.openState(cmd)
	if err != nil {
		return nil, nil, state.Selection{}, err
	}
	selection, err := kinds.Select(namespace, args)
	return c, kinds, selection, err
}

func newStateListCommand() *cobra.Command {
	var flags stateFlags
	output := statusOutputs[0]
	cmd := &cobra.Command{
		Use:   "list [KIND | KIND/NAME]...",
		Short: "List the resources whose remote objects have stored state",
		Long: `List the resources whose remote objects have stored state. The column RESOURCE is Exists, Missing if
there is no such resource any more, or NotServed if the cluster does not serve the kind.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, statusOutputs); err != nil {
				return err
			}
			c, kinds, selection, err := flags.selectStates(cmd, args)
			if err != nil {
				return err
			}
			entries, err := c.Entries(cmd.Context(), kinds, selection)
			if err != nil {
				return err
			}
			if output == "json" {
				return writeJSON(cmd.OutOrStdout(), map[string]any{"states": append([]state.Entry{}, entries...)})
			}
			if len(entries) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "Nothing is stored.")
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
			fmt.Fprintln(w, "KIND\tNAME\tTYPE\tRESOURCE")
			for _, e := range entries {
				resourceType := e.Type
				if resourceType == "" {
					resourceType = "-"
				}
				fmt.Fprintf(w, "%s.%s\t%s\t%s\t%s\n", strings.ToLower(e.Kind), e.Group,
					strings.TrimPrefix(e.Namespace+"/"+e.Name, "/"), resourceType, e.Resource)
			}
			return w.Flush()
		},
	}
	flags.add(cmd)
	flags.addEverywhere(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", output, "output format: "+strings.Join(statusOutputs, ", "))
	return cmd
}

const showSensitive = "show-sensitive"

var showOutputs = []string{"yaml", "json"}

type stateShowFlags struct {
	stateFlags
	provider       providerFlags
	sensitive      bool
	output, binary string
}

func newStateShowCommand() *cobra.Command {
	flags := stateShowFlags{provider: providerFlags{timeout: time.Minute}}
	cmd := &cobra.Command{
		Use:   "show KIND NAME",
		Short: "Show what is stored of the object of a resource",
		Long: `Show what is stored of the object of a resource. Sensitive values and private bytes are not shown
unless --show-sensitive is given. The provider's schema tells which values are
sensitive, so its program is started on this machine: that of the TerraformProvider, found in
a mirror or downloaded, or that of --provider.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(flags.output, showOutputs); err != nil {
				return err
			}
			c, kind, k, err := flags.findState(cmd, args)
			if err != nil {
				return err
			}
			rec, err := c.Load(cmd.Context(), k)
			if errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("nothing is stored of %s", state.Title(k))
			}
			if err != nil {
				return err
			}
			var s *schema.Resource
			if !flags.sensitive {
				if s, err = flags.schema(cmd, kind); err != nil {
					return fmt.Errorf("the sensitive values are not known: %w; to show all values, give --%s", err, showSensitive)
				}
			}
			d, err := state.Show(k, kind.Type, rec, s)
			if err != nil {
				return err
			}
			return writeDocument(cmd.OutOrStdout(), flags.output, d)
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&flags.sensitive, showSensitive, false, "show sensitive values and private bytes in plain text")
	cmd.Flags().StringVarP(&flags.output, "output", "o", showOutputs[0], "output format: "+strings.Join(showOutputs, ", "))
	cmd.Flags().StringVar(&flags.binary, "provider", "", "the provider: its program, a directory that holds it, or "+
		"its address, such as hashicorp/random@3.9.0 (default: that of the TerraformProvider)")
	flags.provider.addSources(cmd)
	return cmd
}

func newStateForgetIdentityCommand() *cobra.Command {
	var flags stateFlags
	cmd := &cobra.Command{
		Use:   "forget-identity KIND NAME",
		Short: "Remove the stored identity of the object of a resource",
		Long: `Remove the stored identity of the object of a resource. This is the way out of UnexpectedIdentityChange, if the
object is the right one, and its identity has changed: the next read returns the identity that it has now. Nothing else
that is stored changes. The resource must be paused, with the annotation crossplane.io/paused.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, kind, k, err := flags.findState(cmd, args)
			if err != nil {
				return err
			}
			former, err := c.ForgetIdentity(cmd.Context(), kind, k.Namespace, k.Name)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The identity of %s is forgotten. It was %s.\n", state.Title(k), former)
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}

// schema returns the schema of a kind's resource type.
func (f *stateShowFlags) schema(cmd *cobra.Command, kind state.Kind) (*schema.Resource, error) {
	var p *schema.Provider
	switch {
	case f.binary != "":
		opened, err := f.provider.open(cmd.Context(), f.binary, nil)
		if err != nil {
			return nil, err
		}
		p = opened.schema
	case kind.Module:
		return nil, errors.New("those of a module's resources are only known to the controller")
	case kind.TerraformProvider == "":
		return nil, fmt.Errorf("%s is served by a program that is made for its provider: name the provider's own program with --provider", kind)
	default:
		flags := remoteFlags{clusterFlags: f.clusterFlags, providerFlags: f.provider, installed: []string{kind.TerraformProvider}}
		r, err := flags.open(cmd, true)
		if err != nil {
			return nil, err
		}
		defer r.close()
		p = r.providers[0].model.Schema
	}
	s := p.Resources[kind.Type]
	if s == nil {
		return nil, fmt.Errorf("the provider has no resource type %s", kind.Type)
	}
	return s, nil
}

func newStateExportCommand() *cobra.Command {
	var flags stateFlags
	var sensitive bool
	var file string
	cmd := &cobra.Command{
		Use:   "export [KIND | KIND/NAME]... --show-sensitive",
		Short: "Export what is stored as a Terraform state",
		Long: `Export what is stored of the objects of a resource, a namespace or all namespaces as a Terraform
state of format 4, for a backup (landbridge state import) or for Terraform.

An export has all values in plain text, including sensitive ones and private bytes: without them it
could not be restored. So --show-sensitive is required. Keep the file as safe as the Secrets.

What is left out is listed at the end: instances of modules, kinds that are not served, and
operations that have not ended. Exit code: 0 when everything is exported; 2 when something is left
out; 1 when nothing was exported.`,
		Example: `  landbridge state export -n team-a --show-sensitive --output-file team-a.tfstate
  landbridge state export password/db -n team-a --show-sensitive | jq '.resources[0].instances[0]'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !sensitive {
				return fmt.Errorf("an export has all values in plain text, including sensitive ones, since it could "+
					"not be restored without them; give --%s to export them", showSensitive)
			}
			c, kinds, selection, err := flags.selectStates(cmd, args)
			if err != nil {
				return err
			}
			exported, err := c.Export(cmd.Context(), kinds, selection)
			if err != nil {
				return err
			}
			if len(exported.Resources) > 0 {
				if err := writeState(cmd.OutOrStdout(), file, exported.State); err != nil {
					return err
				}
			}
			w := cmd.ErrOrStderr()
			fmt.Fprintf(w, "%s exported.\n", plural(len(exported.Resources), "resource"))
			return tellLeft(w, exported.Left, len(exported.Resources))
		},
	}
	flags.add(cmd)
	flags.addEverywhere(cmd)
	cmd.Flags().BoolVar(&sensitive, showSensitive, false, "export all values in plain text; required")
	addPath(cmd, outputFile, &file, "file to write, which must not exist (default: standard output)", "json")
	return cmd
}

// writeState writes a state to a new file that only the user can read, or to w.
func writeState(w io.Writer, file string, b []byte) error {
	if file == "" {
		_, err := w.Write(b)
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}

// tellLeft prints what is left out, and returns the exit code.
func tellLeft(w io.Writer, left []state.Left, done int) error {
	if len(left) == 0 {
		return nil
	}
	fmt.Fprintln(w, "Left out:")
	for _, l := range left {
		fmt.Fprintf(w, "  %s: %s.\n", printable(l.Title), printable(l.Reason))
	}
	if done == 0 {
		return exit{1}
	}
	return exit{2}
}

func newStateImportCommand() *cobra.Command {
	var flags stateFlags
	var options state.RestoreOptions
	var module, into string
	cmd := &cobra.Command{
		Use:   "import FILE [ADDRESS...]",
		Short: "Store the instances of a Terraform state for existing resources",
		Long: `Store the instances of a Terraform state of format 4 for resources that exist in the cluster and are
not reconciled: paused ones (the annotation crossplane.io/paused is "true"), or ones that no
controller has seen yet. The remote objects are not touched. FILE may be -, which is standard input.

An instance of an exported state belongs to the resource that it was exported from. Any other one
belongs to the resource that landbridge import would make of it, in the namespace of -n. To create
resources and their stored instances at once, use landbridge import --state.

With --into KIND/NAME, the objects that the state has of the module of --module become those of one
instance of a TerraformModule. Variables are not in a state: the instance has to have those of the
module's call.

A stored instance that differs is only replaced with --overwrite, and never while an operation is in
progress. Exit code: 0 when all instances are stored; 2 when some are left out; 1 when none is
stored.`,
		Example: `  landbridge state import team-a.tfstate
  landbridge state import terraform.tfstate --module 'module.net["eu"]' --into network/eu -n team-a`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case into == "" && cmd.Flags().Changed("module"):
				return errors.New("--module needs --into KIND/NAME, the instance that gets the objects of the module")
			case into != "" && len(args) > 1:
				return errors.New("--into takes all objects of a module: remove the addresses")
			}
			raw, err := readFile(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			c, kinds, namespace, err := flags.openState(cmd)
			if err != nil {
				return err
			}
			options.Namespace = namespace
			if len(args) > 1 {
				options.Addresses = args[1:]
			}
			restored, err := importState(cmd.Context(), c, kinds, raw, options, module, into)
			w := cmd.ErrOrStderr()
			verb := "stored"
			if options.DryRun {
				verb = "would be stored"
			}
			for _, title := range restored.Written {
				fmt.Fprintf(w, "%s: %s\n", title, verb)
			}
			for _, title := range restored.Unchanged {
				fmt.Fprintf(w, "%s: unchanged\n", title)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return tellLeft(w, restored.Left, len(restored.Written)+len(restored.Unchanged))
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&options.Overwrite, "overwrite", false, "replace stored instances that differ, even if they are newer")
	cmd.Flags().StringVar(&into, "into", "", "instance of a TerraformModule, as KIND/NAME, that gets the objects of --module")
	cmd.Flags().StringVar(&module, "module", "",
		"address of the module in the state, such as module.net, for --into (default: the root module)")
	cmd.Flags().BoolVar(&options.DryRun, "dry-run", false, "check everything, and write nothing")
	return cmd
}

// importState stores the instances of a state, or those of a module for one instance.
func importState(
	ctx context.Context, c *state.Cluster, kinds state.Kinds, file []byte, o state.RestoreOptions, module, into string,
) (state.Restored, error) {
	if into == "" {
		return c.Restore(ctx, kinds, file, o)
	}
	name, resource, ok := strings.Cut(into, "/")
	if !ok || resource == "" {
		return state.Restored{}, fmt.Errorf("--into is %q, where KIND/NAME is expected", into)
	}
	kind, err := kinds.Find(name)
	if err != nil {
		return state.Restored{}, err
	}
	return c.AdoptModule(ctx, kind, resource, file, module, o)
}
