package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/landbridge-io/landbridge/internal/command/logs"
)

// playgroundLog is the controller's log beside the kubeconfig of the playground.
const playgroundLog = "landbridge.log"

type logsFlags struct {
	clusterFlags
	system, selector, file string
	follow                 bool
	since                  time.Duration
}

func newLogsCommand() *cobra.Command {
	var f logsFlags
	cmd := &cobra.Command{
		Use:   "logs KIND/NAME",
		Short: "Show what the controller's log says of an object",
		Long: `Show what the controller's log says of one object: each operation with its duration, its outcome and by whose
wish it was carried out, what else has happened, and what the provider logged meanwhile.

The provider's messages are those of its resource type that it logged during the object's operations. If another object
of the type had an operation at the same time, they may be of that one, which is said. Providers log nothing unless
spec.logLevel of the TerraformProvider is set; what they write when they crash is always there.

The log is that of the controller's pods, in the order of the times of all replicas, and with what a container has
logged before its last restart. It needs the Role landbridge-logs in the controller's namespace. Or it is a file: with
the playground (make up) landbridge.log beside its kubeconfig. KIND NAME is accepted too.`,
		Example: `  landbridge logs password/db -n team-a
  landbridge logs password/db -n team-a -f --since 10m
  landbridge logs terraformprovider/random

  # From a file
  landbridge logs password/db --file .playground/landbridge.log`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, k, namespace, name, err := f.findAny(args)
			if err != nil {
				return err
			}
			o := logs.Object{Kind: k.Kind + "." + k.Group, Namespace: namespace, Name: name}
			if k.Cluster {
				o.Namespace = ""
			}
			group := strings.TrimPrefix(k.Group, string(k.Mode)+".")
			if o.Provider, _, _ = strings.Cut(group, "."); o.Kind == "TerraformProvider.landbridge.io" {
				o.Provider = name
			}
			s := &logs.Story{Object: o}
			if f.since > 0 {
				s.Since = time.Now().Add(-f.since)
			}
			v := logsView{story: s, out: cmd.OutOrStdout()}
			if file := f.fileOf(); file != "" {
				err = f.readFile(cmd.Context(), file, &v)
			} else {
				err = f.readPods(cmd.Context(), &v, cmd.ErrOrStderr())
			}
			if err == nil && !v.told && !f.follow {
				fmt.Fprintf(cmd.ErrOrStderr(), "The log says nothing of %s.\n", k.String()+"/"+name)
			}
			return err
		},
		ValidArgsFunction: f.completeAny,
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.system, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where the controller runs")
	flags.StringVar(&f.selector, "pods", "app.kubernetes.io/name=landbridge", "labels of the controller's pods")
	flags.StringVar(&f.file, "file", "", "file with the controller's log (default: "+playgroundLog+
		" beside the kubeconfig, if it is there; else the log of the pods)")
	flags.BoolVarP(&f.follow, "follow", "f", false, "wait for more, until Ctrl-C")
	flags.DurationVar(&f.since, "since", 0, "only what is not older, such as 10m (default: all)")
	_ = cmd.MarkFlagFilename("file")
	return cmd
}

// fileOf returns the file to read; "" for the pods.
func (f *logsFlags) fileOf() string {
	if f.file != "" {
		return f.file
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	for _, config := range rules.GetLoadingPrecedence() {
		if file := filepath.Join(filepath.Dir(config), playgroundLog); config != "" {
			if _, err := os.Stat(file); err == nil {
				return file
			}
		}
	}
	return ""
}

// logsView writes what is told of lines.
type logsView struct {
	story *logs.Story
	out   io.Writer
	told  bool
}

func (v *logsView) line(line []byte) error {
	e, ok := logs.Parse(line)
	if !ok {
		return nil
	}
	return v.tell(e)
}

// tell writes what an entry tells of the object.
func (v *logsView) tell(e logs.Entry) error {
	for _, text := range v.story.Add(e) {
		v.told = true
		if _, err := fmt.Fprintln(v.out, text); err != nil {
			return err
		}
	}
	return nil
}

// read gives lines to the view until r ends. The rest of the last line is kept in part.
func (v *logsView) read(r *bufio.Reader, part *bytes.Buffer) error {
	for {
		piece, err := r.ReadSlice('\n')
		part.Write(piece)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			err := v.line(part.Bytes())
			if part.Reset(); err != nil {
				return err
			}
		}
	}
}

func (f *logsFlags) readFile(ctx context.Context, path string, v *logsView) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	var part bytes.Buffer
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := v.read(r, &part); err != nil || !f.follow {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
