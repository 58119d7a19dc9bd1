package halt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
)

const namespace = "landbridge-system"

// configMaps are those of a fake, which does not list by watching.
type configMaps struct{ typedcorev1.ConfigMapInterface }

func (configMaps) IsWatchListSemanticsUnSupported() bool { return true }

func clientOf(c *corev1.ConfigMap) configMaps {
	return configMaps{fake.NewClientset(c).CoreV1().ConfigMaps(namespace)}
}

func TestWatch(t *testing.T) {
	aws := halt.Subject{Providers: []string{"aws"}, Accounts: []string{"ClusterProviderConfig/default", "prod"}}
	module := halt.Subject{Providers: []string{"shop", "aws", "random"}, Accounts: []string{"ProviderConfig/team/own"}}
	since := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for name, test := range map[string]struct {
		pauses      []halt.Pause
		raw         string
		aws, module bool
		why         string
	}{
		"nothing": {},
		"everything": {
			pauses: []halt.Pause{{}}, aws: true, module: true,
			why: "All operations have been paused since 2026-01-02T03:04:05Z. They resume after " +
				"landbridge resume --all.",
		},
		"a provider": {
			pauses: []halt.Pause{{Provider: "aws", Reason: "wrong prune."}}, aws: true, module: true,
			why: "Operations of aws have been paused since 2026-01-02T03:04:05Z (wrong prune). They resume after " +
				"landbridge resume --provider aws.",
		},
		"a module":           {pauses: []halt.Pause{{Provider: "shop"}}, module: true},
		"a declared account": {pauses: []halt.Pause{{Account: "prod"}}, aws: true},
		"a configuration":    {pauses: []halt.Pause{{Account: "ProviderConfig/team/own"}}, module: true},
		"a provider in an account": {
			pauses: []halt.Pause{{Provider: "aws", Account: "prod"}}, aws: true,
			why: "landbridge resume --provider aws --account prod",
		},
		"another provider in an account": {pauses: []halt.Pause{{Provider: "random", Account: "prod"}}},
		"one of several":                 {pauses: []halt.Pause{{Provider: "other"}, {Provider: "shop"}}, module: true},
		"what cannot be understood": {
			raw: "{", aws: true, module: true,
			why: "All operations are paused, because pauses of the ConfigMap landbridge-pause is no list of pauses",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: halt.PauseConfigMap}}
			for i := range test.pauses {
				test.pauses[i].Since = since
			}
			if err := halt.SetPauses(c, test.pauses); err != nil {
				t.Fatal(err)
			}
			if test.raw != "" {
				c.Data = map[string]string{"pauses": test.raw}
			} else if got, err := halt.Pauses(c); err != nil ||
				cmp.Diff(test.pauses, got, cmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) })) != "" {
				t.Fatalf("read %v, %v", got, err)
			}
			changed := make(chan struct{}, 10)
			w := &halt.Watch{Client: clientOf(c), Changed: func() { changed <- struct{}{} }, Logger: logr.Discard()}
			if why := w.Why(aws); !strings.Contains(why, "not known yet") {
				t.Errorf("before it is known: %q", why)
			}
			go func() { _ = w.Start(t.Context()) }()
			<-changed
			for subject, want := range map[string]struct {
				of     halt.Subject
				paused bool
			}{"aws": {aws, test.aws}, "module": {module, test.module}} {
				why := w.Why(want.of)
				if (why != "") != want.paused || want.paused && !strings.Contains(why, test.why) {
					t.Errorf("%s: %q", subject, why)
				}
			}
		})
	}
}

// What is paused while the controller runs is known at once, and so is that it goes on.
func TestWatchChanges(t *testing.T) {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: halt.PauseConfigMap}}
	all := clientOf(c)
	changed := make(chan struct{}, 10)
	w := &halt.Watch{Client: all, Changed: func() { changed <- struct{}{} }, Logger: logr.Discard()}
	go func() { _ = w.Start(t.Context()) }()
	<-changed
	for _, pauses := range [][]halt.Pause{{{}}, nil, {{Provider: "aws"}}, {{Provider: "other"}}} {
		if err := halt.SetPauses(c, pauses); err != nil {
			t.Fatal(err)
		}
		if _, err := all.Update(t.Context(), c, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		<-changed
		want := len(pauses) > 0 && pauses[0].Provider != "other"
		if why := w.Why(halt.Subject{Providers: []string{"aws"}}); (why != "") != want {
			t.Errorf("%v: %q", pauses, why)
		}
	}
	if err := all.Delete(t.Context(), c.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	<-changed
	if why := w.Why(halt.Subject{}); why != "" {
		t.Errorf("without the ConfigMap: %q", why)
	}
}

// Releases that were made before the controller started are heard with their times, and others as
// of now.
func TestReleases(t *testing.T) {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: halt.BrakeConfigMap}}
	before := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	if err := halt.AddRelease(c, halt.Release{Provider: "aws", At: before}); err != nil {
		t.Fatal(err)
	}
	all := clientOf(c)
	released := make(chan brake.Release, 10)
	w := &halt.Releases{Client: all, Released: func(r brake.Release) { released <- r }, Logger: logr.Discard()}
	go func() { _ = w.Start(t.Context()) }()
	if r := <-released; r.Provider != "aws" || !r.At.Equal(before.Time) {
		t.Errorf("the former one: %v", r)
	}
	// The clock of whoever releases is wrong.
	if err := halt.AddRelease(c, halt.Release{Account: "prod", At: metav1.NewTime(time.Now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Update(t.Context(), c, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if r := <-released; r.Account != "prod" || time.Since(r.At).Abs() > time.Minute {
		t.Errorf("the new one: %v", r)
	}
	if got, err := halt.ReleasesIn(c); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}
