package logs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/logs"
)

// line returns a line of a log, some milliseconds after noon.
func line(ms int, message string) string {
	at := time.Date(2026, 1, 2, 12, 0, 0, ms*int(time.Millisecond), time.UTC)
	return fmt.Sprintf(`{"level":"info","ts":%q,"msg":%q}`+"\n", at.Format(time.RFC3339Nano), message)
}

// text is a log that ends.
func text(name string, lines ...string) logs.Log {
	return logs.Log{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(strings.Join(lines, ""))), nil
	}}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	many := make([]string, 3000) // more than is read ahead
	for i := range many {
		many[i] = line(2*i, "even")
	}
	broken := func(r io.Reader) logs.Log {
		return logs.Log{Name: "c", Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(r), nil }}
	}
	for name, test := range map[string]struct {
		logs []logs.Log
		want []string
		fail []string
	}{
		"none": {},
		"one":  {logs: []logs.Log{text("a", line(1, "1"), line(2, "2"))}, want: []string{"1", "2"}},
		"several": {
			logs: []logs.Log{
				text("a", line(1, "1"), line(4, "4")), text("b", line(2, "2"), line(3, "3"), line(5, "5")), text("c"),
			}, want: []string{"1", "2", "3", "4", "5"},
		},
		"times of one go back": {
			logs: []logs.Log{text("a", line(5, "5"), line(4, "4")), text("b", line(6, "6"))},
			want: []string{"5", "4", "6"},
		},
		"other lines, and a last one without an end": {
			logs: []logs.Log{text("a", "not JSON\n", line(1, "1"), strings.TrimSpace(line(3, "3"))), text("b", line(2, "2"), `{"level":"inf`)},
			want: []string{"1", "2", "3"},
		},
		"one cannot be opened": {
			logs: []logs.Log{
				{
					Name: "a", Open: func(context.Context) (io.ReadCloser, error) {
						return nil, errors.New("it is waiting to start")
					},
				}, text("b", line(1, "1")),
			},
			want: []string{"1"}, fail: []string{"a: it is waiting to start"},
		},
		"one breaks": {
			logs: []logs.Log{text("a", line(1, "1"), line(3, "3")), broken(io.MultiReader(strings.NewReader(line(2, "2")), failing{}))},
			want: []string{"1", "2", "3"}, fail: []string{"c: it cannot be read further: connection lost"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, failed []string
			m := logs.Merger{
				Logs: test.logs,
				Tell: func(e logs.Entry) error { got = append(got, e.Message); return nil },
				Failed: func(l logs.Log, err error) {
					failed = append(failed, l.Name+": "+err.Error())
				},
			}
			if err := m.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got) + cmp.Diff(test.fail, failed); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
	t.Run("long ones", func(t *testing.T) {
		t.Parallel()
		last, n := time.Time{}, 0
		m := logs.Merger{
			Logs: []logs.Log{text("a", many...), text("b", line(10_000, "last")), text("c", line(1, "first"))},
			Tell: func(e logs.Entry) error {
				if e.At.Before(last) {
					t.Errorf("%s is after %s", e.At, last)
				}
				last, n = e.At, n+1
				return nil
			},
		}
		if err := m.Run(t.Context()); err != nil || n != len(many)+2 {
			t.Errorf("%d entries, %v", n, err)
		}
	})
	t.Run("the output fails", func(t *testing.T) {
		t.Parallel()
		want := errors.New("broken pipe")
		m := logs.Merger{Logs: []logs.Log{text("a", many...), text("b", many...)}, Tell: func(logs.Entry) error { return want }}
		if err := m.Run(t.Context()); !errors.Is(err, want) {
			t.Errorf("got %v", err)
		}
	})
}

// failing is a connection that is lost.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection lost") }

// While logs are followed, what arrives within a short time is put in order, and a log that says
// nothing holds nothing up.
func TestMergeFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		pipe := func(name string) (logs.Log, *io.PipeWriter) {
			r, w := io.Pipe()
			return logs.Log{Name: name, Open: func(context.Context) (io.ReadCloser, error) { return r, nil }}, w
		}
		a, toA := pipe("a")
		b, toB := pipe("b")
		silent, _ := pipe("silent")
		more := make(chan logs.Log)
		begin := time.Now()
		var got []string
		m := logs.Merger{
			Logs: []logs.Log{a, b, silent}, More: more, Patience: 500 * time.Millisecond,
			Failed: func(l logs.Log, err error) { t.Errorf("%s: %s", l.Name, err) },
			Tell: func(e logs.Entry) error {
				got = append(got, fmt.Sprintf("%s after %s", e.Message, time.Since(begin)))
				return nil
			},
		}
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		write := func(w io.Writer, line string) {
			if _, err := io.WriteString(w, line); err != nil {
				t.Error(err)
			}
		}
		write(toB, line(2, "2"))
		time.Sleep(100 * time.Millisecond)
		write(toA, line(1, "1"))
		time.Sleep(time.Second)
		if err := errors.Join(toA.Close(), toB.Close()); err != nil { // the pods end
			t.Error(err)
		}
		time.Sleep(time.Second)
		c, toC := pipe("c")
		more <- c
		write(toC, line(3, "3"))
		time.Sleep(time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"1 after 600ms", "2 after 600ms", "3 after 2.6s"}, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
}
