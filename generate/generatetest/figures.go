package generatetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/nettest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
)

// FiguresOptions are the options of Figures.
type FiguresOptions struct {
	// Program is the path of the repository's program, which links the provider. Provider is the
	// path of the provider's own program.
	Program, Provider string
	// CRDs is a directory, and so is Manifests: the resources of its first file are managed while
	// memory is measured. There may be no files.
	CRDs, Manifests string
	// Page is the file to write the figures to, between the lines that begin with "<!-- figures"
	// and "<!-- end of figures".
	Page string
	// Timeout limits each wait. Defaults to 2m.
	Timeout time.Duration
}

// figures are those of one way to run a provider.
type figures struct {
	start, processor      time.Duration
	idle, managing        float64 // MiB
	processes, idleNumber int
}

// pluginFlagsVariable has further flags of the program with the provider as a plugin.
const pluginFlagsVariable = "PLUGIN_FLAGS"

const (
	starts = 3
	// settle is how long a program runs before its memory is measured. It returns unused memory
	// every ten seconds.
	settle = 25 * time.Second
)

// Figures measures the start and the memory of a program that links its provider, and of the same
// program with the provider as a plugin, in a cluster as EndToEnd. $PLUGIN_FLAGS has further flags
// for the plugin, such as --provider-write-path. Linux only.
func Figures(t *testing.T, o FiguresOptions) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Fatal("memory is measured on Linux alone")
	}
	e := &endToEnd{
		EndToEndOptions: EndToEndOptions{
			Program: o.Program, CRDs: o.CRDs, Manifests: o.Manifests, Timeout: o.Timeout,
		}, kinds: map[string]bool{},
	}
	if e.Timeout == 0 {
		e.Timeout = 2 * time.Minute
	}
	steps, err := filepath.Glob(filepath.Join(o.Manifests, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, c := cluster(t)
	e.client = c
	e.install(t)
	inProcess := e.measure(t, kubeconfig, steps[:min(1, len(steps))])
	asPlugin := e.measure(t, kubeconfig, steps[:min(1, len(steps))],
		append([]string{"--provider", o.Provider}, strings.Fields(os.Getenv(pluginFlagsVariable))...)...)
	if t.Failed() {
		return
	}
	if err := writeFigures(o.Page, table(inProcess, asPlugin, len(steps) > 0)); err != nil {
		t.Fatal(err)
	}
}

// measure measures one way.
func (e *endToEnd) measure(t *testing.T, kubeconfig string, manifests []string, flags ...string) figures {
	t.Helper()
	port, err := nettest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	var runs []figures
	for i := range starts {
		t.Run(fmt.Sprint("start", i), func(t *testing.T) {
			began := time.Now()
			e.process = startProgram(t, e.Program, append([]string{
				"--kubeconfig", kubeconfig, "--leader-elect=false", "--metrics-address=0", "--health-address=0", fmt.Sprintf("--webhook-port=%d", port),
			}, flags...)...)
			defer func() { e.process = nil }()
			e.process.untilServing(t, e.Timeout)
			f := figures{start: time.Since(began)}
			f.processor = processorTime(t, e.process.pid)
			if i == starts-1 {
				time.Sleep(settle)
				f.idle, f.idleNumber = memory(t, e.process.pid)
				e.manage(t, manifests, func() {
					time.Sleep(settle)
					f.managing, f.processes = memory(t, e.process.pid)
				})
			}
			runs = append(runs, f)
		})
	}
	if len(runs) < starts {
		t.FailNow()
	}
	last := runs[starts-1]
	slices.SortFunc(runs, func(a, b figures) int { return int(a.start - b.start) })
	last.start = runs[starts/2].start
	slices.SortFunc(runs, func(a, b figures) int { return int(a.processor - b.processor) })
	last.processor = runs[starts/2].processor
	return last
}

// manage has the program manage the resources of manifests while f runs.
func (e *endToEnd) manage(t *testing.T, manifests []string, f func()) {
	t.Helper()
	for _, file := range manifests {
		objects, err := readManifest(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range objects {
			e.apply(t, file, u)
		}
		for _, u := range objects {
			if e.kinds[u.GroupVersionKind().GroupKind().String()] {
				e.wait(t, describe(u)+" of "+filepath.Base(file)+" to be as it says", u, reached)
			}
		}
		f()
		for _, u := range slices.Backward(objects) {
			if err := e.client.Delete(t.Context(), u); err != nil {
				t.Fatalf("%s: %v", describe(u), err)
			}
			e.wait(t, describe(u)+" to be gone", u, nil)
		}
	}
}

// untilServing waits until the program serves all kinds.
func (p *process) untilServing(t *testing.T, timeout time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		select {
		case <-p.exited:
			t.Fatal("the program has ended")
		default:
		}
		raw, err := os.ReadFile(p.log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(raw) {
			var entry struct {
				Message     string `json:"msg"`
				Serving, Of int
			}
			if json.Unmarshal(line, &entry) == nil && entry.Message == "Serving kinds" && entry.Serving == entry.Of {
				return
			}
		}
	}
	t.Fatalf("waited %s for the program to serve all kinds", timeout)
}

// family returns a process and all that it has started, directly or not.
func family(pid int) []int {
	out := []int{pid}
	for i := 0; i < len(out); i++ {
		out = append(out, processtest.Children(out[i])...)
	}
	return out
}

// memory returns the memory of a process and those that it has started in MiB, and their number.
// What several share counts once.
func memory(t *testing.T, pid int) (mib float64, processes int) {
	t.Helper()
	for _, p := range family(pid) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				if err != nil {
					t.Fatal(err)
				}
				mib += kib / 1024
			}
		}
		processes++
	}
	return mib, processes
}

// processorTime returns the processor time of a process, of those that it has started, and of those
// that have ended.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	const ticksPerSecond = 100 // USER_HZ, on all Linux platforms that Go runs on
	var out time.Duration
	for _, p := range family(pid) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			t.Fatal(err)
		}
		// The command's name is in parentheses and may contain blanks.
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		for _, f := range fields[11:15] { // utime, stime, cutime, cstime
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			out += time.Duration(n) * time.Second / ticksPerSecond
		}
	}
	return out
}

// table returns the figures in Markdown.
func table(inProcess, asPlugin figures, manifests bool) string {
	var b strings.Builder
	b.WriteString("| | in process | as a plugin |\n|---|---|---|\n")
	seconds := func(what string, a, b time.Duration) string {
		return fmt.Sprintf("| %s | %.2f s | %.2f s |\n", what, a.Seconds(), b.Seconds())
	}
	b.WriteString(seconds("Start, until all kinds are served", inProcess.start, asPlugin.start))
	b.WriteString(seconds("Processor time of the start", inProcess.processor, asPlugin.processor))
	fmt.Fprintf(&b, "| Memory without resources | %.0f MiB | %.0f MiB |\n", inProcess.idle, asPlugin.idle)
	fmt.Fprintf(&b, "| Processes without resources | %d | %d |\n", inProcess.idleNumber, asPlugin.idleNumber)
	if manifests {
		fmt.Fprintf(&b, "| Memory with resources | %.0f MiB | %.0f MiB |\n", inProcess.managing, asPlugin.managing)
		fmt.Fprintf(&b, "| Processes with resources | %d | %d |\n", inProcess.processes, asPlugin.processes)
	}
	fmt.Fprintf(&b, "\nMedians of %d starts on %s/%s with %d processors. Memory is that of all processes, %.0f "+
		"seconds later. The plugin is run by the\nsame program, which contains the linked provider in both columns.\n",
		starts, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), settle.Seconds())
	return b.String()
}

// writeFigures replaces the figures in a page.
func writeFigures(page, text string) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	begin := bytes.Index(raw, []byte("<!-- figures"))
	end := bytes.Index(raw, []byte("<!-- end of figures"))
	if begin < 0 || end < begin {
		return fmt.Errorf(
			`%s: there are no lines that begin with "<!-- figures" and "<!-- end of figures", between which the figures are written`,
			page,
		)
	}
	begin += bytes.IndexByte(raw[begin:], '\n') + 1
	return os.WriteFile(page, slices.Concat(raw[:begin], []byte("\n"+text+"\n"), raw[end:]), 0o644)
}
