package api

import "encoding/json"

// Collection names one kind of object, and with it the path /v1/<collection>.
type Collection[T any] string

// The collections. Those that share a Go type differ in how Terraform providers
// treat them, and have collections of their own so that they are audited apart.
const (
	Things     Collection[Thing]     = "things"
	Datastores Collection[Datastore] = "datastores"
	Tickets    Collection[Ticket]    = "tickets"
	Aliases    Collection[Alias]     = "aliases"
	Nicknames  Collection[Alias]     = "nicknames"

	Volumes               Collection[Volume] = "volumes"
	VolumesNoUpgrader     Collection[Volume] = "volumes_no_upgrader"
	VolumesUpgradeGap     Collection[Volume] = "volumes_upgrade_gap"
	VolumesUpgradeFails   Collection[Volume] = "volumes_upgrade_fails"
	VolumesUpgradeInvalid Collection[Volume] = "volumes_upgrade_invalid"
	VolumesUpgradePartial Collection[Volume] = "volumes_upgrade_partial"
	VolumesSameState      Collection[Volume] = "volumes_same_state"

	IDImports       Collection[Note] = "id_imports"
	IdentityImports Collection[Note] = "identity_imports"
	NoImports       Collection[Note] = "no_imports"
	OddImports      Collection[Note] = "odd_imports"

	Credentials Collection[Credential] = "credentials"
	Records     Collection[Record]     = "records"
	Shapes      Collection[Shape]      = "shapes"
	Snapshots   Collection[Snapshot]   = "snapshots"
	Tokens      Collection[Token]      = "tokens"
)

// A Thing has an id that the cloud assigns, known as soon as its creation is
// accepted. Names are not unique. Ids are looked up in one region.
type Thing struct {
	ID     string            `json:"id,omitempty"`
	Region string            `json:"region,omitempty"`
	Name   string            `json:"name,omitempty"`
	Size   int64             `json:"size"`
	Tags   map[string]string `json:"tags"`
}

// A Datastore has an id that is not known before the task has ended, and a name
// that is unique within its cluster: cluster UUID, cluster id and name identify it
// beforehand.
type Datastore struct {
	ID             string      `json:"id,omitempty"`
	HCIClusterUUID string      `json:"hci_cluster_uuid,omitempty"`
	ClusterInfo    ClusterInfo `json:"cluster_info,omitzero"`
	Name           string      `json:"name,omitempty"`
	CapacityGiB    int64       `json:"capacity_gib"`
	Status         string      `json:"status,omitempty"` // set by the cloud
}

// ClusterInfo tells which part of a cluster a datastore belongs to.
type ClusterInfo struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// A Ticket has nothing unique that a client could know beforehand. Two requests
// with the same create token make one ticket.
type Ticket struct {
	ID          string `json:"id,omitempty"`
	Title       string `json:"title,omitempty"`
	Body        string `json:"body"`
	Severity    string `json:"severity,omitempty"`
	CreateToken string `json:"create_token,omitempty"`
}

// An Alias has a unique name that can be changed.
type Alias struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Target string `json:"target"`
}

// A Volume is an object with a boolean that cannot be changed.
type Volume struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name,omitempty"`
	SizeGiB int64  `json:"size_gib"`
	Public  bool   `json:"public"`
}

// A Note is a named text.
type Note struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
}

// A Credential takes two secrets, of which the cloud keeps and answers only the
// digests (hexadecimal SHA-256), and answers with an API key.
type Credential struct {
	ID             string `json:"id,omitempty"`
	Name           string `json:"name,omitempty"`
	Password       string `json:"password,omitempty"`        // only in requests
	Secret         string `json:"secret,omitempty"`          // only in requests
	PasswordSHA256 string `json:"password_sha256,omitempty"` // set by the cloud
	SecretSHA256   string `json:"secret_sha256,omitempty"`   // set by the cloud
	APIKey         string `json:"api_key,omitempty"`         // set by the cloud
}

// A Shape is a document of any form, with some values of every type that an
// identity can have.
type Shape struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Zones    []string        `json:"zones"`
	Levels   []float64       `json:"levels"`
	Switches []bool          `json:"switches"`
	Weight   float64         `json:"weight"`
	Active   bool            `json:"active"`
	Document json.RawMessage `json:"document,omitempty"`
}

// A Record is what most objects of real clouds are: a name that is not unique, some
// values, and what the cloud says of it.
type Record struct {
	ID        string   `json:"id,omitempty"`
	Name      string   `json:"name,omitempty"`
	Address   string   `json:"address,omitempty"` // cannot be changed
	Value     string   `json:"value,omitempty"`
	Document  string   `json:"document,omitempty"` // JSON
	Lines     []string `json:"lines,omitempty"`
	Rules     []Rule   `json:"rules,omitempty"`
	Serial    string   `json:"serial,omitempty"`     // set by the cloud
	UpdatedAt string   `json:"updated_at,omitempty"` // set by the cloud, by its clock
}

// A Rule is an element of a record.
type Rule struct {
	Port     int64  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

// A Snapshot is made of another object, and stays. Nothing but the one who makes it keeps it from
// being made twice.
type Snapshot struct {
	ID        string `json:"id,omitempty"`
	Source    string `json:"source,omitempty"` // id of the object
	Label     string `json:"label,omitempty"`
	Key       string `json:"key,omitempty"`        // only in requests
	KeySHA256 string `json:"key_sha256,omitempty"` // set by the cloud
}

// A Token lets its owner in, like the cloud's own token, until it expires. A change of any field
// renews it, unless it has expired.
type Token struct {
	ID        string   `json:"id,omitempty"`
	Name      string   `json:"name,omitempty"`
	Lifetime  Duration `json:"lifetime,omitempty"`
	Secret    string   `json:"secret,omitempty"`     // set by the cloud
	ExpiresAt string   `json:"expires_at,omitempty"` // set by the cloud, by its clock
}
