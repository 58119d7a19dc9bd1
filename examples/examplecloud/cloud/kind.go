package cloud

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

// object is one object's JSON. Numbers are json.Number, so that they stay exact.
type object map[string]any

// kind is what the cloud knows of one collection.
type kind struct {
	collection string
	required   []string
	key        []string // the natural key: fields that identify an object for people
	unique     bool     // refuses a second object with the same natural key
	immutable  []string
	defaults   object
	assigned   []string // fields that only the cloud sets
	late       bool     // the id is unknown until the task has ended
	token      string   // field that makes creation idempotent
	stamped    string   // field with the time of the last change, by the cloud's clock
	expires    bool     // cannot be changed any more when its lifetime has passed since the last change
	// elements are the defaults of what lists have, by the field of the list.
	elements map[string]object

	check func([]byte) error // whether the fields and types are those of the collection
	// finish sets what the cloud decides; it is called on creation and on every change.
	finish func(object)
}

var kinds = func() map[string]*kind {
	all := []*kind{
		define(api.Things, kind{
			required: []string{"name", "region"}, key: []string{"region", "name"},
			immutable: []string{"region"}, defaults: object{"size": json.Number("1")},
		}),
		define(api.Datastores, kind{
			required: []string{"name", "hci_cluster_uuid", "cluster_info.id"},
			key:      []string{"hci_cluster_uuid", "cluster_info.id", "name"}, unique: true, late: true,
			immutable: []string{"hci_cluster_uuid", "cluster_info.id", "name"},
			assigned:  []string{"status"},
			finish:    func(o object) { o["status"] = "online" },
		}),
		define(api.Tickets, kind{
			required: []string{"title"}, key: []string{"title"}, token: "create_token",
			immutable: []string{"create_token"}, defaults: object{"severity": "normal"},
		}),
		define(api.Aliases, kind{required: []string{"name"}, key: []string{"name"}, unique: true}),
		define(api.Nicknames, kind{required: []string{"name"}, key: []string{"name"}, unique: true}),
		define(api.Credentials, kind{
			required: []string{"name"}, key: []string{"name"},
			assigned: []string{"password_sha256", "secret_sha256", "api_key"},
			finish:   keepDigests,
		}),
		define(api.Shapes, kind{
			required: []string{"name"}, key: []string{"name"},
			immutable: []string{"zones", "levels", "switches", "weight", "active"},
		}),
	}
	all = append(all, define(api.Records, kind{
		required: []string{"name"}, key: []string{"name"}, immutable: []string{"address"},
		assigned: []string{"serial", "updated_at"}, stamped: "updated_at",
		elements: map[string]object{"rules": {"protocol": "tcp"}},
		finish: func(o object) {
			if o["serial"] == nil {
				o["serial"] = "serial-" + randomHex(4)
			}
		},
	}))
	all = append(all, define(api.Snapshots, kind{
		required: []string{"source", "label"}, key: []string{"source", "label"}, immutable: []string{"source"},
		assigned: []string{"key_sha256"}, finish: func(o object) { keepDigest(o, "key") },
	}), define(api.Tokens, kind{
		required: []string{"name"}, key: []string{"name"}, defaults: object{"lifetime": "1h0m0s"},
		assigned: []string{"secret", "expires_at"}, expires: true,
		finish: func(o object) {
			if o["secret"] == nil {
				o["secret"] = "token-" + randomHex(16)
			}
		},
	}))
	for _, c := range []api.Collection[api.Volume]{
		api.Volumes, api.VolumesNoUpgrader, api.VolumesUpgradeGap, api.VolumesUpgradeFails, api.VolumesUpgradeInvalid,
		api.VolumesUpgradePartial, api.VolumesSameState,
	} {
		all = append(all, define(c, kind{
			required: []string{"name"}, key: []string{"name"}, immutable: []string{"public"},
			defaults: object{"size_gib": json.Number("1")},
		}))
	}
	for _, c := range []api.Collection[api.Note]{api.IDImports, api.IdentityImports, api.NoImports, api.OddImports} {
		all = append(all, define(c, kind{required: []string{"name"}, key: []string{"name"}}))
	}
	byName := map[string]*kind{}
	for _, k := range all {
		byName[k.collection] = k
	}
	return byName
}()

func define[T any](collection api.Collection[T], k kind) *kind {
	k.collection = string(collection)
	k.check = func(text []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		return decoder.Decode(new(T))
	}
	return &k
}

// keepDigests replaces secrets by their digests: the cloud does not keep them.
func keepDigests(o object) {
	for _, field := range []string{"password", "secret"} {
		keepDigest(o, field)
	}
	if o["api_key"] == nil {
		o["api_key"] = "key-" + randomHex(16)
	}
}

// keepDigest replaces one secret by its digest.
func keepDigest(o object, field string) {
	if secret, ok := o[field].(string); ok {
		sum := sha256.Sum256([]byte(secret))
		o[field+"_sha256"] = hex.EncodeToString(sum[:])
	}
	delete(o, field)
}

// field finds a value by its path, "a" or "a.b", as text; "" if there is none.
func (o object) field(path string) string {
	var value any = map[string]any(o)
	for name := range strings.SplitSeq(path, ".") {
		inner, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = inner[name]
	}
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case json.Number:
		return value.String()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// set sets a value by its path.
func (o object) set(path, value string) {
	outer, inner, nested := strings.Cut(path, ".")
	if !nested {
		o[path] = value
		return
	}
	in, _ := o[outer].(map[string]any)
	if in == nil {
		in = map[string]any{}
		o[outer] = in
	}
	in[inner] = value
}

// matches reports whether every given field has the given value.
func (o object) matches(fields map[string]string) bool {
	for path, want := range fields {
		if o.field(path) != want {
			return false
		}
	}
	return true
}

// keySeparator is between the values of a natural key, which cannot hold it.
const keySeparator = "\x1f"

func (k *kind) keyOf(o object) string {
	values := make([]string, len(k.key))
	for i, path := range k.key {
		values[i] = o.field(path)
	}
	return strings.Join(values, keySeparator)
}

// create makes a new object of what a client sent. The id is set by the caller.
func (k *kind) create(sent object) (object, *api.Error) {
	for _, name := range append([]string{"id"}, k.assigned...) {
		if sent[name] != nil {
			return nil, invalid("%s is set by the cloud", name)
		}
	}
	made := maps.Clone(k.defaults)
	if made == nil {
		made = object{}
	}
	for name, value := range sent {
		if value != nil {
			made[name] = value
		}
	}
	return made, k.complete(made)
}

// change replaces the fields that the patch has, and removes those that are null in
// it. By hand, the rules of the collection do not count.
func (k *kind) change(old, patch object, byHand bool) (object, *api.Error) {
	changed := maps.Clone(old)
	for name, value := range patch {
		if value == nil {
			delete(changed, name)
		} else {
			changed[name] = value
		}
	}
	if byHand {
		return changed, k.typed(changed)
	}
	for _, path := range append([]string{"id"}, k.immutable...) {
		if old.field(path) != changed.field(path) {
			return nil, &api.Error{Status: http.StatusUnprocessableEntity, Code: api.CodeImmutable, Message: path + " cannot be changed"}
		}
	}
	for _, path := range k.assigned {
		if old.field(path) != changed.field(path) {
			return nil, invalid("%s is set by the cloud", path)
		}
	}
	return changed, k.complete(changed)
}

func (k *kind) complete(o object) *api.Error {
	for _, path := range k.required {
		if o.field(path) == "" {
			return invalid("%s is required", path)
		}
	}
	for _, path := range k.key {
		if strings.ContainsFunc(o.field(path), unicode.IsControl) {
			return invalid("%s has a control character", path)
		}
	}
	if region := o.field("region"); region != "" && !slices.Contains(Regions, region) {
		return invalid("there is no region %q; there are %s", region, strings.Join(Regions, ", "))
	}
	if err := k.typed(o); err != nil {
		return err
	}
	if k.finish != nil {
		k.finish(o)
	}
	return nil
}

func (k *kind) typed(o object) *api.Error {
	text, err := json.Marshal(o)
	if err == nil {
		err = k.check(text)
	}
	if err != nil {
		return invalid("%s: %s", k.collection, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func invalid(format string, args ...any) *api.Error {
	return &api.Error{Status: http.StatusUnprocessableEntity, Code: api.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}
