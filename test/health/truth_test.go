package health_test

import "github.com/landbridge-io/landbridge/internal/testing/objecttest"

// truth is whether Ready and Synced are True: what kubectl wait, compositions and people look at.
// Objects of Landbridge's own kinds and provider configurations have no Synced.
type truth struct{ ready, synced bool }

func truthOf(u object) truth {
	return truth{objecttest.IsTrue(u, "Ready"), objecttest.IsTrue(u, "Synced")}
}

// truths has the conditions of all situations.
var truths = map[string]truth{
	"creating":                              {false, true},
	"ready":                                 {true, true},
	"updating":                              {true, true},
	"updated":                               {true, true},
	"replacing":                             {false, true},
	"update failed, tried again":            {true, false},
	"create failed, tried again":            {false, false},
	"create can never succeed":              {false, false},
	"provider refuses the spec":             {false, false},
	"provider refuses a changed spec":       {true, false},
	"corrected after a refusal":             {true, true},
	"plan refused":                          {true, false},
	"create awaits approval":                {false, false},
	"update awaits approval":                {true, false},
	"conflict":                              {false, false},
	"waits for a reference":                 {false, false},
	"refers to a field that the kind lacks": {false, false},
	"waits for a Secret":                    {false, false},
	"waits for its provider configuration":  {false, false},
	"interrupted":                           {false, false},
	"paused":                                {true, false},
	"paused with a changed spec":            {true, false},
	"deleting":                              {false, true},
	"reconcile requested":                   {true, true},
	"TerraformProvider is removed":          {false, false},
	"type is not activated any more":        {false, false},

	"TerraformProvider serves its kinds":           {ready: true},
	"TerraformProvider does not exist in a mirror": {},
	"TerraformProvider conflicts with another":     {},
	"TerraformModule without a command line":       {},
	"ProviderConfig can be used":                   {ready: true},
	"ProviderConfig without its Secret":            {},
	"ProviderConfig gets its Secret later":         {ready: true},
	"ProviderConfig is refused by the provider":    {},
	"ProviderConfig is deleted while it is used":   {},

	"new and unseen":                    {},
	"TerraformProvider, new and unseen": {},
	"ProviderConfig, new and unseen":    {},
	"controller away, spec unchanged":   {true, true},
	"controller away, spec changed":     {true, true},
	"controller away, deleted":          {true, true},

	"module is complete":                              {true, true},
	"create of a module fails halfway":                {false, false},
	"rest of a module is tried again":                 {false, false},
	"rest of a module succeeds":                       {true, true},
	"change of a module fails halfway":                {false, false},
	"failed change of a module is taken back":         {true, true},
	"TerraformModule whose folder is missing":         {},
	"TerraformModule in a missing directory":          {},
	"TerraformModule whose variable changes its type": {},
}
