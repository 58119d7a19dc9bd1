package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
)

// Upgrades are the providers with their newer versions.
type Upgrades struct {
	Providers []Upgrade `json:"providers"`
}

// Upgrade is a provider with its newer versions.
type Upgrade struct {
	Line
	Source    string `json:"source,omitempty"`
	Installed string `json:"installed,omitempty"`
	// Wanted is what the spec asks for.
	Wanted string `json:"wanted,omitempty"`
	// Newer are the newer versions that the controller has found, and Behind is their number; nil
	// if it is not known.
	Newer  []string `json:"newer"`
	Behind *int32   `json:"behind,omitempty"`
	// Conditions are those of the provider, such as whether a version is held back.
	Conditions []metav1.Condition `json:"conditions"`
	// Resources is the number of resources of the provider's kinds.
	Resources int `json:"resources"`
	// Plan is what landbridge upgrade plan has found; nil if it was not asked for.
	Plan *commandupgrade.ProviderPlan `json:"plan,omitempty"`
	// Problem says why there is no plan.
	Problem  string    `json:"problem,omitempty"`
	Commands []Command `json:"commands"`
}

// Still reports that the view does not follow the cluster: each look runs a command.
func (u Upgrades) Still() bool {
	return slices.ContainsFunc(u.Providers, func(p Upgrade) bool { return p.Plan != nil || p.Problem != "" })
}

// UpgradesOf returns the providers with their newer versions. command returns a command with the
// flags that the person has to give.
func UpgradesOf(c Content, command func(args ...string) string) Upgrades {
	out := Upgrades{Providers: []Upgrade{}}
	resources := map[explain.Key]int{}
	for _, e := range c.Entries {
		if !e.Supporting {
			resources[e.Owner()]++
		}
	}
	for _, e := range c.Entries {
		p := e.Provider
		if p == nil {
			continue
		}
		u := Upgrade{
			Line: e.Line(), Source: p.Source, Installed: p.Version, Wanted: p.Wanted, Newer: []string{},
			Behind: p.Behind, Conditions: p.Conditions, Resources: resources[e.Key],
		}
		u.Message, u.Newer = e.Message, append(u.Newer, p.Available...)
		u.Commands = []Command{{"Search versions, changelogs and what is deprecated", command("upgrade", "plan", e.Key.Name)}}
		switch {
		case len(u.Newer) > 0:
			u.Commands = append(u.Commands, Command{
				"What the newest version would do", command("upgrade", "preview", e.Key.Name, "--to", u.Newer[0]),
			})
		case u.Wanted != "" && u.Wanted != u.Installed:
			u.Commands = append(u.Commands, Command{"What the version that the spec asks for would do", command("upgrade", "preview", e.Key.Name)})
		}
		out.Providers = append(out.Providers, u)
	}
	return out
}

// upgrades is the view of providers with their newer versions.
func (s *Server) upgrades(r *http.Request) (string, any, error) {
	out := UpgradesOf(s.index.Content(), s.commandLine)
	name := r.URL.Query().Get("plan")
	for i := range out.Providers {
		p := &out.Providers[i]
		if p.Name != name {
			continue
		}
		printed, err := s.run(r.Context(), "", "upgrade", "plan", name, "-o", "json")
		var plan commandupgrade.Plan
		if err == nil {
			if err = json.Unmarshal([]byte(printed.stdout), &plan); err != nil {
				err = fmt.Errorf("the plan cannot be read: %w", err)
			}
		}
		if err != nil {
			p.Problem = err.Error()
		} else if len(plan.Providers) == 1 {
			p.Plan = &plan.Providers[0]
		}
	}
	return "Upgrades", out, nil
}
