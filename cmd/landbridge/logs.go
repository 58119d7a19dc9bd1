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
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
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

The log is that of the controller's pods, for which the permission to get pods/log is needed, or a file. With the
playground (make up) it is the file landbridge.log beside its kubeconfig. KIND NAME is accepted too.`,
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
			if o.Provider, _, _ = strings.Cut(k.Group, "."); o.Kind == "TerraformProvider.landbridge.io" {
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
				err = f.readPods(cmd.Context(), &v)
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
	flags.StringVar(&f.file, "file", "", "file with the controller's log (default: "+playgroundLog+" beside the kubeconfig, if it is there; else the log of the pods)")
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
	mu    sync.Mutex
	story *logs.Story
	out   io.Writer
	told  bool
}

func (v *logsView) line(line []byte) error {
	e, ok := logs.Parse(line)
	if !ok {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
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

// readPods reads the logs of the controller's pods, of which one works and others wait, or all have shards.
func (f *logsFlags) readPods(ctx context.Context, v *logsView) error {
	config, _, err := f.config()
	if err != nil {
		return err
	}
	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return err
	}
	pods, err := client.Pods(f.system).List(ctx, metav1.ListOptions{LabelSelector: f.selector})
	if err != nil {
		return fmt.Errorf("cannot find the controller's pods: %w", err)
	}
	if len(pods.Items) == 0 {
		return fmt.Errorf("namespace %s has no pods with the labels %s. Name the controller's namespace with --system-namespace, or its log with --file", f.system, f.selector)
	}
	o := &corev1.PodLogOptions{Follow: f.follow}
	var group errgroup.Group
	for _, pod := range pods.Items {
		group.Go(func() error {
			r, err := client.Pods(f.system).GetLogs(pod.Name, o).Stream(ctx)
			if err != nil {
				return fmt.Errorf("cannot read the log of pod %s: %w", pod.Name, err)
			}
			defer r.Close()
			var part bytes.Buffer
			if err := v.read(bufio.NewReader(r), &part); err != nil && ctx.Err() == nil {
				return err
			}
			return nil
		})
	}
	return group.Wait()
}
