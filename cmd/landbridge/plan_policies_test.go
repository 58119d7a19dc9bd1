package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPlanWithPolicies(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	d.write(`Pet name {forProvider: {length: 2}}`)
	d.apply()
	d.write(`Pet name {forProvider: {length: 3}}`)
	file := filepath.Join(d.dir, "policy.yaml")
	policies := func(condition, action string) {
		writeFile(t, file, `apiVersion: landbridge.io/v1alpha1
kind: PlanPolicy
metadata: {name: weekends}
spec:
  match: {kinds: [Pet], namespaces: [default]}
  condition: '`+condition+`'
  action: `+action+`
  message: Wait until Monday.
`)
	}
	weekend := `plan.destroys && now.getDayOfWeek("Europe/Berlin") in [0, 6] && plan.changes.exists(c, c.path == "length" && c.before == 2 && c.after == 3 && c.replaces)`
	for name, x := range map[string]struct {
		condition, action, time string
		code                    int
		want, err               string
	}{
		"denied": {
			condition: weekend, action: "Deny", time: "2026-11-28T12:00:00Z", code: 1,
			want: "Deny: random_pet.name: PlanPolicy weekends: Wait until Monday.",
		},
		"another day":       {condition: weekend, action: "Deny", time: "2026-11-27T12:00:00Z", want: "1 to destroy"},
		"approval":          {condition: "true", action: "RequireApproval", want: "RequireApproval: random_pet.name"},
		"does not compile":  {condition: "plan.acton", action: "Deny", code: 1, err: "undefined field"},
		"cannot be decided": {condition: `resource.labels["x"] == "y"`, action: "Deny", code: 1, want: "so it counts as met: no such key: x"},
		"no action":         {condition: "true", action: "Allow", code: 1, err: "it must be Deny, RequireApproval or Warn"},
		"no time":           {condition: "true", action: "Warn", time: "tomorrow", code: 1, err: "--policy-time tomorrow"},
	} {
		policies(x.condition, x.action)
		args := []string{"--policy", file}
		if x.time != "" {
			args = append(args, "--policy-time", x.time)
		}
		p := d.run("plan", args...)
		if p.code != x.code || !strings.Contains(p.out, x.want) || !strings.Contains(p.err, x.err) {
			t.Errorf("%s: exit code %d\n%s%s", name, p.code, p.out, p.err)
		}
	}
	policies("true", "Warn")
	p := d.run("plan", "--policy", file, "-o", "json")
	if p.code != 0 || !strings.Contains(p.out, `"policy": "weekends"`) || !strings.Contains(p.out, `"action": "Warn"`) {
		t.Errorf("exit code %d\n%s%s", p.code, p.out, p.err)
	}
}
