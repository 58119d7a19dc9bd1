package scheduler

import (
	"maps"
	"slices"
	"strings"
)

// of reports whether the same was asked for when the operation failed.
func (f *failure) of(r Request) bool {
	same := f.basis == basisOf(&r) || f.tainted != "" && f.tainted == attemptsBasis(&r)
	return same && f.policies == r.Policies && f.approve == r.Asked.Approve && f.reapply == r.Asked.Reapply
}

// basisOf identifies what the outcome of an operation depends on, apart from the remote object: the
// configuration of the resource, the provider's release, and the provider configurations with their
// Secrets. After a change of any of these, earlier failures tell nothing, whatever their words.
func basisOf(r *Request) string {
	parts := []string{r.ConfigHash, r.Release, r.ProviderConfiguration, r.Account.Content, string(r.StoredAccount), r.ConfirmAccount}
	for _, key := range slices.Sorted(maps.Keys(r.Accesses)) {
		parts = append(parts, key, r.Accesses[key].Configuration, r.Accesses[key].Account.Content)
	}
	return strings.Join(parts, "\x00")
}

// backoff returns the error of a failed operation while it is too early to try again. A changed
// configuration, provider configuration, policy or approval is tried at once.
func (s *Scheduler) backoff(f *failure, r Request) *Error {
	if f == nil || !f.of(r) || !s.o.Clock.Now().Before(f.retryAt) {
		return nil
	}
	return &Error{Reason: f.reason, Diagnostics: f.diags, RetryAt: f.retryAt}
}
