package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/command/stream"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

var historyOutputs = []string{"text", "wide", "json", "yaml"}

type historyFlags struct {
	stateFlags
	since          time.Duration
	by, at, output string
	kinds          []string
	shownAt        time.Time
}

func newHistoryCommand() *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history [KIND | KIND/NAME]...",
		Short: "Show what happened to the remote objects of resources",
		Long: `Show what happened to the remote objects of resources: each operation with its time, duration and outcome, by whose
wish it was carried out, and what it has changed; imports, drift and moves, too.

Of an action, the last attempt is shown, by its status.

The change record is stored with the state of each resource and is bounded, so old entries are missing; how many is
shown. It ends when the resource is deleted. Sensitive values are never in it. Resources of one name that were created
one after the other are told apart by their UIDs.

With --at, the values of fields that were known at that time are shown, and since when, as far as the record reaches.
Permissions for the Secrets of Landbridge's own namespace are needed.`,
		Example: `  # What happened to one resource
  landbridge history password/db -n team-a

  # What happened in the cluster last night, and what one person changed or approved
  landbridge history -A --since 12h
  landbridge history -A --by alice@example.com

  # The values at a time
  landbridge history password/db -n team-a --at 2026-03-01T12:00:00Z`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(f.output, historyOutputs); err != nil {
				return err
			}
			if f.at != "" {
				var err error
				if f.shownAt, err = time.Parse(time.RFC3339, f.at); err != nil {
					return fmt.Errorf("--at is %q, where a time such as 2026-03-01T12:00:00Z is expected", f.at)
				}
			}
			c, kinds, namespace, err := f.openState(cmd)
			if err != nil {
				return err
			}
			actions, err := c.ActionKinds()
			if err != nil {
				return err
			}
			selection, err := slices.Concat(kinds, actions).Select(namespace, slices.Concat(args, f.kinds))
			if err != nil {
				return err
			}
			records, unread := c.Histories(cmd.Context(), selection)
			invoked, err := c.Invocations(cmd.Context(), actions, selection)
			records, unread = append(records, invoked...), errors.Join(unread, err)
			if len(records) == 0 && unread != nil {
				return unread
			}
			write := f.show
			if f.at != "" {
				write = f.values
			}
			return errors.Join(write(cmd, records), unread)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return f.completeKinds(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f.add(cmd)
	f.addEverywhere(cmd)
	flags := cmd.Flags()
	flags.DurationVar(&f.since, "since", 0, "only what is not older, such as 24h (default: all)")
	flags.StringVar(&f.by, "by", "", "only what was approved by this user, or for which this user changed the spec, "+
		"or what has this text in BECAUSE")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only resources of this kind, as the argument KIND")
	flags.StringVar(&f.at, "at", "", "the values that were known at this time, such as 2026-03-01T12:00:00Z")
	flags.StringVarP(&f.output, "output", "o", historyOutputs[0], "output format: "+strings.Join(historyOutputs, ", "))
	cmd.MarkFlagsMutuallyExclusive("at", "since")
	cmd.MarkFlagsMutuallyExclusive("at", "by")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(historyOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// show writes the entries that the flags select, those of all resources by time.
func (f *historyFlags) show(cmd *cobra.Command, records []state.History) error {
	filter := state.HistoryFilter{By: f.by}
	if f.since > 0 {
		filter.Since = time.Now().Add(-f.since)
	}
	for i := range records {
		records[i].Entries = filter.Of(records[i].Log)
	}
	records = slices.DeleteFunc(records, func(h state.History) bool { return len(h.Entries) == 0 && h.Cut == 0 })
	if f.output == "json" || f.output == "yaml" {
		return writeList(cmd.OutOrStdout(), f.output, records)
	}
	if len(records) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "There is nothing in the change records.")
		return nil
	}
	return f.table(cmd.OutOrStdout(), records)
}

// writeList writes elements as the list resources of an object.
func writeList[T any](out io.Writer, output string, elements []T) error {
	list := stream.List{Out: out, Name: "resources", YAML: output == "yaml"}
	for _, e := range elements {
		if err := list.Write(e); err != nil {
			return err
		}
	}
	return list.Close(nil)
}

// table writes a line for each entry, and below it its changes.
func (f *historyFlags) table(out io.Writer, records []state.History) error {
	type line struct {
		of string
		history.Entry
	}
	var lines []line
	for _, h := range records {
		for _, e := range h.Entries {
			of := state.Title(h.Key())
			if e.UID != "" && e.UID != h.UID {
				of += " (earlier resource " + string(e.UID) + ")"
			}
			lines = append(lines, line{of, e})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.At.Compare(b.At) })
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	head := "TIME\tRESOURCE\tACTION\tOUTCOME\tTOOK\tBECAUSE"
	if f.output == "wide" {
		head += "\tCHANGED BY\tPROVIDER\tACCOUNT\tOPERATION"
	}
	fmt.Fprintln(w, head)
	for _, l := range lines {
		cells := []string{l.At.UTC().Format(time.RFC3339), l.of, l.What(), string(l.Outcome), l.Duration(), l.Because}
		if f.output == "wide" {
			cells = append(cells, l.Author.String(), l.Provider, l.Account, l.Operation)
		}
		for i, c := range cells {
			if cells[i] = stream.OneLine(c); c == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
		for _, text := range l.Lines() {
			fmt.Fprintln(w, "  "+stream.OneLine(text))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, h := range records {
		if h.Cut > 0 {
			if _, err := fmt.Fprintf(out, "%s: older entries are not kept any more (%d).\n", state.Title(h.Key()), h.Cut); err != nil {
				return err
			}
		}
	}
	return nil
}

// valuesAt is what is known of the values of an object at a time.
type valuesAt struct {
	Group     string          `json:"group"`
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	At        time.Time       `json:"at"`
	Values    []history.Value `json:"values"`
}

// values writes the values that were known at the time of --at.
func (f *historyFlags) values(cmd *cobra.Command, records []state.History) error {
	var out []valuesAt
	for _, h := range records {
		if values := h.At(f.shownAt).Values(); len(values) > 0 {
			out = append(out, valuesAt{Group: h.Group, Kind: h.Kind, Namespace: h.Namespace, Name: h.Name, At: f.shownAt, Values: values})
		}
	}
	if f.output == "json" || f.output == "yaml" {
		return writeList(cmd.OutOrStdout(), f.output, out)
	}
	if len(out) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "The change records do not tell any value at that time.")
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "RESOURCE\tFIELD\tVALUE\tSINCE")
	for _, x := range out {
		title := state.Title(store.Key{Group: x.Group, Kind: x.Kind, Namespace: x.Namespace, Name: x.Name})
		for _, v := range x.Values {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", title, v.Path, stream.OneLine(v.Text()), v.Since.UTC().Format(time.RFC3339))
		}
	}
	return w.Flush()
}
