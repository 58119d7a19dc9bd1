package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/internal/command/logs"
)

const (
	// podsInterval is the time between two looks for new pods of the controller.
	podsInterval = 2 * time.Second
	// logsPatience is how long an entry waits for earlier ones of other pods while their logs are
	// followed.
	logsPatience = 500 * time.Millisecond
)

// podLogs are the logs of the controller's pods.
type podLogs struct {
	pods typedcorev1.PodInterface
	// namespace is that of the pods, and selector are their labels.
	namespace, selector string
	follow              bool
	// seen has the runs of containers whose logs are read.
	seen map[string]bool
}

// readPods reads the logs of the controller's pods, of which one works and others wait, or all have
// shards. What cannot be read is written to notes.
func (f *logsFlags) readPods(ctx context.Context, v *logsView, notes io.Writer) error {
	config, _, err := f.config()
	if err != nil {
		return err
	}
	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return err
	}
	p := &podLogs{pods: client.Pods(f.system), namespace: f.system, selector: f.selector, follow: f.follow, seen: map[string]bool{}}
	found, pods, err := p.find(ctx)
	switch {
	case err != nil:
		return err
	case pods > 0 && len(found) == 0 && !f.follow:
		return fmt.Errorf("no container of the controller's pods in namespace %s has started. See why: "+
			"kubectl get pods -n %s", f.system, f.system)
	case pods == 0:
		return fmt.Errorf("namespace %s has no pods with the labels %s. Name the controller's namespace with "+
			"--system-namespace, or its log with --file", f.system, f.selector)
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	failed := 0
	m := logs.Merger{Logs: found, Tell: v.tell, Failed: func(l logs.Log, err error) {
		if failed++; kerrors.IsForbidden(err) || failed == len(found) && !f.follow {
			fail(p.unread(l, err))
			return
		}
		fmt.Fprintf(notes, "The log of %s is left out: %s.\n", l.Name, err)
	}}
	if f.follow {
		m.Patience, m.More = logsPatience, p.others(ctx)
	}
	if err := m.Run(ctx); err != nil {
		return err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err // Ctrl-C is none
	}
	return nil
}

// unread is the error for the log of a pod.
func (p *podLogs) unread(l logs.Log, err error) error {
	if kerrors.IsForbidden(err) {
		return p.forbidden("read the log of pods")
	}
	return fmt.Errorf("cannot read the log of %s: %w", l.Name, err)
}

// forbidden is the error for what the user may not do.
func (p *podLogs) forbidden(what string) error {
	return fmt.Errorf("you may not %s in namespace %s. Ask for the Role landbridge-logs in that namespace "+
		"(rbac.logReaders of the chart), or name a file with --file", what, p.namespace)
}

// find returns the logs of runs of the controller that were not seen before, and the number of its
// pods.
func (p *podLogs) find(ctx context.Context) (out []logs.Log, pods int, _ error) {
	list, err := p.pods.List(ctx, metav1.ListOptions{LabelSelector: p.selector})
	switch {
	case kerrors.IsForbidden(err):
		return nil, 0, p.forbidden("list pods")
	case kerrors.IsNotFound(err): // of a control plane without nodes
		return nil, 0, errors.New("the cluster has no pods. Name the controller's log with --file")
	case err != nil:
		return nil, 0, fmt.Errorf("cannot find the controller's pods: %w", err)
	}
	for i := range list.Items {
		pod := &list.Items[i]
		container, state := containerOf(pod)
		key := func(run int32) string { return fmt.Sprint(pod.UID, " ", pod.Name, " ", run) }
		before, runs := state.LastTerminationState.Terminated != nil, state.State.Running != nil || state.State.Terminated != nil
		if p.seen[key(state.RestartCount)] || !before && !runs {
			continue
		}
		if before && runs && !p.seen[key(state.RestartCount-1)] { // otherwise the last run is the one before
			out = append(out, p.log(pod.Name, container, true))
		}
		out = append(out, p.log(pod.Name, container, false))
		p.seen[key(state.RestartCount)] = true
	}
	return out, len(list.Items), nil
}

// containerOf returns the container of a pod that is the controller, and its status.
func containerOf(pod *corev1.Pod) (name string, state corev1.ContainerStatus) {
	if name = pod.Annotations["kubectl.kubernetes.io/default-container"]; name == "" && len(pod.Spec.Containers) > 0 {
		name = pod.Spec.Containers[0].Name
	}
	for i := range pod.Status.ContainerStatuses {
		if s := pod.Status.ContainerStatuses[i]; s.Name == name {
			state = s
		}
	}
	return name, state
}

// log is the log of a pod's container, or of its previous run.
func (p *podLogs) log(pod, container string, previous bool) logs.Log {
	name := "pod " + pod
	if previous {
		name += " before its restart"
	}
	return logs.Log{Name: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
		o := &corev1.PodLogOptions{Container: container, Follow: p.follow && !previous, Previous: previous}
		return p.pods.GetLogs(pod, o).Stream(ctx)
	}}
}

// others looks for further pods until ctx is done, such as those of a new version.
func (p *podLogs) others(ctx context.Context) <-chan logs.Log {
	out := make(chan logs.Log)
	go func() {
		tick := time.NewTicker(podsInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			found, _, _ := p.find(ctx) // at the next look, if it fails
			for _, l := range found {
				select {
				case out <- l:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}
