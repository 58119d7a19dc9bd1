package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

func newApplyCommand() *cobra.Command {
	var flags standaloneFlags
	approved := false
	cmd := &cobra.Command{
		Use:   "apply -f MANIFEST --provider PROVIDER",
		Short: "Apply a manifest without a cluster",
		Long: `Apply a manifest without a cluster: plan it, ask for approval, and carry out the changes one after
the other.

The state file is written after every answer of the provider. FILE.backup has its content from
before the command. After an interruption, apply waits for the running operation; after a second
one it does not.

` + manifestHelp,
		Example: `  landbridge apply -f password.yaml --provider hashicorp/random
  landbridge apply -f password.yaml --provider ./terraform-provider-random_v3.9.0 --destroy --auto-approve`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ask := func() (bool, error) { return confirm(cmd, flags.mode()) }
			switch {
			case approved:
				ask = func() (bool, error) { return true, nil }
			case flags.output == "json":
				return errors.New("--output json cannot ask for approval: give --auto-approve, too")
			case !isTerminal(cmd.InOrStdin()):
				return errors.New("cannot ask for approval without a terminal: give --auto-approve to apply without asking")
			}
			unlock, err := local.Lock(flags.state, "apply")
			if err != nil {
				return err
			}
			defer unlock()
			s, err := flags.session(cmd)
			if err != nil {
				return err
			}
			defer s.close()
			return s.apply(cmd.Context(), ask)
		},
	}
	flags.add(cmd)
	_ = cmd.MarkFlagRequired("provider")
	cmd.Flags().BoolVar(&approved, "auto-approve", false, "do not ask for approval")
	return cmd
}

// apply plans, asks for approval and applies.
func (s *openSession) apply(ctx context.Context, ask func() (bool, error)) error {
	plan, messages := s.Plan(ctx, s.flags.mode())
	messages = append(s.messages, messages...)
	text := s.flags.output == "text"
	if messages.HasErrors() || text {
		if err := s.show(plan, messages); err != nil {
			return err
		}
	}
	if messages.HasErrors() {
		return exit{1}
	}
	if plan.HasChanges() {
		if yes, err := ask(); err != nil || !yes {
			return err
		}
	}
	ctx, abandon, done := abandonable(ctx)
	defer done()
	hooks := local.Hooks{Abandon: abandon}
	if text {
		hooks.Step = s.step
	}
	hooks.Stopping = func() {
		fmt.Fprintln(s.err, "\nInterrupted: waiting for the running operation to end. Interrupt again to end at "+
			"once; the outcome of the operation is then unknown.")
	}
	results, said := s.Apply(ctx, plan, hooks)
	if !text {
		d := newPlanDocument(s.flags.mode(), plan, append(messages, said...))
		d.results(results)
		if err := writeJSON(s.out, d); err != nil {
			return err
		}
	} else {
		s.tell(said)
		how := "Apply complete!"
		switch {
		case said.HasErrors():
			how = "Apply not completed."
		case plan.Mode == local.Destroy:
			how = "Destroy complete!"
		}
		fmt.Fprintf(s.out, "\n%s %s\n", how, local.Summary(local.Done(results)))
	}
	if said.HasErrors() {
		return exit{1}
	}
	return nil
}

// abandonable returns a context that ends with a second interruption.
func abandonable(ctx context.Context) (_, abandon context.Context, done func()) {
	abandon, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	go func() {
		select {
		case <-ctx.Done():
		case <-abandon.Done():
			return
		}
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		select {
		case <-signals:
			cancel()
		case <-abandon.Done():
		}
	}()
	return ctx, abandon, func() { signal.Stop(signals); cancel() }
}

func confirm(cmd *cobra.Command, mode local.Mode) (bool, error) {
	question := "Do you want to perform these actions?"
	switch mode {
	case local.Destroy:
		question = "Do you really want to destroy these objects? There is no undo."
	case local.RefreshOnly:
		question = "Do you want to remember the objects as they were found?"
	}
	return answered(cmd, question)
}

// answered asks a question, and reports whether the answer was yes. With any other answer, the
// error is the exit status.
func answered(cmd *cobra.Command, question string) (bool, error) {
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n  Only 'yes' will be accepted.\n\n  Enter a value: ", question)
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 1<<10)).ReadString('\n')
		answers <- line
	}()
	select {
	case line := <-answers:
		fmt.Fprintln(cmd.OutOrStdout())
		if strings.TrimSpace(line) != "yes" {
			fmt.Fprintln(cmd.OutOrStdout(), "Nothing was done.")
			return false, exit{1}
		}
		return true, nil
	case <-cmd.Context().Done():
		return false, errors.New("interrupted: nothing was done")
	}
}

// step prints a step of an apply, as Terraform does.
func (s *openSession) step(e local.Event) {
	name := e.Address
	if e.Deposed != "" {
		name += " (deposed object " + e.Deposed + ")"
	}
	words := map[terraform.Action][3]string{
		terraform.Create: {"Creating", "creating", "Creation"},
		terraform.Update: {"Modifying", "modifying", "Modifications"},
		terraform.Delete: {"Destroying", "destroying", "Destruction"},
	}[e.Action]
	id := ""
	if e.ID != "" {
		id = " [id=" + printable(e.ID) + "]"
	}
	switch {
	case e.Failed:
		fmt.Fprintf(s.out, "%s: %s failed after %s\n", name, words[2], e.Elapsed.Round(time.Second))
	case e.Done:
		fmt.Fprintf(s.out, "%s: %s complete after %s%s\n", name, words[2], e.Elapsed.Round(time.Second), id)
	case e.Elapsed > 0:
		fmt.Fprintf(s.out, "%s: Still %s... [%s elapsed]\n", name, words[1], e.Elapsed.Round(time.Second))
	default:
		if e.Action == terraform.Create {
			id = ""
		}
		fmt.Fprintf(s.out, "%s: %s...%s\n", name, words[0], id)
	}
}
