package crd_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/crd"
)

func TestShortMessage(t *testing.T) {
	const rest = " … The whole text is in status.messages."
	long := strings.Repeat("ä", 400)
	for name, test := range map[string]struct{ message, want string }{
		"empty":               {"", ""},
		"short":               {"It failed.", "It failed."},
		"just short enough":   {long[:600], long[:600]},
		"at a sentence":       {strings.Repeat("a", 200) + ". " + long, strings.Repeat("a", 200) + "." + rest},
		"not too early":       {"No. " + strings.Repeat("b", 200) + " " + long, "No. " + strings.Repeat("b", 200) + rest},
		"one diagnostic only": {strings.Repeat("c", 180) + "\n" + long, strings.Repeat("c", 180) + rest},
		"in a word":           {long, strings.Repeat("ä", 260) + rest},
	} {
		t.Run(name, func(t *testing.T) {
			if got := crd.ShortMessage(test.message); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Whatever the message, the short one fits, and the whole one is found by it.
func TestWholeMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.StringN(0, 700, -1).Draw(t, "message")
		short := crd.ShortMessage(message)
		if n := utf8.RuneCountInString(short); n > crd.MaxMessage {
			t.Fatalf("%d characters", n)
		}
		u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"messages": map[string]any{"Synced": message}}}}
		if got := crd.WholeMessage(u, "Synced", short); got != message {
			t.Fatalf("got %q", got)
		}
		if got := crd.WholeMessage(u, "Synced", short+"x"); got != short+"x" {
			t.Fatalf("for another message: %q", got)
		}
		if got := crd.WholeMessage(u, "Ready", short); got != short {
			t.Fatalf("for another condition: %q", got)
		}
	})
}

func TestNextAttempt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for message, want := range map[string]time.Time{
		"": {}, "The next attempt is within seconds.": {}, "The next attempt is at noonZ.": {},
		crd.NextAttempt(at): at, "No quota.\n" + crd.NextAttempt(at): at,
	} {
		if got := crd.NextAttemptIn(message); !got.Equal(want) {
			t.Errorf("%q: got %s, want %s", message, got, want)
		}
	}
}
