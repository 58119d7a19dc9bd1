package ephemerals

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// name is that of the provider, and with a number that of a case's type.
const name = "ephemeral"

// invalid is the summary of a refused result.
const invalid = "Provider produced invalid ephemeral resource instance"

// outcome is what one side has asked and reported of a case.
type outcome struct {
	Calls []string
	Said  []string
}

// Run compares cases in runs of tofu, in a directory, and returns the differences.
func Run(ctx context.Context, path, dir string, all []*Case) ([]string, error) {
	// If one configuration is invalid, tofu opens nothing.
	groups := map[bool]map[string]*Case{}
	for i, c := range all {
		bad := c.validates == "error"
		if groups[bad] == nil {
			groups[bad] = map[string]*Case{}
		}
		groups[bad][fmt.Sprintf("%s_c%d", name, i)] = c
	}
	var differences []string
	for _, bad := range []bool{false, true} {
		for _, protocol := range []int{5, 6} {
			if len(groups[bad]) == 0 {
				continue
			}
			found, err := compare(ctx, path, dir, protocol, groups[bad])
			if err != nil {
				return nil, err
			}
			differences = append(differences, found...)
		}
	}
	return differences, nil
}

func compare(ctx context.Context, path, dir string, protocol int, group map[string]*Case) ([]string, error) {
	ours, err := engines(ctx, protocol, group)
	if err != nil {
		return nil, err
	}
	theirs, err := tofus(ctx, path, dir, protocol, group)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, typeName := range slices.Sorted(maps.Keys(group)) {
		c := group[typeName]
		if diff := cmp.Diff(c.excused(theirs[typeName]), ours[typeName]); diff != "" {
			out = append(out, fmt.Sprintf("%s, protocol %d: %s\n(-tofu +ours):\n%s", typeName, protocol, c, diff))
		}
	}
	return out, nil
}

// engines is our side: what `tofu plan` does of a case.
func engines(ctx context.Context, protocol int, group map[string]*Case) (map[string]outcome, error) {
	p := newProvider(group)
	launcher := &inprocess.Launcher{Name: name}
	if protocol == 5 {
		launcher.Protocol5 = func() (tfprotov5.ProviderServer, error) { return lowered(ctx, p) }
	} else {
		launcher.Protocol6 = func() (tfprotov6.ProviderServer, error) { return p, nil }
	}
	server, err := launcher.Launch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = server.Close(ctx) }() // of no interest afterwards
	e := engine.New(server)
	out := map[string]outcome{}
	for typeName, c := range group {
		diags := e.ValidateEphemeral(ctx, typeName, c.config)
		if !diags.HasErrors() {
			opened, more := e.OpenEphemeral(ctx, typeName, c.config)
			if diags = append(diags, more...); !diags.HasErrors() {
				diags = append(diags, e.CloseEphemeral(ctx, typeName, opened.Open)...)
			}
		}
		out[typeName] = outcome{Calls: p.calls[typeName], Said: said(diags)}
	}
	return out, nil
}

func lowered(ctx context.Context, p *provider) (tfprotov5.ProviderServer, error) {
	return tf6to5server.DowngradeServer(ctx, func() tfprotov6.ProviderServer { return p })
}

// said are the diagnostics, each once: both sides report a warning of every validation.
func said(diags diagnostic.Diagnostics) []string {
	var out []string
	for _, d := range diags {
		out = append(out, fmt.Sprint(d.Severity, ": ", d.Summary))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// tofus is tofu's side.
func tofus(ctx context.Context, path, dir string, protocol int, group map[string]*Case) (map[string]outcome, error) {
	p := newProvider(group)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var config *plugin.ReattachConfig
	var err error
	if protocol == 5 {
		var server tfprotov5.ProviderServer
		if server, err = lowered(ctx, p); err == nil {
			config, err = cloud.Serve5(ctx, name, func() tfprotov5.ProviderServer { return server })
		}
	} else {
		config, err = cloud.Serve6(ctx, name, func() tfprotov6.ProviderServer { return p })
	}
	if err != nil {
		return nil, err
	}
	program, err := tofu.New(path, dir, map[string]*plugin.ReattachConfig{name: config})
	if err != nil {
		return nil, err
	}
	bodies := map[string]json.RawMessage{}
	for typeName, c := range group {
		if bodies[typeName], err = body(c.config); err != nil {
			return nil, err
		}
	}
	r, err := program.PlanEphemerals(ctx, bodies)
	if err != nil {
		return nil, err
	}
	// A result that does not fit the schema is reported without an address.
	unfitting := 0
	for _, c := range group {
		if c.result == misfits && c.validates != "error" {
			unfitting++
		}
	}
	if rest := r.Diagnostics[""]; len(rest) > unfitting || r.Crashed {
		return nil, fmt.Errorf("tofu reported: %+v", rest)
	}
	out := map[string]outcome{}
	for typeName := range group {
		var diags diagnostic.Diagnostics
		for _, d := range r.Diagnostics[typeName] {
			diags = append(diags, diagnostic.Diagnostic{Severity: d.Severity, Summary: d.Summary})
		}
		out[typeName] = outcome{Calls: p.calls[typeName], Said: said(diags)}
	}
	return out, nil
}

// body returns what is configured in JSON syntax.
func body(config cty.Value) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for key, v := range config.AsValueMap() {
		if v.IsNull() {
			continue
		}
		raw, err := ctyjson.Marshal(v, v.Type())
		if err != nil {
			return nil, err
		}
		values[key] = raw
	}
	return json.Marshal(values)
}

// excused returns what tofu does of a case, with the deliberate differences of the engine (contract
// § 10.2): the summary of a refused result is Terraform's, a result that contradicts the
// configuration is refused, and a result that does not fit the schema is closed.
func (c *Case) excused(theirs outcome) outcome {
	refused, seen := c.refused()
	if !refused || c.validates == "error" || c.opens == "error" {
		return theirs
	}
	failure := fmt.Sprint(diagnostic.Error, ": ", invalid)
	theirs.Said = slices.DeleteFunc(theirs.Said, func(s string) bool {
		return seen && strings.HasPrefix(s, fmt.Sprint(diagnostic.Error)) && !strings.HasSuffix(s, "Not well closed")
	})
	theirs.Said = append(theirs.Said, failure)
	if c.result == misfits {
		theirs.Calls = append(theirs.Calls, "close "+string(c.private))
		theirs.Said = append(theirs.Said, said(diagnostic.FromProtocol(saying(c.closes, "closed", "")))...)
	}
	slices.Sort(theirs.Said)
	return theirs
}
