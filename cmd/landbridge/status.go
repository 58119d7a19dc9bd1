package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/command/stream"
)

var statusOutputs = []string{"text", "wide", "name", "json", "yaml"}

type statusFlags struct {
	clusterFlags
	everywhere, watch, drifted, unready bool
	output, providerConfig, selector    string
	system                              string
}

func newStatusCommand() *cobra.Command {
	var flags statusFlags
	cmd := &cobra.Command{
		Use:   "status [KIND... | KIND/NAME...]",
		Short: "Show the status of managed resources, data sources, ephemeral resources and actions",
		Long: `Show the status of the managed resources, data sources, ephemeral resources and actions of a cluster, one per line:

  READY      whether the object can be used
  SYNCED     whether the controller could do what the resource asks for
  STATE      of the remote object: Empty (there is none), Partial (it has not been read whole),
             Tainted (it will be replaced) or Full
  OPERATION  the running operation and its duration
  ID         the object's identity at the provider, or its external name

Below a resource that is not ready stands how it is doing, and the whole text of what is wrong with it: it is
Changing, Waiting (for another object, or for a decision), Retrying, Failed (until something is changed),
Paused, or Unseen (the controller has not looked at it yet). landbridge explain has the cause.

What landbridge pause has stopped comes first, as far as the Role landbridge-pause in the controller's namespace permits to
read it; then providers, modules and provider configurations that are in trouble. KIND limits the list: a kind,
its plural or a short name, with its group if several kinds have the name, and for a data source, an ephemeral resource or an action with the name of a resource type;
KIND/NAME is one object.
With --watch a terminal shows a live table; other outputs get a line for each change. Only permissions to
list and watch what is shown are needed. NO_COLOR turns colours off.`,
		Example: `  # All managed resources of the namespace, and all of the cluster
  landbridge status
  landbridge status -A

  # What is not ready, of all that belongs to an application
  landbridge status -A --unready -l app=shop

  # Look on while some kinds change
  landbridge status -w password,file -n team-a

  # One resource, and the state of a provider
  landbridge status password/db terraformprovider/random

  # The resources that use a provider configuration
  landbridge status -A --provider-config ClusterProviderConfig/default

  # Everything that has failed, for a script
  landbridge status -A -o json | jq '.resources[] | select(.health == "Failed")'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(flags.output, statusOutputs); err != nil {
				return err
			}
			c, namespace, err := flags.open()
			if err != nil {
				return err
			}
			if flags.everywhere {
				namespace = ""
			}
			s := statusView{cluster: c, namespace: namespace, flags: flags, names: splitNames(args), out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
			told := cmd.ErrOrStderr()
			if flags.output == "text" || flags.output == "wide" {
				told = cmd.OutOrStdout()
			}
			flags.tellPauses(cmd.Context(), told, flags.system)
			switch {
			case !flags.watch:
				return s.once(cmd.Context())
			case (flags.output == "text" || flags.output == "wide") && isTerminal(s.out):
				return s.live(cmd.Context(), s.out.(*os.File))
			default:
				return s.changes(cmd.Context())
			}
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return flags.completeKinds(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVarP(&flags.everywhere, "all-namespaces", "A", false, "resources of all namespaces")
	cmd.Flags().BoolVar(&flags.drifted, "drifted", false, "only resources whose remote objects were changed outside of them")
	cmd.Flags().BoolVar(&flags.unready, "unready", false, "only what is not ready")
	cmd.Flags().StringVarP(&flags.selector, "selector", "l", "", "only resources with these labels, such as app=shop")
	cmd.Flags().StringVar(&flags.providerConfig, "provider-config", "",
		"only resources that use this provider configuration: NAME or KIND/NAME")
	cmd.Flags().BoolVarP(&flags.watch, "watch", "w", false, "watch for changes")
	cmd.Flags().StringVarP(&flags.output, "output", "o", statusOutputs[0], "output format: "+strings.Join(statusOutputs, ", "))
	cmd.Flags().StringVar(&flags.system, "system-namespace", "landbridge-system",
		"namespace of Landbridge's own objects, where the controller runs")
	cmd.MarkFlagsMutuallyExclusive("drifted", "watch")
	cmd.MarkFlagsMutuallyExclusive("provider-config", "watch")
	cmd.MarkFlagsMutuallyExclusive("selector", "watch")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(statusOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// splitNames splits a,b into a and b, as kubectl does.
func splitNames(args []string) []string {
	var out []string
	for _, a := range args {
		for name := range strings.SplitSeq(a, ",") {
			if name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

type statusView struct {
	cluster   *status.Client
	namespace string // empty: all
	flags     statusFlags
	names     []string
	out, err  io.Writer
}

// kinds returns the kinds with the given names; without names, all. Of supporting ones only those
// in trouble are shown then.
func (s *statusView) kinds() ([]status.Kind, error) {
	all, err := s.cluster.AllKinds()
	if err != nil {
		return nil, err
	}
	if len(s.names) == 0 {
		// Supporting ones first, as they are shown. Selections are of resources.
		var first, rest []status.Kind
		for _, k := range all {
			switch {
			case !k.Supporting:
				rest = append(rest, k)
			case s.flags.selector == "" && s.flags.providerConfig == "" && !s.flags.drifted:
				first = append(first, k)
			}
		}
		return append(first, rest...), nil
	}
	var out []status.Kind
	for _, name := range s.names {
		name, _, _ = strings.Cut(name, "/")
		k, err := status.Find(all, name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o status.Kind) bool { return o.String() == k.String() }) {
			out = append(out, k)
		}
	}
	return out, nil
}

// filter returns which rows the flags and the arguments select. matched is set of those that only
// --unready or --drifted leave out.
func (s *statusView) filter() (func(r status.Row) (matched, shown bool), error) {
	var used status.ProviderConfig
	if s.flags.providerConfig != "" {
		var err error
		if used, err = status.ParseProviderConfig(s.flags.providerConfig); err != nil {
			return nil, err
		}
	}
	all, err := s.cluster.AllKinds()
	if err != nil {
		return nil, err
	}
	named := map[string]bool{} // KIND.GROUP/NAME, and KIND.GROUP/ for all of a kind
	for _, n := range s.names {
		kind, name, _ := strings.Cut(n, "/")
		k, err := status.Find(all, kind)
		if err != nil {
			return nil, err
		}
		named[strings.ToLower(k.Kind)+"."+k.Group+"/"+name] = true
	}
	return func(r status.Row) (matched, shown bool) {
		kind, _, _ := strings.Cut(r.Title(), "/")
		switch {
		case len(named) > 0 && !named[kind+"/"] && !named[r.Title()]:
			return false, false
		case len(named) == 0 && r.Supporting:
			return false, r.Health != status.Ready
		case used.Name != "" && !used.Means(r.ProviderConfig):
			return false, false
		}
		return true, (!s.flags.drifted || r.Drifted) && (!s.flags.unready || r.Health != status.Ready)
	}, nil
}

// missing returns the objects that were named and not found.
func (s *statusView) missing(found map[string]bool) []string {
	var out []string
	for _, n := range s.names {
		if kind, name, ok := strings.Cut(n, "/"); ok && name != "" && !found[name] {
			out = append(out, kind+"/"+name)
		}
	}
	return out
}

func (s *statusView) once(ctx context.Context) error {
	kinds, err := s.kinds()
	if err != nil {
		return err
	}
	filter, err := s.filter()
	if err != nil {
		return err
	}
	out := s.writer(kinds)
	all, shown := 0, 0
	found := map[string]bool{}
	var failed error // to write
	visit := func(rows []status.Row) error {
		rows = slices.DeleteFunc(rows, func(r status.Row) bool {
			matched, show := filter(r)
			if matched {
				found[r.Name] = true
				all++
			}
			if matched && show {
				shown++
			}
			return !show
		})
		failed = out.Write(rows)
		return failed
	}
	if len(s.names) == 0 {
		// Who may only list resources sees only these.
		var supporting []status.Kind
		supporting, kinds = split(kinds)
		if err := s.cluster.Pages(ctx, supporting, s.namespace, "", visit); err != nil && failed == nil && !kerrors.IsForbidden(err) {
			fmt.Fprintln(s.err, "Not all that resources need is shown:", err)
		}
	}
	if failed == nil {
		err = s.cluster.Pages(ctx, kinds, s.namespace, s.flags.selector, visit)
	}
	if failed != nil {
		return failed
	}
	if err != nil && all == 0 {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	switch {
	case s.flags.output == "json" || s.flags.output == "yaml" || s.flags.output == "name":
	case shown > 0:
	case all > 0 && s.flags.drifted:
		fmt.Fprintln(s.err, "No resource has drifted.")
	case all > 0:
		fmt.Fprintln(s.err, "All resources are ready.")
	case s.flags.selector != "" && err == nil:
		fmt.Fprintf(s.err, "No resource has the labels %s.\n", s.flags.selector)
	case s.flags.providerConfig != "" && err == nil:
		fmt.Fprintf(s.err, "No resource uses the provider configuration %s.\n", s.flags.providerConfig)
	case len(s.missing(found)) == 0:
		s.nothing(kinds)
	}
	if err != nil {
		fmt.Fprintln(s.err, "Some resources are not shown:", err)
		return exit{1}
	}
	if missing := s.missing(found); len(missing) > 0 {
		return fmt.Errorf("not found%s: %s", s.where(), strings.Join(missing, ", "))
	}
	return nil
}

// split returns the supporting kinds, and those of resources.
func split(kinds []status.Kind) (supporting, resources []status.Kind) {
	for _, k := range kinds {
		if k.Supporting {
			supporting = append(supporting, k)
		} else {
			resources = append(resources, k)
		}
	}
	return supporting, resources
}

func (s *statusView) where() string {
	if s.namespace == "" {
		return ""
	}
	return " in namespace " + s.namespace
}

// rowWriter shows rows while they arrive.
type rowWriter interface {
	Write([]status.Row) error
	Close() error
}

func (s *statusView) writer(kinds []status.Kind) rowWriter {
	switch s.flags.output {
	case "json", "yaml":
		return &rowList{List: stream.List{Out: s.out, Name: "resources", YAML: s.flags.output == "yaml"}}
	case "name":
		return nameList{s.out}
	default:
		return status.NewTable(s.out, kinds, time.Now(), s.style())
	}
}

// style returns how tables are shown.
func (s *statusView) style() status.Style {
	out := status.Style{Wide: s.flags.output == "wide", Namespaced: s.namespace == ""}
	if f, ok := s.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			out.Columns = w
			out.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		}
	}
	return out
}

// nothing says that there are no resources.
func (s *statusView) nothing(kinds []status.Kind) {
	where := "in namespace " + s.namespace + "; -A looks in all"
	if s.namespace == "" {
		where = "in the cluster"
	}
	if len(kinds) == 0 {
		fmt.Fprintln(s.err, "The cluster serves no managed resources. kubectl get terraformproviders shows which providers are installed.")
		return
	}
	fmt.Fprintf(s.err, "There are no managed resources %s.\n", where)
}

// nameList writes KIND.GROUP/NAME of rows.
type nameList struct{ out io.Writer }

func (l nameList) Write(rows []status.Row) error {
	for _, r := range rows {
		if _, err := fmt.Fprintln(l.out, r.Title()); err != nil {
			return err
		}
	}
	return nil
}

func (nameList) Close() error { return nil }

// rowList writes rows as the list resources of an object, and those of what resources need as its
// list supporting.
type rowList struct {
	stream.List
	supporting []status.Row
}

func (l *rowList) Write(rows []status.Row) error {
	var elements []any
	for _, r := range rows {
		if r.Supporting {
			l.supporting = append(l.supporting, r)
		} else {
			elements = append(elements, r)
		}
	}
	return l.List.Write(elements...)
}

func (l *rowList) Close() error {
	if len(l.supporting) == 0 {
		return l.List.Close(nil)
	}
	return l.List.Close(struct {
		Supporting []status.Row `json:"supporting"`
	}{l.supporting})
}

// changes prints a line for each resource, and for each change.
func (s *statusView) changes(ctx context.Context) error {
	filter, err := s.filter()
	if err != nil {
		return err
	}
	var broken error
	told := map[string]bool{} // which rows were shown
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = s.cluster.Watch(ctx, s.kinds, s.namespace, func() {}, func(c status.Change) {
		if _, show := filter(c.Row); !show && !told[c.Key()] {
			return
		} else {
			told[c.Key()] = show // that it is not shown any more is a change, too
		}
		var err error
		switch s.flags.output {
		case "json", "yaml":
			err = s.encode(struct {
				status.Row `json:",inline"`
				Gone       bool `json:"gone,omitempty"`
			}{c.Row, c.Gone})
		case "name":
			_, err = fmt.Fprintln(s.out, c.Title())
		default:
			_, err = fmt.Fprintln(s.out, c.Line(time.Now()))
		}
		if err != nil && broken == nil {
			broken = err // the output is closed
			cancel()
		}
	})
	return errors.Join(err, broken)
}

// encode writes a value as a line of JSON, or a document of YAML.
func (s *statusView) encode(v any) error {
	if s.flags.output == "json" {
		return json.NewEncoder(s.out).Encode(v)
	}
	b, err := yaml.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "---\n%s", b)
	}
	return err
}

// Terminal sequences: enter and leave the alternate screen; move the cursor to the top and clear
// below it.
const (
	screenOn  = "\x1b[?1049h\x1b[?25l"
	screenOff = "\x1b[?25h\x1b[?1049l"
	screenTop = "\x1b[H\x1b[J"
)

// live shows a live table on the terminal until it is interrupted, and then prints the last one.
func (s *statusView) live(ctx context.Context, terminal *os.File) error {
	filter, err := s.filter()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes := make(chan status.Change)
	listed, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		ended <- s.cluster.Watch(ctx, s.kinds, s.namespace, func() { listed <- struct{}{} }, func(c status.Change) {
			select {
			case changes <- c:
			case <-ctx.Done():
			}
		})
	}()
	fmt.Fprint(terminal, screenOn)
	rows := map[string]status.Row{}
	sorted := func() []status.Row {
		out := make([]status.Row, 0, len(rows))
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			out = append(out, rows[key])
		}
		return out
	}
	ready, dirty := false, false
	draw := func() {
		style := s.style()
		_, lines, err := term.GetSize(int(terminal.Fd()))
		if err != nil {
			style.Columns, lines = 80, 24
		}
		// In one write, to avoid flicker. The terminal is not in raw mode, so Ctrl-C works.
		fmt.Fprint(terminal, screenTop+status.Screen(sorted(), time.Now(), style, lines))
	}
	second, soon := time.NewTicker(time.Second), time.NewTicker(150*time.Millisecond)
	defer second.Stop()
	defer soon.Stop()
	for {
		select {
		case c := <-changes:
			dirty = true
			if _, show := filter(c.Row); c.Gone || !show {
				delete(rows, c.Key())
			} else {
				rows[c.Key()] = c.Row
			}
		case <-listed:
			ready, dirty = true, true
		case <-soon.C:
			if ready && dirty {
				dirty = false
				draw()
			}
		case <-second.C: // operations grow older
			dirty = true
		case err := <-ended:
			fmt.Fprint(terminal, screenOff)
			if err == nil && len(rows) > 0 {
				fmt.Fprintln(terminal, status.Summary(sorted()))
				fmt.Fprint(terminal, status.Table(sorted(), time.Now(), s.style()))
			}
			return err
		}
	}
}
