package providerconfig

import (
	"cmp"
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
)

// anyNamespace stands for no namespace in particular. No namespace has this name.
const anyNamespace = "*"

// Problem is why a configuration cannot be used.
type Problem struct {
	Reason  xpv2.ConditionReason
	Message string
}

// Check returns why a configuration cannot be used, whoever uses it, or nil. It reads the Secrets
// of the configuration, and starts no provider: whether the provider accepts them is known when a
// resource uses it.
func (r *Resolver) Check(ctx context.Context, of Reference) *Problem {
	h := r.resolve(ctx, &xpv2.ProviderConfigReference{Kind: of.Kind, Name: of.Name}, cmp.Or(of.Namespace, anyNamespace))
	if h.Diagnostics.HasErrors() {
		return problem(v1alpha1.ReasonProviderConfig, h.Diagnostics, h.Secrets)
	}
	r.mu.Lock()
	known := r.resolved[of]
	r.mu.Unlock()
	if known == nil {
		return nil
	}
	f := r.Pool.Failure(known.key)
	if f == nil || f.Passing {
		return nil
	}
	switch f.Reason {
	case pool.Throttled, pool.Starting, pool.NoRoom, pool.Closed:
		return nil // not because of the configuration
	}
	return problem(v1alpha1.ReasonProviderUnavailable, r.spell(f.Diagnostics), h.Secrets)
}

// AccountCode returns what confirms that a configuration is still for the same account, with the
// arguments that it has now; empty if that is not known.
func (r *Resolver) AccountCode(ctx context.Context, of Reference) string {
	h := r.resolve(ctx, &xpv2.ProviderConfigReference{Kind: of.Kind, Name: of.Name}, cmp.Or(of.Namespace, anyNamespace))
	return h.Stored.Code()
}

// maxMessage is the maximum length of a message, in characters.
const maxMessage = 300

func problem(reason xpv2.ConditionReason, diags diagnostic.Diagnostics, secrets []string) *Problem {
	var hidden redact.Redactor
	for _, s := range secrets {
		hidden.Add([]byte(s))
	}
	text := []rune(hidden.Replacer().ReplaceInLine(diags.Errors().String()))
	if len(text) > maxMessage {
		text = append(text[:maxMessage-2], ' ', '…')
	}
	return &Problem{reason, string(text)}
}
