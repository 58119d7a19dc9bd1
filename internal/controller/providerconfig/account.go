package providerconfig

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// AccountKey is the key of the hashes of contents. Without it, a hash that leaks would let secrets
// of low entropy be guessed.
type AccountKey [sha256.Size]byte

// ownAccountKey is the key of what is only compared within this process.
var ownAccountKey = func() (key AccountKey) {
	_, _ = rand.Read(key[:]) // it never fails
	return key
}()

// SharedAccountKey returns the key that all processes of an installation have in common, made from
// a secret of theirs, and what identifies it.
func SharedAccountKey(secret []byte) (key AccountKey, id string) {
	sum := func(of string) AccountKey {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(of))
		return AccountKey(h.Sum(nil))
	}
	made := sum("id of accounts")
	return sum("accounts"), hex.EncodeToString(made[:8])
}

// AccountOf returns what the account of a configuration in the cluster has in common with others,
// as far as it can be read. config is NilVal if its arguments cannot.
func AccountOf(u *unstructured.Unstructured, config cty.Value, l provider.Launcher) ownership.Account {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	tokens, err := tokenSpecs(Reference{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}, spec, l)
	if err != nil {
		config = cty.NilVal
	}
	return account(u, config, l, tokens, ownAccountKey)
}

// account returns what a configuration has in common with others. An account is declared only in a
// ClusterProviderConfig: whoever may write in one namespace could otherwise claim objects of the
// accounts of others.
func account(u *unstructured.Unstructured, config cty.Value, l provider.Launcher, tokens []tokenSpec, key AccountKey) ownership.Account {
	out := ownership.Account{Content: contentOf(config, l, tokens, key)}
	if u.GetKind() == model.ClusterProviderConfigKind {
		out.Declared = u.GetAnnotations()[v1alpha1.AnnotationAccount]
	}
	return out
}

// contentOf returns a hash of what a provider is configured with: its arguments, secrets included,
// and its environment. Arguments without a value do not count, so that releases with other schemas
// are the same account. Of tokens of ServiceAccounts, it is whose they are and whom they are for
// that counts, since the tokens change. It is empty if there is none.
func contentOf(config cty.Value, l provider.Launcher, tokens []tokenSpec, key AccountKey) string {
	arguments, ok := argumentsOf(config)
	if !ok {
		return ""
	}
	var environment map[string]string
	if e, ok := l.(provider.VariablesReporter); ok {
		environment = e.Variables()
	}
	var accounts [][]any
	for _, t := range tokens {
		accounts = append(accounts, []any{t.ServiceAccountReference, t.Audiences, t.Env, t.FileEnv})
	}
	return key.sum([]any{arguments, environment, accounts})
}

// argumentsOf returns the arguments of a provider as JSON, without those that have no value; false
// if they are not known.
func argumentsOf(config cty.Value) (arguments any, ok bool) {
	if config == cty.NilVal {
		return nil, false
	}
	if config, _ = config.UnmarkDeep(); !config.IsWhollyKnown() {
		return nil, false
	}
	encoded, err := ctyjson.Marshal(config, config.Type())
	if err != nil {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&arguments); err != nil {
		return nil, false
	}
	return withoutEmpty(arguments), true
}

// sum returns a hash of a JSON value; empty if it cannot be encoded.
func (key AccountKey) sum(of any) string {
	content, err := json.Marshal(of)
	if err != nil {
		return ""
	}
	h := hmac.New(sha256.New, key[:])
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// storedAccount returns what is stored of the account that a configuration gives access to. Only
// processes with the same key can compare it, so it is empty without one. Secrets, and the
// environment, do not count: they are renewed, and the account stays the same.
func storedAccount(
	name string, u *unstructured.Unstructured, c translate.Configuration, p *model.Provider, key AccountKey,
) instance.Account {
	if key == (AccountKey{}) {
		return ""
	}
	out := instance.Configuration{Name: name, UID: string(u.GetUID()), Confirmed: u.GetAnnotations()[v1alpha1.AnnotationConfirmAccount]}
	if u.GetKind() == model.ClusterProviderConfigKind {
		out.Declared = u.GetAnnotations()[v1alpha1.AnnotationAccount]
	}
	open, err := withoutSecrets(c, p.Schema.Config)
	if err != nil {
		return ""
	}
	all, ok := argumentsOf(open)
	if !ok {
		return ""
	}
	if arguments, _ := all.(map[string]any); len(arguments) > 0 {
		out.Arguments = key.sum([]any{"arguments", arguments})
		maps.DeleteFunc(arguments, func(name string, _ any) bool { return !slices.Contains(p.AccountFrom, name) })
		if len(arguments) > 0 {
			out.Naming = key.sum([]any{"naming", arguments})
		}
	}
	return out.Account()
}

// withoutSecrets returns the arguments without values from Secrets, and sensitive ones.
func withoutSecrets(c translate.Configuration, b *schema.Block) (cty.Value, error) {
	value, _ := c.Value.UnmarkDeep()
	secret := cty.NewPathSet(c.SensitivePaths...)
	return cty.Transform(value, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if a := b.AttributeByPath(path); secret.Has(path) || a != nil && (a.Sensitive || a.WriteOnly) {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
}

// withoutEmpty returns a JSON value without what is null or has nothing in it.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			v[key] = withoutEmpty(x)
		}
		maps.DeleteFunc(v, func(_ string, x any) bool { return x == nil })
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i, x := range v {
			v[i] = withoutEmpty(x)
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}
