package instance

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unique"
)

// Account is what is stored of where the objects of an instance are: the provider configurations
// that gave access to them, as JSON. It has no secrets. Empty if it is not known.
type Account string

// Configuration is a provider configuration that gave access to objects.
type Configuration struct {
	// Name is its group, kind, namespace and name, separated by slashes.
	Name string `json:"name"`
	// UID is that of the object in the cluster.
	UID string `json:"uid,omitempty"`
	// Declared is the account that an administrator has declared the configuration to be for.
	Declared string `json:"declared,omitempty"`
	// Naming is a keyed hash of the arguments that name the account, and Arguments one of all
	// arguments that hold no secrets. They are empty if there are no such arguments.
	Naming    string `json:"naming,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	// Confirmed is the Code with which an administrator has confirmed that arguments which have
	// changed are still for the same account.
	Confirmed string `json:"confirmed,omitempty"`
}

// Account returns the account of objects that only one configuration gives access to.
func (c Configuration) Account() Account { return AccountOf(map[string]Configuration{"": c}) }

// AccountOf returns the account of objects that several configurations give access to, by the key
// of each.
func AccountOf(configurations map[string]Configuration) Account {
	if len(configurations) == 0 {
		return ""
	}
	raw, err := json.Marshal(configurations)
	if err != nil {
		return "" // texts can be encoded
	}
	return DecodeAccount(raw)
}

// DecodeAccount returns what is stored of an account. Equal ones share memory.
func DecodeAccount(raw []byte) Account {
	if len(raw) == 0 {
		return ""
	}
	return Account(unique.Make(string(raw)).Value())
}

// Configurations returns the configurations, by the key of each; nil if they are not known.
func (a Account) Configurations() map[string]Configuration {
	var out map[string]Configuration
	if a == "" || json.Unmarshal([]byte(a), &out) != nil {
		return nil
	}
	return out
}

// Text names the account in a message.
func (a Account) Text() string { return a.each(Configuration.Text) }

// Title is what confirms the account as a new one for a resource.
func (a Account) Title() string { return a.each(Configuration.Title) }

// Code is what confirms that the account is still the same, with the arguments that it has now.
func (a Account) Code() string { return a.each(Configuration.Code) }

func (a Account) each(text func(Configuration) string) string {
	all := a.Configurations()
	var out []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if s := text(all[key]); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out, ",")
}

// Text names the configuration in a message.
func (c Configuration) Text() string {
	parts := strings.Split(c.Name, "/")
	if len(parts) != 4 {
		return c.Name
	}
	out := parts[1] + " " + parts[3]
	if c.Declared != "" {
		out += " (account " + c.Declared + ")"
	}
	return out
}

// Title is the account's declared name, or the name of the configuration.
func (c Configuration) Title() string {
	return cmp.Or(c.Declared, c.Name[strings.LastIndex(c.Name, "/")+1:])
}

// Code is the Title with the beginning of Arguments.
func (c Configuration) Code() string { return c.Title() + "@" + c.Arguments[:min(8, len(c.Arguments))] }

// Relation is how the account of objects relates to the one that a resource's provider
// configurations give access to.
type Relation uint8

// The relations, from what permits most to what permits least.
const (
	// SameAccount: it is the same, or one of them is not known.
	SameAccount Relation = iota
	// UnprovedAccount: it is accessed by the same configuration, or by one of the same name that
	// was made again, with other arguments.
	UnprovedAccount
	// OtherAccount: it is accessed by another configuration that is not known to be for the same
	// account.
	OtherAccount
)

// Relation returns how the account, as it is stored, relates to the present one.
func (a Account) Relation(now Account) Relation {
	if a == now || a == "" || now == "" {
		return SameAccount
	}
	out, present := SameAccount, now.Configurations()
	for key, before := range a.Configurations() {
		if c, ok := present[key]; ok {
			out = max(out, before.relation(c))
		}
	}
	return out
}

func (c Configuration) relation(now Configuration) Relation {
	same := c.UID != "" && c.UID == now.UID
	switch {
	case c.Naming != "" && c.Naming == now.Naming:
		return SameAccount
	case !same && c.Declared != "" && c.Declared == now.Declared:
		return SameAccount
	case !same && c.Name != now.Name:
		return OtherAccount
	case !same && c.Declared != "" && now.Declared != "":
		return UnprovedAccount // they are declared to differ
	case c.Arguments == now.Arguments:
		return SameAccount
	}
	return UnprovedAccount
}
