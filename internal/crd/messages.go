package crd

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// MaxMessage is the maximum length of the message of a condition, in characters. For a longer one,
// status.messages has the whole text by the type of the condition.
const MaxMessage = 300

const elsewhere = " … The whole text is in status.messages."

// ShortMessage returns the message that a condition shows: at most MaxMessage characters, whole
// sentences if possible.
func ShortMessage(message string) string {
	if utf8.RuneCountInString(message) <= MaxMessage {
		return message
	}
	text := string([]rune(message)[:MaxMessage-utf8.RuneCountInString(elsewhere)])
	if i := strings.LastIndex(text, ". "); i > len(text)/2 {
		return text[:i+1] + elsewhere
	}
	if i := strings.LastIndexAny(text, " \n"); i > len(text)/2 {
		text = text[:i]
	}
	return text + elsewhere
}

// ShortenMessages shortens the messages of conditions, and returns the whole messages of those that
// show only a part, by their types.
func ShortenMessages(conditions []xpv2.Condition) map[string]string {
	var whole map[string]string
	for i := range conditions {
		c := &conditions[i]
		short := ShortMessage(c.Message)
		if short == c.Message {
			continue
		}
		if whole == nil {
			whole = map[string]string{}
		}
		whole[string(c.Type)], c.Message = c.Message, short
	}
	return whole
}

// RestoreMessages gives conditions their whole messages again.
func RestoreMessages(conditions []xpv2.Condition, whole map[string]string) {
	for i := range conditions {
		conditions[i].Message = restored(conditions[i].Message, whole[string(conditions[i].Type)])
	}
}

// WholeMessage returns the whole message of a condition of an object, given its type and the
// message that it shows.
func WholeMessage(u *unstructured.Unstructured, conditionType, message string) string {
	whole, _, _ := unstructured.NestedString(u.Object, "status", "messages", conditionType)
	return restored(message, whole)
}

// restored returns the whole message, unless the condition was set otherwise since.
func restored(message, whole string) string {
	if whole == "" || ShortMessage(whole) != message {
		return message
	}
	return whole
}

// NextAttempt returns the sentence of a message that says when something is tried again.
func NextAttempt(at time.Time) string {
	return "The next attempt is at " + at.UTC().Format(time.RFC3339) + "."
}

var nextAttempt = regexp.MustCompile(`The next attempt is at (\S+Z)\.`)

// NextAttemptIn returns the time in the sentence of NextAttempt in a message; zero if there is
// none.
func NextAttemptIn(message string) time.Time {
	m := nextAttempt.FindStringSubmatch(message)
	if m == nil {
		return time.Time{}
	}
	at, _ := time.Parse(time.RFC3339, m[1]) // zero if it is no time
	return at
}
