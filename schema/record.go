package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Record is a provider's schema as stored in a file, with the provider's name and version.
type Record struct {
	// Provider is the provider's name, such as random.
	Provider string `json:"provider"`
	// Version of the provider, such as 3.9.0.
	Version string    `json:"version"`
	Schema  *Provider `json:"schema"`
	// Examples are configurations of resource types, from the provider's documentation, as JSON by
	// Terraform's names. Examples of kinds are made of them. Types without one have an example with
	// the required arguments.
	Examples map[string]map[string]any `json:"examples,omitempty"`
}

// Sum returns the checksum of the schema, SHA-256 in lower-case hex. Writing a schema to a file and
// reading it again does not change it. The signatures of functions are left out: older records do
// not have them.
func (p *Provider) Sum() (string, error) {
	summed := *p
	summed.Signatures = nil
	raw, err := json.Marshal(&summed)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// Encode returns the file's content: indented JSON, with the same bytes for the same schema.
func (r *Record) Encode() ([]byte, error) {
	raw, err := json.MarshalIndent(r, "", " ")
	return append(raw, '\n'), err
}

// DecodeRecord reads the output of Encode, and validates the schema as Decode does.
func DecodeRecord(raw []byte) (*Record, error) {
	r := &Record{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(r)
	switch {
	case err != nil:
	case r.Schema == nil:
		err = errors.New("there is no schema")
	case r.Provider == "" || r.Version == "":
		err = errors.New("it does not say of which provider and version it is")
	default:
		err = r.Schema.check()
	}
	if err != nil {
		return nil, fmt.Errorf("reading a recorded schema: %w", err)
	}
	return r, nil
}

// ReadRecord reads the file of a provider. It returns an error if the schema is of another
// provider.
func ReadRecord(file, provider string) (*Record, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, err := DecodeRecord(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if r.Provider != provider {
		return nil, fmt.Errorf("%s is the schema of the provider %s, and not of %s: record it again from "+
			"the right provider", file, r.Provider, provider)
	}
	return r, nil
}
