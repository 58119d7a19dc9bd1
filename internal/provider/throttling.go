package provider

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// throttling matches the messages with which clouds reject too many requests, as providers report
// them. Each pattern requires that it has happened, since attributes and resource types have names
// such as throttling and rate limit.
var throttling = regexp.MustCompile(`(?i)` + strings.Join([]string{
	// HTTP, in various spellings.
	`too ?many ?requests`,
	`(?:status|code|error|http|http/[12][.]?[01]?|got)\W{0,12}429\b`,
	`\b429\b\W{0,3}(?:http|status|error|rate|quota)`,
	`retry-after\b`,
	// Rate limits that were exceeded.
	`rate[ _-]?exceeded`,
	`rate[ _-]?limit\w*\W.{0,40}(?:exceeded|reached|hit\b)`,
	`rate[ _-]?limit[ _-]?(?:exceeded|reached)`,
	`(?:exceeded|reached|hit).{0,40}\brate[ _-]?limit`,
	`request[ _-]?limit[ _-]?exceeded`,
	`quota exceeded for quota metric.{0,120}per (?:\d+ )?(?:minute|second)`,
	`provisionedthroughputexceeded`,
	`bandwidthlimitexceeded`,
	// Throttling that happened.
	`\bthrottling(?:exception|error)?[:.]\s?`,
	`(?:api error|errorcode\W{1,4}) ?throttling`,
	`throttled(?:exception|error)`,
	`\b(?:request|requests|call|calls|operation|client|you) ?(?:was|were|is|are|has been|have been|being|got)? ?throttled`,
	`requests?throttled\b`,
	`consider throttling`,
	`\bslow ?down\b.{0,40}(?:reduce|request|rate)`,
	`reduce your request rate`,
}, "|"))

// retryAfter matches the time after which a cloud accepts requests again.
var retryAfter = regexp.MustCompile(`(?i)(?:retry[- ]after|(?:try again|retry|wait)(?: (?:after|in|for))?)['":=\s]{1,4}(\d{1,5})(?:[.]\d+)?['"]?\s*(ms\b|milliseconds?\b|m\b|min\b|minutes?\b|s\b|secs?\b|seconds?\b)?`)

// Throttled reports whether the provider's cloud rejected requests because there are too many, and
// how long to wait; 0 if the cloud does not say. Errors about an attribute, and words that the
// request said, are ignored.
func Throttled(diags diagnostic.Diagnostics, said Said) (wait time.Duration, throttled bool) {
	for _, d := range diags {
		if d.Severity != diagnostic.Error || len(d.Attribute) > 0 {
			continue
		}
		text := d.Summary + ": " + d.Detail
		if said.find(throttling, text) == "" {
			continue
		}
		throttled = true
		if match := retryAfter.FindStringSubmatch(said.find(retryAfter, text)); match != nil {
			n, _ := strconv.Atoi(match[1])
			wait = max(wait, time.Duration(n)*unit(match[2]))
		}
	}
	return wait, throttled
}

// unit returns the unit with a name; seconds, as in HTTP, without a name.
func unit(name string) time.Duration {
	switch name = strings.ToLower(name); {
	case strings.HasPrefix(name, "ms"), strings.HasPrefix(name, "milli"):
		return time.Millisecond
	case strings.HasPrefix(name, "m"):
		return time.Minute
	default:
		return time.Second
	}
}
