package ui_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// browser is a tab with the page.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string
	// end ends the page's process.
	end func()

	mu       sync.Mutex
	problems []string
}

// open serves the page with the permissions of a configuration, and opens it in a browser.
func open(t *testing.T, config *rest.Config, namespace string) *browser {
	t.Helper()
	landbridge, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	o := ui.Options{Config: config, Namespace: namespace, System: clustertest.System}
	if config.Impersonate.UserName == "" { // the kubeconfig is that of the administrator
		o.Program = &ui.Program{Path: landbridge, Flags: []string{"--kubeconfig=" + shared.server.Kubeconfig}}
	}
	s, err := ui.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))...)
	tab, closeTab := chromedp.NewContext(allocator)
	b := &browser{t: t, ctx: tab, base: "http://" + l.Addr().String(), end: cancel}
	t.Cleanup(func() {
		closeTab()
		stop()
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("the browser reports: %s", p)
		}
	})
	chromedp.ListenTarget(tab, b.heard)
	b.run(log.Enable(), chromedp.Navigate(s.Address(l)))
	b.shows("resources are ready")
	b.holds("the token is not in the address", `!location.href.includes("token")`)
	return b
}

// heard notes what the browser reports: violations of the policy, and errors of scripts.
func (b *browser) heard(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError && !strings.Contains(e.Entry.Text, "ERR_CONNECTION_REFUSED") &&
			!strings.Contains(e.Entry.Text, "ERR_INCOMPLETE_CHUNKED") &&
			!strings.HasSuffix(e.Entry.URL, "/none") { // the view of what does not exist
			b.problems = append(b.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Error())
	}
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, waittest.Limit)
	defer cancel()
	// The context of the tab itself starts the browser, which a timeout would end.
	if err := chromedp.Run(b.ctx); err != nil {
		b.t.Fatal(err)
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// visit opens a view.
func (b *browser) visit(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.base+path), chromedp.WaitReady("#view"))
}

// evaluate returns the value of an expression.
func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	var out T
	b.run(chromedp.Evaluate(expression, &out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return out
}

// holds waits until an expression is true, without loading the page again.
func (b *browser) holds(what, expression string) {
	b.t.Helper()
	waittest.Eventually(b.t, what, func(context.Context) bool {
		ctx, cancel := context.WithTimeout(b.ctx, waittest.Limit)
		defer cancel()
		var out bool
		err := chromedp.Run(ctx, chromedp.Evaluate("Boolean("+expression+")", &out))
		switch {
		case err == nil:
			return out
		case leaves(err):
			return false
		}
		b.t.Fatal(err)
		return false
	})
}

// leaves reports whether an expression was not evaluated because the browser opens another page.
func leaves(err error) bool {
	return strings.Contains(err.Error(), "navigated or closed") ||
		strings.Contains(err.Error(), "Cannot find context") || strings.Contains(err.Error(), "context was destroyed")
}

// shows waits until the page shows a text.
func (b *browser) shows(text string) {
	b.t.Helper()
	b.holds("the page shows "+text, `document.body?.innerText.includes(`+quoted(text)+`)`)
}

// lacks waits until the view does not show a text.
func (b *browser) lacks(text string) {
	b.t.Helper()
	b.holds("the view does not show "+text, `!document.getElementById("view").innerText.includes(`+quoted(text)+`)`)
}

func quoted(text string) string {
	return "`" + strings.NewReplacer("`", "\\`", "$", "\\$").Replace(text) + "`"
}

// theme sets the theme and the width of the screen.
func (b *browser) theme(dark bool, width int64) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		emulation.SetDeviceMetricsOverride(width, 900, 1, false))
}
