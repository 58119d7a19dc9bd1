package provider

import (
	"regexp"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Trouble is a failure of calls that is due to the provider configuration, and not to the object of
// the call.
type Trouble string

const (
	// Unauthenticated means that the credentials of the configuration are rejected.
	Unauthenticated Trouble = "credentials rejected"
	// Unreachable means that the endpoint of the configuration does not answer.
	Unreachable Trouble = "endpoint not reachable"
)

// Each pattern consists of fixed words, so that what it matches has no secrets.
var (
	unauthenticated = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`(?:password )?authentication (?:has )?failed\b`,
		`authentication ?failure\b`,
		`\baccess denied for user\b`,
		`\blogin failed for user\b`,
		`\binvalid (?:credentials?|api[ -]?key|api[ -]?token|access token|auth(?:entication)? token|client secret|username or password|user name or password)\b`,
		`\b(?:wrong|incorrect) (?:password|credentials|username or password)\b`,
		`\b(?:unable|failed|could not|cannot) to authenticate\b`,
		`\b401\b\W{0,3}unauthori[sz]ed\b`,
		`\b(?:status|status ?code|code|error)\W{0,4}401\b`,
		`\bcode = unauthenticated\b`,
		`\binvalidclienttokenid\b|\bunrecognizedclientexception\b|\bsignaturedoesnotmatch\b|\bexpiredtoken(?:exception)?\b|\bauthfailure\b`,
		`\binvalid_grant\b|\binvalid_client\b`,
		`\bno valid credential sources\b|\bcould not find default credentials\b|\bfailed to refresh cached credentials\b`,
		`\btoken (?:is|has) expired\b`,
	}, "|"))
	unreachable = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\bconnection refused\b`,
		`\bno route to host\b`,
		`\bnetwork is unreachable\b`,
		`\bno such host\b`,
		`\bconnection timed out\b`,
		`\bi/o timeout\b`,
		`\btls handshake timeout\b`,
		`\bcould not connect to (?:the )?server\b`,
		`\bthe database system is (?:starting up|shutting down|in recovery mode)\b`,
		`\b503\b\W{0,3}service unavailable\b`,
	}, "|"))
)

// TroubleOf returns the trouble that errors are due to, with the words that show it; "" if there is
// none. Errors about an attribute, and words that the request said, are ignored.
func TroubleOf(diags diagnostic.Diagnostics, said Said) (_ Trouble, words string) {
	for _, d := range diags {
		if d.Severity != diagnostic.Error || len(d.Attribute) > 0 {
			continue
		}
		text := d.Summary + ": " + d.Detail
		if words = said.find(unauthenticated, text); words != "" {
			return Unauthenticated, words
		}
		if words = said.find(unreachable, text); words != "" {
			return Unreachable, words
		}
	}
	return "", ""
}
