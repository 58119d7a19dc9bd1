package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

var explainOutputs = []string{"text", "json", "yaml"}

func newExplainCommand() *cobra.Command {
	var flags clusterFlags
	var output, system string
	var watch bool
	cmd := &cobra.Command{
		Use:   "explain KIND/NAME",
		Short: "Explain why an object is not ready",
		Long: `Explain why a managed resource, a data source, an ephemeral resource, an action, the instance of a module, a TerraformProvider, a TerraformModule or
a provider configuration is not ready: the chain from it over its references, its provider configuration, its
provider and the controller to the cause, as a tree; what happened when; and the one command that helps.

KIND is a kind, its plural or a short name, with its group if several kinds have the name. KIND NAME is
accepted too. Only what you may read is explained: permissions for events and CRDs add to it, and the Role
landbridge-replicas in the controller's namespace adds which replica works on the object. Of Secrets only their
existence is looked at, except for the controller's table of shards. It changes nothing.

The exit status is 0 whatever the object's state is, and 1 if it cannot be explained.`,
		Example: `  landbridge explain password/db -n team-a
  landbridge explain terraformprovider/random

  # Look on until it is ready
  landbridge explain password/db -n team-a --watch

  # The cause, for a script
  landbridge explain password/db -o json | jq -r '.. | select(.cause? == true) | .name'`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, explainOutputs); err != nil {
				return err
			}
			v, err := flags.explained(args, system)
			if err != nil {
				return err
			}
			v.output, v.out = output, cmd.OutOrStdout()
			if watch {
				return v.watch(cmd.Context())
			}
			_, err = v.once(cmd.Context(), "")
			return err
		},
		ValidArgsFunction: flags.completeAny,
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&system, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where the controller runs")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "explain it again whenever that changes, until it is ready")
	cmd.Flags().StringVarP(&output, "output", "o", explainOutputs[0], "output format: "+strings.Join(explainOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(explainOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

type explainView struct {
	c               *status.Client
	reader          *explain.Reader
	kind            status.Kind
	namespace, name string
	output          string
	out             io.Writer
}

// explained returns the view of the object that the arguments KIND NAME or KIND/NAME are about.
func (f *clusterFlags) explained(args []string, system string) (v explainView, err error) {
	v.c, v.kind, v.namespace, v.name, err = f.findAny(args)
	if err != nil {
		return v, err
	}
	if v.kind.Cluster {
		v.namespace = ""
	}
	config, _, err := f.config()
	if err == nil {
		v.reader, err = explain.NewReader(config, system)
	}
	return v, err
}

// read returns the object and what it depends on.
func (v *explainView) read(ctx context.Context) (*explain.Snapshot, error) {
	gvk := schema.GroupVersionKind{Group: v.kind.Group, Version: v.kind.Version, Kind: v.kind.Kind}
	return v.reader.Read(ctx, gvk, v.namespace, v.name)
}

// once writes the explanation, unless it is as before. It returns what it compares the next one
// with.
func (v *explainView) once(ctx context.Context, before string) (now string, _ error) {
	s, err := v.read(ctx)
	if err != nil {
		return "", err
	}
	e := explain.Explain(s)
	if now = e.Essence(); now == before {
		return now, nil
	}
	switch v.output {
	case "yaml":
		if _, err = io.WriteString(v.out, "---\n"); err == nil {
			err = writeDocument(v.out, v.output, e)
		}
	case "json":
		err = writeDocument(v.out, v.output, e)
	default:
		text := e.Text()
		if f, ok := v.out.(*os.File); ok && before != "" && isTerminal(f) {
			text = screenTop + text
		} else if before != "" {
			text = "\n" + text
		}
		_, err = io.WriteString(v.out, text)
	}
	if e.Health == status.Ready {
		now = ""
	}
	return now, err
}

// explainInterval is the time between two looks of --watch.
const explainInterval = time.Second

// watch explains the object whenever that changes, until it is ready or gone.
func (v *explainView) watch(ctx context.Context) error {
	tick := time.NewTicker(explainInterval)
	defer tick.Stop()
	before := ""
	for {
		now, err := v.once(ctx, before)
		switch {
		case ctx.Err() != nil:
			return nil
		case before != "" && kerrors.IsNotFound(err):
			fmt.Fprintf(v.out, "\n%s is gone.\n", v.kind.String()+"/"+v.name)
			return nil
		case err != nil || now == "":
			return err
		}
		before = now
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
