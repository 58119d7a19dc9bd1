package simulation

import (
	"math/rand/v2"
	"slices"
)

// choices is the sequence of decisions of a schedule. Zero is always the harmless decision, so that
// a schedule becomes simpler when decisions are removed.
type choices struct {
	// replayed are the decisions to make first; after them, random says what follows.
	replayed []uint32
	random   *rand.Rand // nil: zeros follow
	made     []uint32
	// lists is set in schedules whose objects are looked at by listing.
	lists bool
	// approvals is set in schedules whose resources have approval policies.
	approvals bool
	// references is set in schedules whose resources refer to each other.
	references bool
	// brake is set in schedules with the brake.
	brake bool
	// accounts is set in schedules whose cloud has several accounts. They cannot be shrunk.
	accounts bool
	// triggers is set in schedules whose resources have actions invoked. They cannot be shrunk.
	triggers bool
	// versions is set in schedules in which the provider's version changes to and fro. They cannot
	// be shrunk.
	versions bool
	// rests is set in schedules in which nothing happens now and then, until resources leave marks,
	// and in which all are changed at the end. They cannot be shrunk.
	rests bool
	// behaviours are those of the cloud. Schedules that have any cannot be shrunk.
	behaviours []behaviour
	// modules is set in schedules in which users change modules nearly always, and mostly replace
	// their objects.
	modules bool
	// splits is set in schedules whose provider configurations are split by kinds, or not, and in
	// which resources take over objects: none with approvals, which are of the resource that has
	// made an object. They cannot be shrunk.
	splits bool
	// replicas is the number of replicas that share the work; at most one means that a leader does
	// all of it.
	replicas int
}

// shared reports whether replicas share the work.
func (c *choices) shared() bool { return c.replicas > 1 }

func newChoices(o Options, schedule uint64) *choices {
	if o.References {
		return &choices{random: rand.New(rand.NewPCG(o.Seed, schedule)), references: true, replicas: o.Replicas}
	}
	out := &choices{
		random: rand.New(rand.NewPCG(o.Seed, schedule)), lists: o.Lists, approvals: o.Approvals, brake: o.Brake,
		accounts: o.Accounts, triggers: o.Triggers, versions: o.Versions, replicas: o.Replicas,
		rests: schedule%4 >= 2, behaviours: behavioursOf(schedule), modules: modulesIn(schedule),
		splits: o.Replicas > 1 && !o.Accounts && !o.Approvals && schedule%2 == 0,
	}
	if out.accounts { // such replacements cannot be told apart from unasked ones
		out.behaviours = slices.DeleteFunc(out.behaviours, func(b behaviour) bool { return b == normalisedReplacement })
	}
	if out.triggers { // whether an object was changed is plain
		out.behaviours, out.modules, out.splits = nil, false, false
	}
	return out
}

func replay(made []uint32, replicas int) *choices {
	return &choices{replayed: made, replicas: replicas}
}

// next returns a decision from 0 to n-1.
func (c *choices) next(n int) int {
	var v uint32
	switch i := len(c.made); {
	case n <= 1:
		return 0
	case i < len(c.replayed):
		v = c.replayed[i] % uint32(n)
	case c.random != nil:
		v = c.random.Uint32N(uint32(n))
	}
	c.made = append(c.made, v)
	return int(v)
}

// over reports whether all decisions to replay were made. Only harmless ones follow.
func (c *choices) over() bool { return c.random == nil && len(c.made) >= len(c.replayed) }

// one reports whether something happens that happens once in n times.
func (c *choices) one(n int) bool { return c.next(n) == n-1 }

// pick returns one of the values.
func pick[T any](c *choices, values ...T) T { return values[c.next(len(values))] }
