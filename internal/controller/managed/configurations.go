package managed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// configurations caches the translated configuration of each resource. An entry is valid while the
// resource's generation, the Secrets that it refers to, and the values of references are unchanged.
type configurations struct {
	memo   memo[*configuration]
	reader client.Reader
	// later reports whether a value is known only later, so that it is not read. It may be nil: none is.
	later func(translate.SecretKeySelector) bool
}

type configuration struct {
	generation int64
	// externalName is the external name, if it is part of the configuration.
	externalName string
	// references has the values of references that are not in the resource's spec.
	references string
	secrets    map[translate.SecretKeySelector]string
	// config is shrunk after shrink.
	config   *terraform.Config
	warnings diagnostic.Diagnostics
	hash     string
}

func newConfigurations(reader client.Reader) *configurations {
	return &configurations{reader: reader}
}

func (c *configurations) forget(name types.NamespacedName) { c.memo.forget(name) }

// get returns the configuration of a resource, from the cache if possible.
func (c *configurations) get(ctx context.Context, k *Kind, r *CustomResource, spec desired.Spec) (*configuration, diagnostic.Diagnostics) {
	name := ""
	if k.namedBySpec() {
		name = spec.Subject.ExternalName
	}
	values := references.Values(&r.Unstructured, r.unwritten)
	known := c.memo.get(subjectOf(r))
	if known != nil && known.generation == r.GetGeneration() && known.externalName == name && known.references == values && c.sameSecrets(ctx, known.secrets) {
		for _, value := range known.secrets {
			r.secrets = append(r.secrets, value)
		}
		return known, nil
	}
	out := &configuration{generation: r.GetGeneration(), externalName: name, references: values}
	var used []types.NamespacedName
	read := func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = r.GetNamespace() // a resource reads Secrets of its own namespace only
		if name := (types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}); !slices.Contains(used, name) {
			used = append(used, name)
		}
		if c.later != nil && c.later(ref) {
			return nil, translate.ErrKnownLater
		}
		b, err := providerconfig.ReadSecret(ctx, c.reader, ref)
		if err == nil {
			if out.secrets == nil {
				out.secrets = map[translate.SecretKeySelector]string{}
			}
			out.secrets[ref] = string(b)
			r.secrets = append(r.secrets, string(b))
		}
		r.secretMissing = r.secretMissing || err != nil
		return b, err
	}
	var diags diagnostic.Diagnostics
	out.config, diags = spec.Configuration(read)
	k.usesSecrets(k.key(&r.Unstructured), used)
	if diags.HasErrors() {
		return nil, diags
	}
	out.warnings = diags.Warnings()
	if f := k.Model.Settings.Argument; f != nil {
		// The hash is the same whether or not the annotation is written yet.
		if v := out.config.Value.GetAttr(f.Name); !v.IsNull() {
			name = v.AsString()
		}
	}
	out.hash = out.sum(name)
	c.memo.set(subjectOf(r), out)
	return out, nil
}

// shrink leaves out a resource's configuration, which takes as much memory as its state. It is called for a resource
// that was found unchanged: looks at it need the hash only.
func (c *configurations) shrink(of subject) {
	known := c.memo.get(of)
	if known == nil || known.config.Value == cty.NilVal {
		return
	}
	small := *known
	small.config = shrunk
	c.memo.set(of, &small)
}

// shrunk is the configuration of all resources whose own one was left out.
var shrunk = &terraform.Config{Value: cty.NilVal}

// whole returns the configuration with its value, made again from the same request and Secrets if it was left out.
func (c *configuration) whole(spec desired.Spec) *terraform.Config {
	if c.config.Value != cty.NilVal {
		return c.config
	}
	out, _ := spec.Configuration(func(ref translate.SecretKeySelector) ([]byte, error) {
		for known, value := range c.secrets {
			if known.Name == ref.Name && known.Key == ref.Key {
				return []byte(value), nil
			}
		}
		return nil, fmt.Errorf("the Secret %s was not read", ref.Name)
	})
	return out
}

// sum returns a hash of the generation, of the external name if it is part of the configuration,
// of the Secrets, and of the values of references that are not written.
func (c *configuration) sum(name string) string {
	if len(c.secrets) == 0 && name == "" && c.references == "" {
		return fmt.Sprint(c.generation)
	}
	h := sha256.New()
	h.Write([]byte(name))
	if c.references != "" {
		of := sha256.Sum256([]byte(c.references))
		h.Write(of[:])
	}
	var each [][sha256.Size]byte
	for ref, value := range c.secrets {
		each = append(each, sha256.Sum256([]byte(ref.Name+"\x00"+ref.Key+"\x00"+value)))
	}
	slices.SortFunc(each, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	for _, one := range each {
		h.Write(one[:])
	}
	return fmt.Sprintf("%d-%s", c.generation, hex.EncodeToString(h.Sum(nil)))
}

func (c *configurations) sameSecrets(ctx context.Context, secrets map[translate.SecretKeySelector]string) bool {
	for ref, value := range secrets {
		b, err := providerconfig.ReadSecret(ctx, c.reader, ref)
		if err != nil || string(b) != value {
			return false
		}
	}
	return true
}
