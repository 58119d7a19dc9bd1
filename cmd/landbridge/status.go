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

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/command/stream"
)

var statusOutputs = []string{"text", "json"}

type statusFlags struct {
	clusterFlags
	everywhere, watch, drifted bool
	output, providerConfig     string
}

func newStatusCommand() *cobra.Command {
	var flags statusFlags
	cmd := &cobra.Command{
		Use:   "status [KIND...]",
		Short: "Show the status of managed resources",
		Long: `Show the status of the managed resources of a cluster, one per line:

  STATE      of the remote object: Empty (there is none), Partial (it has not been read whole),
             Tainted (it will be replaced) or Full
  READY      whether the object can be used
  SYNCED     whether the controller could do what the resource asks for
  OPERATION  the running operation and its duration
  ID         the object's identity at the provider, or its external name
  MESSAGE    the most important problem, if there is one

KIND limits the list: a kind, its plural or a short name, with its group if several kinds have the
name. With --watch a terminal shows a live table; other outputs get a line for each change. Only
permissions to list and watch the resources are needed.`,
		Example: `  # All managed resources of the namespace, and all of the cluster
  landbridge status
  landbridge status -A

  # Look on while some kinds change
  landbridge status -w password,file -n team-a

  # The resources that use a provider configuration
  landbridge status -A --provider-config ClusterProviderConfig/default

  # Everything that is not ready, for a script
  landbridge status -A -o json | jq '.resources[] | select(.ready != "True")'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(statusOutputs, flags.output) {
				return fmt.Errorf("unknown output %q: must be one of %s", flags.output, strings.Join(statusOutputs, ", "))
			}
			c, namespace, err := flags.open()
			if err != nil {
				return err
			}
			if flags.everywhere {
				namespace = ""
			}
			s := statusView{cluster: c, namespace: namespace, flags: flags, names: splitNames(args), out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
			switch {
			case !flags.watch:
				return s.once(cmd.Context())
			case flags.output == "text" && isTerminal(s.out):
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
	cmd.Flags().StringVar(&flags.providerConfig, "provider-config", "", "only resources that use this provider configuration: NAME or KIND/NAME")
	cmd.Flags().BoolVarP(&flags.watch, "watch", "w", false, "watch for changes")
	cmd.Flags().StringVarP(&flags.output, "output", "o", statusOutputs[0], "output format: "+strings.Join(statusOutputs, ", "))
	cmd.MarkFlagsMutuallyExclusive("drifted", "watch")
	cmd.MarkFlagsMutuallyExclusive("provider-config", "watch")
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

// kinds returns the kinds with the given names.
func (s *statusView) kinds() ([]status.Kind, error) {
	all, err := s.cluster.Kinds()
	if err != nil || len(s.names) == 0 {
		return all, err
	}
	var out []status.Kind
	for _, name := range s.names {
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

func (s *statusView) once(ctx context.Context) error {
	var used status.ProviderConfig
	if s.flags.providerConfig != "" {
		var err error
		if used, err = status.ParseProviderConfig(s.flags.providerConfig); err != nil {
			return err
		}
	}
	kinds, err := s.kinds()
	if err != nil {
		return err
	}
	out := s.table(kinds)
	if s.flags.output == "json" {
		out = &rowList{stream.List{Out: s.out, Name: "resources"}}
	}
	all, shown := 0, 0
	var failed error // to write
	err = s.cluster.Pages(ctx, kinds, s.namespace, "", func(rows []status.Row) error {
		if used.Name != "" {
			rows = slices.DeleteFunc(rows, func(r status.Row) bool { return !used.Means(r.ProviderConfig) })
		}
		all += len(rows)
		if s.flags.drifted {
			rows = slices.DeleteFunc(rows, func(r status.Row) bool { return !r.Drifted })
		}
		shown += len(rows)
		failed = out.Write(rows)
		return failed
	})
	if failed != nil || err != nil && all == 0 {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	switch {
	case shown > 0 || s.flags.output == "json":
	case all > 0:
		fmt.Fprintln(s.err, "No resource has drifted.")
	case used.Name != "" && err == nil:
		fmt.Fprintf(s.err, "No resource uses the provider configuration %s.\n", s.flags.providerConfig)
	default:
		s.nothing(kinds)
	}
	if err != nil {
		fmt.Fprintln(s.err, "Some resources are not shown:", err)
		return exit{1}
	}
	return nil
}

// rowWriter shows rows while they arrive.
type rowWriter interface {
	Write([]status.Row) error
	Close() error
}

func (s *statusView) table(kinds []status.Kind) rowWriter {
	columns := 0
	if f, ok := s.out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			columns = w
		}
	}
	return status.NewTable(s.out, kinds, time.Now(), columns)
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

// rowList writes rows as the list resources of a JSON object.
type rowList struct{ stream.List }

func (l *rowList) Write(rows []status.Row) error {
	elements := make([]any, len(rows))
	for i, r := range rows {
		elements[i] = r
	}
	return l.List.Write(elements...)
}

func (l *rowList) Close() error { return l.List.Close(nil) }

// changes prints a line for each resource, and for each change.
func (s *statusView) changes(ctx context.Context) error {
	var broken error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := s.cluster.Watch(ctx, s.kinds, s.namespace, func() {}, func(c status.Change) {
		var err error
		if s.flags.output == "json" {
			err = json.NewEncoder(s.out).Encode(struct {
				status.Row
				Gone bool `json:"gone,omitempty"`
			}{c.Row, c.Gone})
		} else {
			_, err = fmt.Fprintln(s.out, c.Line(time.Now()))
		}
		if err != nil && broken == nil {
			broken = err // the output is closed
			cancel()
		}
	})
	return errors.Join(err, broken)
}

// Terminal sequences: enter and leave the alternate screen; move the cursor to the top and clear below it.
const (
	screenOn  = "\x1b[?1049h\x1b[?25l"
	screenOff = "\x1b[?25h\x1b[?1049l"
	screenTop = "\x1b[H\x1b[J"
)

// live shows a live table on the terminal until it is interrupted, and then prints the last one.
func (s *statusView) live(ctx context.Context, terminal *os.File) error {
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
		columns, lines, err := term.GetSize(int(terminal.Fd()))
		if err != nil {
			columns, lines = 80, 24
		}
		// In one write, to avoid flicker. The terminal is not in raw mode, so Ctrl-C works.
		fmt.Fprint(terminal, screenTop+status.Screen(sorted(), time.Now(), columns, lines))
	}
	second, soon := time.NewTicker(time.Second), time.NewTicker(150*time.Millisecond)
	defer second.Stop()
	defer soon.Stop()
	for {
		select {
		case c := <-changes:
			if dirty = true; c.Gone {
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
				columns, _, _ := term.GetSize(int(terminal.Fd()))
				fmt.Fprint(terminal, status.Table(sorted(), time.Now(), columns))
			}
			return err
		}
	}
}
