package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/discover"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

func newDiscoverCommand() *cobra.Command {
	var flags remoteFlags
	var list listFlags
	var query queryFlag
	unmanaged, output, state := false, "table", ""
	cmd := &cobra.Command{
		Use:   "discover [TYPE...]",
		Short: "List remote objects and their owners",
		Long: `List remote objects through the provider's list resources, with their identities and the custom
resources that manage them, or describe them already (declared). Nothing is created, changed or imported.

TYPE is a Terraform resource type; * stands for any characters. Defaults to all types that the
provider can list and, in a cluster, that are activated.

` + remoteHelp,
		Example: `  # In the cluster of your kubeconfig: objects without an owner
  landbridge discover --unmanaged --provider-mirror /var/lib/terraform/mirror
  # As a ResourceQuery lists them, and all of them
  landbridge discover --query things -n team-a

  # Without a cluster
  landbridge discover 'examplecloud_*' --provider ./terraform-provider-examplecloud --configuration config.yaml
  landbridge discover examplecloud_thing --set region=eu-central-1 -o json --provider ./terraform-provider-examplecloud`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, outputs); err != nil {
				return err
			}
			what := selection{patterns: args, list: &list}
			flags.need = forTypes(args)
			if err := query.check(args); err != nil {
				return err
			}
			if query.name != "" {
				var err error
				if what, err = query.selection(cmd.Context(), &flags, &list); err != nil {
					return err
				}
			}
			what.state, what.unmanaged = state, unmanaged
			r, err := flags.open(cmd, false)
			if err != nil {
				return err
			}
			defer r.close()
			if unmanaged && r.cluster == nil && state == "" {
				return errors.New("--unmanaged needs a cluster or --state to know which objects are managed")
			}
			out := discover.NewTable(cmd.OutOrStdout())
			if output != "table" {
				out = discover.NewWriter(cmd.OutOrStdout(), output == "yaml")
			}
			d, err := r.discover(cmd, what, func(_ *remoteProvider, objects []discovery.Object) error {
				return out.Write(objects)
			})
			if err != nil {
				return err
			}
			if err := out.Close(discovery.NewGaps(d.listings, d.unlistable)); err != nil {
				return err
			}
			return d.tell(cmd.ErrOrStderr())
		},
	}
	flags.add(cmd)
	list.add(cmd)
	query.add(cmd)
	cmd.Flags().BoolVar(&unmanaged, "unmanaged", false, "only objects without an owner")
	cmd.Flags().StringVar(&state, "state", "", "Terraform state whose resources count as owners, too")
	cmd.Flags().StringVarP(&output, "output", "o", output, "output format: "+strings.Join(outputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// listFlags are the arguments of list resources.
type listFlags struct {
	file  string
	set   []string
	limit int64
}

func (f *listFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.file, "filename", "f", "",
		"YAML file with arguments of list resources, by type: {examplecloud_thing: {region: eu-central-1}}")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "argument of the list resources, as NAME=VALUE, for all types that are listed")
	cmd.Flags().Int64Var(&f.limit, "limit", 10000, "maximum of objects listed per type")
}

// selection is what discover lists.
type selection struct {
	patterns  []string // of types
	list      *listFlags
	state     string // a file with further owners; empty: none
	unmanaged bool   // only objects without an owner
	// given are arguments of the list resource, beside those of list.
	given map[string]any
}

// found gets the objects of a provider, in pages.
type found func(*remoteProvider, []discovery.Object) error

// discovered is the result of discover, apart from the objects.
type discovered struct {
	listings []discovery.Listing
	// unlistable are types that cannot be listed.
	unlistable []*model.Resource
	// explicit is set when the types were named.
	explicit bool
	// problems are errors of providers that could not be used.
	problems []error
}

// discover lists the objects of a selection. It stops with the first error of each.
func (r *remote) discover(cmd *cobra.Command, what selection, each found) (*discovered, error) {
	patterns, list := what.patterns, what.list
	if list.limit < 1 {
		return nil, errors.New("--limit must be at least 1")
	}
	reference, err := r.flags.reference()
	if err != nil {
		return nil, err
	}
	arguments, err := list.read()
	if err != nil {
		return nil, err
	}
	out := &discovered{explicit: len(patterns) > 0}
	selected, used := 0, map[string]bool{}
	requests := map[*remoteProvider][]discovery.Request{}
	for _, p := range r.providers {
		wanted := patterns
		if len(wanted) == 0 {
			if wanted = p.activate[model.Managed]; len(wanted) == 0 {
				wanted = []string{"*"}
			}
		}
		types, err := matching(p.model, wanted)
		if err != nil {
			return nil, err
		}
		selected += len(types)
		for _, m := range types {
			l := p.model.ListResource(m.Type)
			if l == nil {
				out.unlistable = append(out.unlistable, m)
				continue
			}
			used[m.Type] = true
			given := what.given
			if given == nil {
				given = arguments[m.Type]
			}
			given, err := list.arguments(l, given)
			if err != nil {
				return nil, err
			}
			config, diags := translate.ListConfig(l, given, nil)
			if diags.HasErrors() {
				return nil, fmt.Errorf("%s The arguments to list %s are: %s", diags.Errors()[0].Format(l.UserPath), m.Type, argumentNames(l))
			}
			requests[p] = append(requests[p], discovery.Request{Resource: m, List: l, Config: config, Limit: list.limit})
		}
	}
	for _, u := range r.unopened {
		// A type that was found is not one of a provider that failed.
		if len(patterns) == 0 || selected == 0 {
			out.problems = append(out.problems, u.err)
		}
	}
	switch {
	case selected == 0:
		return nil, r.noType(strings.Join(patterns, " or "))
	case len(requests) == 0:
		return nil, errors.New(out.cannotList())
	}
	for t := range arguments {
		if !used[t] {
			return nil, fmt.Errorf("%s has arguments for %s, which is not listed", list.file, t)
		}
	}
	for _, p := range r.providers {
		if len(requests[p]) == 0 {
			continue
		}
		var failed error // to pass objects on
		err := r.list(cmd.Context(), out, listing{
			selection: what, provider: p, configuration: reference, requests: requests[p],
		}, func(p *remoteProvider, objects []discovery.Object) error {
			failed = each(p, objects)
			return failed
		})
		if failed != nil {
			return nil, failed
		}
		if err != nil {
			out.problems = append(out.problems, err)
		}
	}
	if len(out.listings) == 0 {
		return nil, errors.Join(out.problems...)
	}
	return out, nil
}

// listing is the input of a listing with one provider.
type listing struct {
	selection
	provider      *remoteProvider
	configuration importer.Configuration
	requests      []discovery.Request
}

// list lists the objects of one provider, and passes them on with their owners. It adds to out how
// that ended.
func (r *remote) list(ctx context.Context, out *discovered, what listing, each found) error {
	p := what.provider
	opened, err := r.configured(ctx, p, what.configuration, true)
	if err != nil {
		return err
	}
	addresses, err := stateOwners(what.state, p)
	if err != nil {
		return err
	}
	listings, err := discovery.All(ctx, opened.Server, what.requests, func(request discovery.Request, objects []discovery.Object) error {
		var owners *discovery.Owners
		if opened.Owners != nil {
			if owners, err = opened.Owners(ctx, request.Resource); err != nil {
				return err
			}
		}
		for i := range objects {
			o := &objects[i]
			if owners != nil {
				o.Owners = owners.Of(o.Identity)
			}
			if x := addresses[o.Resource.Type]; x != nil {
				o.Owners = append(o.Owners, x.Of(o.Identity)...)
			}
		}
		if what.unmanaged {
			objects = slices.DeleteFunc(objects, func(o discovery.Object) bool { return len(o.Owners) > 0 })
		}
		return each(p, objects)
	})
	for _, l := range listings {
		for i, d := range l.Diagnostics {
			conceal := r.secrets.Replacer()
			l.Diagnostics[i].Summary, l.Diagnostics[i].Detail = conceal.Replace(d.Summary), conceal.Replace(d.Detail)
		}
	}
	out.listings = append(out.listings, listings...)
	return err
}

// stateOwners returns the resources of a Terraform state as owners, by type.
func stateOwners(file string, p *remoteProvider) (map[string]*discovery.Owners, error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	estate, err := importer.ReadState(b, func(source, _ string) (*importer.ConfiguredProvider, error) {
		if !sameProvider(source, p.source) {
			return nil, errors.New("it belongs to another provider")
		}
		return &importer.ConfiguredProvider{Model: p.model}, nil
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all := map[string][]discovery.Owner{}
	for _, i := range estate.Items {
		all[i.Resource.Type] = append(all[i.Resource.Type], discovery.Owner{Address: i.Origin, Identity: i.Stored.Identity})
	}
	out := map[string]*discovery.Owners{}
	for t, owners := range all {
		out[t] = discovery.NewOwners(owners)
	}
	return out, nil
}

// read reads the file of arguments.
func (f *listFlags) read() (map[string]map[string]any, error) {
	if f.file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(f.file)
	if err != nil {
		return nil, err
	}
	var out map[string]map[string]any
	if err := yaml.UnmarshalStrict(raw, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", f.file, err)
	}
	return out, nil
}

// arguments returns the arguments of a type: those of the file, overridden by those of --set.
func (f *listFlags) arguments(l *model.ListResource, given map[string]any) (map[string]any, error) {
	out := maps.Clone(given)
	for _, s := range f.set {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: must be NAME=VALUE", s)
		}
		if out == nil {
			out = map[string]any{}
		}
		field := l.Config.Object.ByInput(name)
		if field == nil {
			if field = l.Config.Object.ByTerraform(name); field != nil {
				name = field.InputName()
			}
		}
		if field == nil || field.Type.Kind == model.String {
			out[name] = text
			continue
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return nil, fmt.Errorf("--set %s: %w", s, err)
		}
		out[name] = value
	}
	return out, nil
}

func argumentNames(l *model.ListResource) string {
	var names []string
	for _, f := range l.Config.Object.All {
		names = append(names, f.InputName())
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// sameProvider reports whether two addresses are of the same provider, whichever of the public
// registries they name.
func sameProvider(a, b string) bool {
	public := func(s string) string {
		for _, host := range []string{"registry.terraform.io/", "registry.opentofu.org/"} {
			if rest, ok := strings.CutPrefix(s, host); ok {
				return rest
			}
		}
		return s
	}
	return a == b || public(a) == public(b)
}

// tell prints notes, and returns an error if the list is incomplete because of errors.
func (d *discovered) tell(w io.Writer) error {
	failed := len(d.problems) > 0
	for _, err := range d.problems {
		fmt.Fprintf(w, "Error: %s\n", printable(err.Error()))
	}
	for _, l := range d.listings {
		t := l.Request.Resource.Type
		for _, x := range l.Diagnostics {
			fmt.Fprintf(w, "%s: %s: %s\n", x.Severity, t, printable(x.Format(l.Request.List.UserPath)))
		}
		if l.More {
			fmt.Fprintf(w, "Note: %s: there may be more than %d objects; raise --limit to see them.\n", t, l.Request.Limit)
		}
		failed = failed || l.Diagnostics.HasErrors()
	}
	if len(d.unlistable) > 0 {
		fmt.Fprintln(w, "Note: "+d.cannotList())
	}
	if failed {
		return exit{1}
	}
	return nil
}

// cannotList returns a note about types that cannot be listed, and how to import their objects.
func (d *discovered) cannotList() string {
	const few = 3
	types := make([]string, 0, len(d.unlistable))
	for _, m := range d.unlistable {
		types = append(types, m.Type)
	}
	how := "landbridge import TYPE --id ID"
	if m := d.unlistable[0]; len(types) == 1 {
		how = "landbridge import " + m.Type + " --id ID"
		if m.Schema.Identity != nil {
			how = "landbridge import " + m.Type + " --identity " + strings.Join(m.Schema.Identity.Required(), "=…,") + "=…"
		}
	}
	what := strings.Join(types, ", ")
	if !d.explicit && len(types) > few {
		what = fmt.Sprintf("%s and %d more types", strings.Join(types[:few], ", "), len(types)-few)
	}
	return fmt.Sprintf("%s cannot be listed: the provider has no list resource for it. Objects that you know are "+
		"imported one by one: %s", what, how)
}
