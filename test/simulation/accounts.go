package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// In schedules with accounts, the cloud has two of them, with ids of their own. Others have made
// objects in the second one. Resources use several provider configurations; users give them other
// ones, and edit and replace these. They confirm only what is true.

// uid is an attribute that no two objects have alike.
const uid = "uid"

// accountNames are the accounts of the cloud. Each can be accessed by two endpoints.
var accountNames = []string{"s1", "s2"}

// access is a provider configuration.
type access struct {
	// uid is that of the object in the cluster.
	uid string
	// endpoint and option are its arguments. names is set if the endpoint names the account.
	endpoint string
	option   int
	names    bool
	// declared and confirmed are its annotations.
	declared, confirmed string
}

// account returns the account that the configuration gives access to.
func (a access) account() string { return strings.TrimSuffix(a.endpoint, ".alias") }

func (a access) arguments() string { return fmt.Sprint(a.endpoint, " ", a.option) }

// owner returns what the configuration has in common with others.
func (a access) owner() ownership.Account {
	return ownership.Account{Content: a.arguments(), Declared: a.declared, Arguments: a.stored("").Configurations()[""].Arguments}
}

// stored returns what is stored of the account.
func (a access) stored(name string) instance.Account {
	if a.endpoint == "" {
		return ""
	}
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:8])
	}
	out := instance.Configuration{Name: name, UID: a.uid, Declared: a.declared, Confirmed: a.confirmed, Arguments: sum(a.arguments())}
	if a.names {
		out.Naming = sum("endpoint " + a.endpoint)
	}
	return out.Account()
}

// access returns a configuration as a process knows it.
func (p *process) access(configuration string) access {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.accesses[configuration]
}

// accessed is called when a process hears of a provider configuration.
func (p *process) accessed(name string, a access) {
	p.w.mu.Lock()
	p.accesses[name] = a
	p.w.mu.Unlock()
	p.wakeUsing(name)
}

// makeAccounts makes the provider configurations, and what others have in the second account.
func (u *users) makeAccounts() {
	c := u.w.choices
	byEndpoint := c.one(2)
	for i := range 3 {
		u.access(fmt.Sprintf("c%d", i), access{endpoint: pick(c, accountNames...), option: i, names: byEndpoint})
	}
	for range c.next(12) {
		u.serial++
		o := &object{
			account: "s2", resourceType: pick(c, resourceTypes...), name: pick(c, "a", "b", "pair-a"), zone: "z1", size: 1,
			tag: fmt.Sprintf("stranger-%d.", u.serial), stored: true,
		}
		if o.resourceType == named && u.w.cloud.find(o.account, o.resourceType, func(other *object) bool { return other.name == o.name }) != nil {
			continue
		}
		u.byTag[o.tag] = &incarnation{tag: o.tag, strange: true, released: true}
		u.w.cloud.add(o)
		u.w.note("another program has made %s", o)
	}
}

// access makes or changes a provider configuration.
func (u *users) access(name string, a access) {
	if a.uid == "" {
		u.serial++
		a.uid = fmt.Sprintf("configuration-%d", u.serial)
	}
	u.accesses[name] = a
	u.former = append(u.former, a)
	u.w.api.log = append(u.w.api.log, watchEvent{configuration: name, access: &a})
	u.w.note("user makes %s a configuration %+v", name, a)
}

func (u *users) accessNames() []string { return slices.Sorted(maps.Keys(u.accesses)) }

// accountOf returns the account that a configuration gives access to; empty if there is only one.
func (u *users) accountOf(configuration string) string { return u.accesses[configuration].account() }

// account does what may have a resource reach another account.
func (u *users) account(k store.Key, i *incarnation) {
	c := u.w.choices
	name := pick(c, u.accessNames()...)
	a := u.accesses[name]
	switch c.next(8) {
	case 0, 1:
		// What was confirmed of a configuration is not true for a resource whose objects are
		// elsewhere.
		if recorded := u.recordedIn(k); a.confirmed == "" || recorded == "" || recorded == a.account() {
			u.refer(k, i, name)
		}
	case 2:
		a.endpoint = pick(c, "s1", "s2", "s1.alias", "s2.alias")
		u.access(name, a.truthful())
	case 3:
		a.option = c.next(4)
		u.access(name, a)
	case 4:
		a.uid, a.confirmed = "", ""
		if c.one(2) {
			a.endpoint = pick(c, "s1", "s2", "s1.alias", "s2.alias")
		}
		u.access(name, a.truthful())
	case 5:
		if a.declared == "" {
			a.declared = "account-" + a.account()
		} else {
			a.declared = ""
		}
		u.access(name, a)
	default:
		if reason, message := condition(u.resource(k), "Synced"); reason == string(v1alpha1.ReasonAccountChanged) {
			u.answer(k, i, message)
		}
	}
}

// truthful returns the configuration with the account that it declares, if it declares one.
func (a access) truthful() access {
	if a.declared != "" {
		a.declared = "account-" + a.account()
	}
	return a
}

// confirmAccount matches what confirms an account in a message.
var confirmAccount = regexp.MustCompile(`landbridge\.io/confirm-account(?: of this resource)? to "([^"]+)"`)

// answer does what the condition of a resource asks for whose account is not known to be the same.
func (u *users) answer(k store.Key, i *incarnation, message string) {
	m := confirmAccount.FindStringSubmatch(message)
	if m == nil {
		return
	}
	now := u.accesses[i.configuration].stored(i.configuration)
	if m[1] != now.Title() && m[1] != now.Code() {
		return // the condition is about what the configuration was before
	}
	here, recorded := u.accountOf(i.configuration), u.recordedIn(k)
	switch {
	// An object may be here although the record is for the other account: it was left here, or the
	// former record was lost.
	case u.elsewhereThan(i, here), !u.isIn(i, here), recorded != "" && recorded != here, strings.Contains(message, "of this resource to"):
		u.leave(k, i, m[1])
	case strings.Contains(message, "on the configuration if") && u.allIn(i.configuration):
		a := u.accesses[i.configuration]
		if a.confirmed = m[1]; a != u.accesses[i.configuration] {
			u.access(i.configuration, a)
		}
	default:
		u.goBack(k, i)
	}
}

// elsewhereThan reports whether objects of a resource are in another account.
func (u *users) elsewhereThan(i *incarnation, account string) bool {
	return slices.ContainsFunc(u.w.cloud.objects, func(o *object) bool {
		return o.tag == i.tag && o.account != account && !i.left[o.account]
	})
}

// isIn reports whether a resource has an object in an account.
func (u *users) isIn(i *incarnation, account string) bool {
	return slices.ContainsFunc(u.w.cloud.objects, func(o *object) bool { return o.tag == i.tag && o.account == account })
}

// allIn reports whether the objects of all resources that use a configuration are in the account
// that it gives access to, and whether what was begun for them was begun there.
func (u *users) allIn(configuration string) bool {
	here := u.accountOf(configuration)
	return !slices.ContainsFunc(u.w.keys, func(k store.Key) bool {
		i := u.current[k]
		if u.resource(k) == nil || i.configuration != configuration {
			return false
		}
		recorded := u.recordedIn(k)
		if recorded == here && i.lost {
			return false // no record has what it had elsewhere
		}
		return u.elsewhereThan(i, here) || recorded != "" && recorded != here
	})
}

// recordedIn returns the account in which the record of a resource has its objects; empty if there
// is none.
func (u *users) recordedIn(k store.Key) string {
	s := u.w.api.secrets[secretKey(k)]
	if s == nil {
		return ""
	}
	was := accountIn(s).Configurations()[""]
	for _, a := range u.former {
		if was.Name != "" && a.stored(was.Name).Configurations()[""].Arguments == was.Arguments {
			return a.account()
		}
	}
	return ""
}

// leave lets the objects of a resource stay where they are.
func (u *users) leave(k store.Key, i *incarnation, confirmed string) {
	u.w.note("user confirms the account %s of %s %s (%s)", confirmed, k.Kind, k.Name, i.tag)
	for _, account := range accountNames {
		if account != u.accountOf(i.configuration) {
			i.left[account] = true
		}
	}
	u.annotate(k, v1alpha1.AnnotationConfirmAccount, confirmed)
}

// goBack gives a resource the configuration by which its objects were accessed last, as it was
// then.
func (u *users) goBack(k store.Key, i *incarnation) {
	s := u.w.api.secrets[secretKey(k)]
	if s == nil {
		return
	}
	was, ok := accountIn(s).Configurations()[""]
	if !ok {
		return
	}
	if i.configuration != was.Name && u.accountOf(was.Name) != u.recordedIn(k) {
		// It is for another account by now, too. The object is given up if nothing shows that it is
		// in this one.
		for _, account := range accountNames {
			i.left[account] = true
		}
		u.annotate(k, v1alpha1.AnnotationConfirmAccount, u.accesses[i.configuration].stored(i.configuration).Title())
		return
	}
	u.w.note("user goes back to %s with %s %s", was.Name, k.Kind, k.Name)
	if i.configuration != was.Name {
		u.refer(k, i, was.Name)
		return
	}
	if u.w.calm {
		return // until the objects of all others are left or back, the configuration cannot be confirmed for all
	}
	for _, a := range u.former {
		if a.stored(was.Name).Configurations()[""].Arguments == was.Arguments {
			now := u.accesses[was.Name]
			now.endpoint, now.option = a.endpoint, a.option
			u.access(was.Name, now.truthful())
			return
		}
	}
}

// accountIn returns the account in a stored instance.
func accountIn(s *corev1.Secret) instance.Account {
	return instance.DecodeAccount(s.Data["account.json"])
}

// strangers checks, when an object is changed for a resource with a tag, that it is no object of
// others.
func (c *check) strangers(o *object, tag string) {
	i := c.w.users.byTag[o.tag]
	if !i.strange && (tag == o.tag || !c.w.choices.accounts) {
		return
	}
	if !c.misled(o.resourceType) {
		c.violated(Strange, o.uid+o.tag, "%s is changed, which is not an object of the resource (%s)", o, tag)
	}
}

// misled reports whether a resource with objects of a type imports one, or has lost its record by
// what its user did: then only its annotations name its object, without the account.
func (c *check) misled(resourceType string) bool {
	return c.w.choices.accounts && slices.ContainsFunc(c.w.keys, func(k store.Key) bool {
		by := c.w.users.current[k]
		return by != nil && (by.imports || by.excused()) && slices.Contains(c.w.users.types(k), resourceType)
	})
}
