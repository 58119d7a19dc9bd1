package tfstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// Unreadable is an instance that cannot be read.
type Unreadable struct {
	// Address is that of its resource block, with its index key as in the file, and Type the
	// block's resource type.
	Address, Type string
	// Managed is set unless it is of a data source.
	Managed bool
	Err     error
}

// Read decodes a state file. Errors have the place of the problem, but never values.
func Read(b []byte, schemas Schemas) (State, error) {
	return read(b, schemas, func(r *ResourceBlock, i int, _ []byte, err error) error {
		return fmt.Errorf("%s.%s, instance %d: %w", r.Type, r.Name, i, err)
	})
}

// ReadSome decodes a state file as Read does, and leaves out the instances that cannot be read.
// Nothing may be written back of what it returns.
func ReadSome(b []byte, schemas Schemas) (State, []Unreadable, error) {
	var out []Unreadable
	s, err := read(b, schemas, func(r *ResourceBlock, _ int, raw []byte, err error) error {
		x := Unreadable{Address: r.Address(), Type: r.Type, Managed: r.Mode == "managed", Err: err}
		var key struct {
			IndexKey json.RawMessage `json:"index_key"`
		}
		if json.Unmarshal(raw, &key) == nil && len(key.IndexKey) > 0 && string(key.IndexKey) != "null" {
			x.Address += "[" + string(key.IndexKey) + "]"
		}
		out = append(out, x)
		return nil
	})
	return s, out, err
}

// read decodes a state file. unreadable decides about an instance that cannot be read, given as
// JSON.
func read(b []byte, schemas Schemas, unreadable func(r *ResourceBlock, i int, raw []byte, err error) error) (State, error) {
	fields, err := object(b)
	if err != nil {
		return State{}, fmt.Errorf("not a state file: %w", err)
	}
	var out State
	var version uint64
	var resources []json.RawMessage
	if err := fields.take(map[string]any{
		"version": &version, "terraform_version": &out.TerraformVersion, "serial": &out.Serial,
		"lineage": &out.Lineage, "resources": &resources,
	}); err != nil {
		return State{}, err
	}
	if _, ok := fields["encrypted_data"]; ok {
		return State{}, errors.New("the state is encrypted by OpenTofu. Give the output of tofu state pull, which " +
			"decrypts it with the key of its configuration")
	}
	switch {
	case version > formatVersion:
		return State{},
			fmt.Errorf("the state file has format version %d, where only %d can be read. A newer version of "+
				"Terraform or OpenTofu wrote it, for which a newer landbridge is needed", version, formatVersion)
	case version < formatVersion:
		return State{}, fmt.Errorf("the state file has format version %d, where only %d can be read. Let Terraform "+
			"1.0 or newer, or OpenTofu, write it again", version, formatVersion)
	}
	out.Extra = fields.rest()
	for i, r := range resources {
		resource, err := readResource(r, schemas, unreadable)
		if err != nil {
			return State{}, fmt.Errorf("resource %d: %w", i, err)
		}
		out.Resources = append(out.Resources, resource)
	}
	return out, nil
}

func readResource(b []byte, schemas Schemas, unreadable func(*ResourceBlock, int, []byte, error) error) (ResourceBlock, error) {
	var out ResourceBlock
	fields, err := object(b)
	if err != nil {
		return out, err
	}
	var instances []json.RawMessage
	if err := fields.take(map[string]any{
		"module": &out.Module, "mode": &out.Mode, "type": &out.Type, "name": &out.Name,
		"provider": &out.Provider, "instances": &instances,
	}); err != nil {
		return out, err
	}
	out.Extra = fields.rest()
	byKey := map[any]int{}
	for i, raw := range instances {
		if err := out.readInstance(raw, schemas.find(out.Mode, out.Type), byKey); err != nil {
			if err := unreadable(&out, i, raw, err); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// readInstance decodes one object, and adds it to the instance of its index key.
func (r *ResourceBlock) readInstance(b []byte, s *schema.Resource, byKey map[any]int) error {
	fields, err := object(b)
	if err != nil {
		return err
	}
	if _, ok := fields["attributes_flat"]; ok {
		return errors.New("it was written by Terraform 0.11 or older; let a newer Terraform refresh it first")
	}
	var (
		indexKey, attributes, identity json.RawMessage
		status, deposed                string
		kept                           Kept
		sensitive                      []instance.Path
		object                         instance.Deposed
	)
	_, hasIdentityVersion := fields["identity_schema_version"]
	if err := fields.take(map[string]any{
		"index_key": &indexKey, "status": &status, "deposed": &deposed,
		"schema_version": &object.SchemaVersion, "attributes": &attributes,
		"identity_schema_version": &object.IdentityVersion, "identity": &identity,
		"sensitive_attributes": &sensitive, "private": &object.Private,
		"dependencies": &kept.Dependencies, "create_before_destroy": &object.CreateBeforeDestroy,
	}); err != nil {
		return err
	}
	kept.Extra, kept.OmitIdentityVersion = fields.rest(), !hasIdentityVersion
	key, err := readIndexKey(indexKey)
	if err != nil {
		return err
	}
	switch status {
	case "":
		object.Status = instance.Full
	case "tainted":
		object.Status = instance.Tainted
	default:
		return errors.New("it has an unknown status")
	}
	for _, p := range sensitive {
		object.SensitivePaths = append(object.SensitivePaths, cty.Path(p))
	}
	stateType, identityType, stateVersion, identityVersion := cty.NilType, cty.NilType, int64(0), int64(0)
	if s != nil {
		stateType, identityType, stateVersion = s.ImpliedType(), s.IdentityType(), s.Version
		if s.Identity != nil {
			identityVersion = s.Identity.Version
		}
	}
	object.State, object.RawState = instance.DecodeValue(attributes, object.SchemaVersion, stateType, stateVersion)
	object.Identity, object.RawIdentity = instance.DecodeValue(identity, object.IdentityVersion, identityType, identityVersion)

	at, ok := byKey[key]
	if !ok {
		at = len(r.Instances)
		byKey[key] = at
		r.Instances = append(r.Instances, Instance{IndexKey: key})
	}
	return r.Instances[at].add(deposed, object, kept)
}

func (i *Instance) add(deposed string, object instance.Deposed, kept Kept) error {
	if deposed == "" {
		if i.Status != instance.Empty {
			return errors.New("there is another object of the same index key")
		}
		already := i.Deposed
		i.Instance, i.Kept = object.Instance(), kept
		i.Deposed = already
		return nil
	}
	if _, ok := i.KeptDeposed[deposed]; ok {
		return errors.New("there is another deposed object of the same key")
	}
	if i.KeptDeposed == nil {
		i.KeptDeposed = map[string]Kept{}
	}
	object.Key, i.KeptDeposed[deposed] = deposed, kept
	i.Deposed = append(i.Deposed, object)
	return nil
}

func readIndexKey(raw json.RawMessage) (any, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var number int64
	if json.Unmarshal(raw, &number) == nil {
		return number, nil
	}
	return nil, errors.New("its index key is neither a whole number nor a string")
}

// fields are the fields of a JSON object that have not been read yet.
type fields map[string]json.RawMessage

func object(b []byte) (fields, error) {
	var out fields
	if err := json.Unmarshal(b, &out); err != nil {
		return nil, errors.New("malformed JSON")
	}
	if out == nil {
		return nil, errors.New("it is null")
	}
	return out, nil
}

func (f fields) take(into map[string]any) error {
	for name, target := range into {
		raw, ok := f[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, target); err != nil {
			return fmt.Errorf("the field %s has the wrong type", name)
		}
		delete(f, name)
	}
	return nil
}

func (f fields) rest() map[string]json.RawMessage {
	if len(f) == 0 {
		return nil
	}
	return f
}
