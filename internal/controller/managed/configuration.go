package managed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// configuration is the translated configuration of a resource. It is valid while the resource's
// generation, the Secrets that it refers to, and the values of references are unchanged.
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

// shrink leaves out a resource's configuration, which takes as much memory as its state. It is
// called for a resource that was found unchanged: looks at it need the hash only.
func (t *resources) shrink(of subject) {
	known := t.get(of).configuration
	if known == nil || known.config.Value == cty.NilVal {
		return
	}
	small := *known
	small.config = shrunk
	t.configure(of, &small)
}

// configure remembers the configuration of a resource.
func (t *resources) configure(of subject, c *configuration) {
	t.update(of, func(x tracked) tracked {
		x.configuration = c
		return x
	})
}

// shrunk is the configuration of all resources whose own one was left out.
var shrunk = &terraform.Config{Value: cty.NilVal}

// whole returns the configuration with its value, made again from the same request and Secrets if
// it was left out.
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
