package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/spf13/cobra"
	apijson "k8s.io/apimachinery/pkg/util/json"

	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func newFunctionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "function",
		Short: "List, show and call the functions of a provider",
		Long: `List, show and call the functions of a provider, without a cluster and without credentials.

PROVIDER is the path of its program, a directory that holds it, or its address, such as
hashicorp/time or hashicorp/time@'~> 0.13', which is found in a mirror or downloaded.`,
	}
	cmd.AddCommand(newFunctionListCommand(), newFunctionShowCommand(), newFunctionCallCommand())
	return cmd
}

// functionFlags are the flags of the commands for functions.
type functionFlags struct {
	provider providerFlags
	output   string
}

// add adds the flags to a command. The first of the formats is the default.
func (f *functionFlags) add(cmd *cobra.Command, formats ...string) {
	f.provider.addSources(cmd)
	cmd.Flags().DurationVar(&f.provider.timeout, "timeout", time.Minute, "how long the provider may take to start and to answer")
	cmd.Flags().StringVarP(&f.output, "output", "o", formats[0], "output format: "+strings.Join(formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	cmd.PreRunE = func(*cobra.Command, []string) error { return checkFormat(f.output, formats) }
}

// describedFunction is a function in the output, by its name.
type describedFunction struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
	*schema.Function
}

func newFunctionListCommand() *cobra.Command {
	var flags functionFlags
	cmd := &cobra.Command{
		Use:   "list PROVIDER",
		Short: "List the functions of a provider",
		Example: `  landbridge function list hashicorp/time
  landbridge function list ./terraform-provider-time_v0.13.0 -o yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, s, err := flags.provider.load(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			all := []describedFunction{}
			for _, name := range slices.Sorted(maps.Keys(s.Signatures)) {
				f := s.Signatures[name]
				all = append(all, describedFunction{name, name + f.String(), f})
			}
			return flags.write(cmd.OutOrStdout(), all, func(w io.Writer) error {
				if len(all) == 0 {
					fmt.Fprintln(w, "The provider has no functions.")
					return nil
				}
				t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(t, "FUNCTION\tSUMMARY")
				for _, f := range all {
					fmt.Fprintf(t, "%s\t%s\n", f.Signature, f.Summary)
				}
				return t.Flush()
			})
		},
	}
	flags.add(cmd, outputs...)
	return cmd
}

func newFunctionShowCommand() *cobra.Command {
	var flags functionFlags
	cmd := &cobra.Command{
		Use:     "show PROVIDER::NAME",
		Short:   "Show a function of a provider: its parameters, its result and what it does",
		Example: `  landbridge function show hashicorp/time::rfc3339_parse`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where, name, err := functionOf(args[0])
			if err != nil {
				return err
			}
			_, s, err := flags.provider.load(cmd.Context(), where, nil)
			if err != nil {
				return err
			}
			f, err := signature(s, name)
			if err != nil {
				return err
			}
			return flags.write(cmd.OutOrStdout(), describedFunction{name, name + f.String(), f},
				func(w io.Writer) error { return showFunction(w, name, f) })
		},
	}
	flags.add(cmd, outputs...)
	return cmd
}

func showFunction(w io.Writer, name string, f *schema.Function) error {
	fmt.Fprintln(w, name+f.String())
	for _, text := range []string{f.Summary, f.Description.Text} {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(w, "\n%s\n", text)
		}
	}
	parameters := f.Parameters
	if f.Variadic != nil {
		parameters = append(slices.Clone(parameters), *f.Variadic)
	}
	if len(parameters) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PARAMETER\tTYPE\tNULL\tDESCRIPTION")
	for i, p := range parameters {
		if i >= len(f.Parameters) {
			p.Name += "..."
		}
		null := "no"
		if p.AllowNull {
			null = "yes"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", p.Name, p.Type.FriendlyNameForConstraint(), null,
			strings.Join(strings.Fields(p.Description.Text), " "))
	}
	return t.Flush()
}

func newFunctionCallCommand() *cobra.Command {
	var flags functionFlags
	cmd := &cobra.Command{
		Use:   "call PROVIDER::NAME [ARGUMENT...]",
		Short: "Call a function of a provider and print its result",
		Long: `Call a function of a provider and print its result. The provider is not configured.

An ARGUMENT is JSON, or an expression in CEL: a string is in quotes, which the shell has to keep.`,
		Example: `  landbridge function call hashicorp/time::rfc3339_parse '"2026-07-04T10:00:00Z"'
  landbridge function call hashicorp/time::rfc3339_parse '"2026-07-04" + "T10:00:00Z"' -o yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where, name, err := functionOf(args[0])
			if err != nil {
				return err
			}
			result, err := flags.call(cmd.Context(), where, name, args[1:])
			if err != nil {
				return err
			}
			return flags.write(cmd.OutOrStdout(), result, nil)
		},
	}
	flags.add(cmd, "json", "yaml")
	return cmd
}

// call starts a provider and calls its function.
func (f *functionFlags) call(ctx context.Context, where, name string, arguments []string) (result any, _ error) {
	_, err := f.provider.start(ctx, where, nil, func(ctx context.Context, server provider.Server, s *schema.Provider) error {
		function, err := signature(s, name)
		if err != nil {
			return err
		}
		given := make([]any, len(arguments))
		for i, text := range arguments {
			if given[i], err = argument(ctx, text); err != nil {
				return fmt.Errorf("argument %d is neither JSON nor an expression in CEL: %w. Put a string in quotes "+
					"that the shell keeps, such as '\"text\"'", i+1, err)
			}
		}
		values, err := translate.FunctionArguments(function, given)
		if err != nil {
			return fmt.Errorf("%s%s: %w", name, function, err)
		}
		out, diags := engine.CallFunction(ctx, server, name, values)
		if diags.HasErrors() {
			return diags.Err()
		}
		result, err = translate.FunctionResult(out)
		return err
	})
	return result, err
}

// argument returns the value of JSON, or of an expression in CEL.
func argument(ctx context.Context, text string) (any, error) {
	var v any
	if apijson.Unmarshal([]byte(text), &v) == nil {
		return v, nil
	}
	t, err := expression.NewTransform(text, cel.NullType, nil)
	if err != nil {
		return nil, err
	}
	return t.Of(ctx, nil, nil)
}

// functionOf returns the provider and the name in PROVIDER::NAME.
func functionOf(text string) (where, name string, _ error) {
	where, name, found := strings.Cut(strings.TrimPrefix(text, "provider::"), "::")
	if !found || where == "" || name == "" {
		return "", "", fmt.Errorf("%q names no function: write PROVIDER::NAME, such as hashicorp/time::rfc3339_parse", text)
	}
	return where, name, nil
}

func signature(s *schema.Provider, name string) (*schema.Function, error) {
	f := s.Signatures[name]
	switch {
	case f != nil:
		return f, nil
	case len(s.Signatures) == 0:
		return nil, errors.New("the provider has no functions")
	}
	return nil, fmt.Errorf("the provider has no function %s: landbridge function list lists its functions", name)
}

// write prints a value in a format. table prints it for people; nil if it is not printed so.
func (f *functionFlags) write(w io.Writer, v any, table func(io.Writer) error) error {
	if f.output == "table" {
		return table(w)
	}
	return writeDocument(w, f.output, v)
}
