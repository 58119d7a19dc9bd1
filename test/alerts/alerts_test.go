package alerts_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

var (
	files      = filepath.Join("..", "..", "deploy", "chart", "files")
	expression = parser.NewParser(parser.Options{})
)

// interval is the time between two evaluations, and between two samples.
const interval = time.Minute

func newEngine(t *testing.T) *promql.Engine {
	t.Helper()
	return promqltest.NewTestEngine(t, false, 5*time.Minute, 1_000_000)
}

// alerts returns the rules of the chart by their names.
func alerts(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(filepath.Join(files, "alerts.yaml"), false, model.UTF8Validation, expression,
		slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	out := map[string]rulefmt.Rule{}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			out[r.Alert] = r
		}
	}
	return out
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	tested := map[string]map[bool]bool{}
	for name, c := range map[string]struct {
		alert string
		// series are samples a minute apart, from the first minute on.
		series string
		after  time.Duration
		// summary is that of the alert that fires; empty: none fires.
		summary string
	}{
		"leader": {
			alert: "LandbridgeHasNoLeader", after: 20 * time.Minute,
			series: `leader_election_master_status{name="landbridge.landbridge.io", pod="a"} 1x30
				leader_election_master_status{name="landbridge.landbridge.io", pod="b"} 0x30`,
		},
		"hand-over of two minutes": {
			alert: "LandbridgeHasNoLeader", after: 20 * time.Minute,
			series: `leader_election_master_status{name="landbridge.landbridge.io", pod="a"} 1x10 0 0 1x30`,
		},
		"no leader": {
			alert: "LandbridgeHasNoLeader", after: 20 * time.Minute,
			series: `leader_election_master_status{name="landbridge.landbridge.io", pod="a"} 0x30
				leader_election_master_status{name="landbridge.landbridge.io", pod="b"} 0x30
				leader_election_master_status{name="another"} 1x30`,
			summary: "No replica of Landbridge leads, or none leads a shard, so its resources are not reconciled.",
		},
		"no replica": {
			alert: "LandbridgeHasNoLeader", after: 20 * time.Minute, series: `leader_election_master_status{name="another"} 1x30`,
			summary: "No replica of Landbridge leads, or none leads a shard, so its resources are not reconciled.",
		},
		"shards with leaders": {
			alert: "LandbridgeHasNoLeader", after: 20 * time.Minute,
			series: `leader_election_master_status{name="shard-0.landbridge.landbridge.io", pod="a"} 1x30
				leader_election_master_status{name="shard-1.landbridge.landbridge.io", pod="a"} 0x30
				leader_election_master_status{name="shard-1.landbridge.landbridge.io", pod="b"} 1x30`,
		},
		"shard without a leader": {
			alert: "LandbridgeHasNoLeader", after: 20 * time.Minute,
			series: `leader_election_master_status{name="shard-0.landbridge.landbridge.io", pod="a"} 1x30
				leader_election_master_status{name="shard-1.landbridge.landbridge.io", pod="a"} 0x30
				leader_election_master_status{name="shard-1.landbridge.landbridge.io", pod="b"} 0x30`,
			summary: "No replica of Landbridge leads, or none leads a shard, so its resources are not reconciled.",
		},
		"states are accepted": {
			alert: "LandbridgeStateRefused", after: 20 * time.Minute, series: `landbridge_state_writes_refused_total{group="g", kind="Thing"} 3x30`,
		},
		"state refused": {
			alert: "LandbridgeStateRefused", after: 20 * time.Minute,
			series:  `landbridge_state_writes_refused_total{group="g", kind="Thing"} 0x10 1x20`,
			summary: "The state of a Thing could not be stored.",
		},
		"some writes fail": {
			alert: "LandbridgeStateNotStored", after: 30 * time.Minute,
			series: `landbridge_state_writes_total{result="Succeeded"} 0+100x40
				landbridge_state_writes_total{result="Failed"} 0+5x40`,
		},
		"many writes fail": {
			alert: "LandbridgeStateNotStored", after: 30 * time.Minute,
			series: `landbridge_state_writes_total{result="Succeeded"} 0+100x40
				landbridge_state_writes_total{result="Failed"} 0+20x40`,
			summary: "More than a tenth of the writes of states fail.",
		},
		"no writes": {
			alert: "LandbridgeStateNotStored", after: 30 * time.Minute, series: `landbridge_state_writes_total{result="Succeeded"} 7x40`,
		},
		"outcome unknown for a short time": {
			alert: "LandbridgeOutcomeUnknown", after: 30 * time.Minute,
			series: `landbridge_operations_unknown{group="g", kind="Thing"} 0x10 2x10 0x20`,
		},
		"outcome unknown": {
			alert: "LandbridgeOutcomeUnknown", after: 30 * time.Minute, series: `landbridge_operations_unknown{group="g", kind="Thing"} 0x10 2x30`,
			summary: "The outcome of operations on 2 Thing is unknown.",
		},
		"few operations fail": {
			alert: "LandbridgeOperationsFail", after: time.Hour,
			series: `landbridge_operation_duration_seconds_count{group="g", kind="Thing", operation="Create", result="Succeeded"} 0+3x90
				landbridge_operation_duration_seconds_count{group="g", kind="Thing", operation="Create", result="Failed"} 0+1x90`,
		},
		"most operations fail": {
			alert: "LandbridgeOperationsFail", after: time.Hour,
			series: `landbridge_operation_duration_seconds_count{group="g", kind="Thing", operation="Create", result="Succeeded"} 0+1x90
				landbridge_operation_duration_seconds_count{group="g", kind="Thing", operation="Update", result="Failed"} 0+3x90
				landbridge_operation_duration_seconds_count{group="g", kind="Other", operation="Update", result="Succeeded"} 0+9x90`,
			summary: "More than half of the operations on Thing fail.",
		},
		"plans wait since this morning": {
			alert: "LandbridgePlansWait", after: 12 * time.Hour, series: `landbridge_plans_awaiting_approval{group="g", kind="Thing"} 3x800`,
		},
		"plans wait since yesterday": {
			alert: "LandbridgePlansWait", after: 25 * time.Hour, series: `landbridge_plans_awaiting_approval{group="g", kind="Thing"} 3x1600`,
			summary: "Plans of 3 Thing wait for approval since a day.",
		},
		"nothing is held": {
			alert: "LandbridgeDestroysHeld", after: 10 * time.Minute, series: `landbridge_destroys_held{group="g", kind="Thing"} 0x60`,
		},
		"destroys are held": {
			alert: "LandbridgeDestroysHeld", after: 10 * time.Minute, series: `landbridge_destroys_held{group="g", kind="Thing"} 7x60`,
			summary: "The brake keeps the objects of 7 Thing, since too many were destroyed within a minute.",
		},
		"drift that is repaired": {
			alert: "LandbridgeDrift", after: 2 * time.Hour, series: `landbridge_resources_drifted{group="g", kind="Thing"} 0x20 4x30 0x100`,
		},
		"drift": {
			alert: "LandbridgeDrift", after: 2 * time.Hour, series: `landbridge_resources_drifted{group="g", kind="Thing"} 0x20 4x130`,
			summary: "The objects of 4 Thing were changed outside of Landbridge an hour ago or earlier.",
		},
		"what settles": {
			alert: "LandbridgeNeverSettles", after: 2 * time.Hour,
			series: `landbridge_resources_never_settling{group="g", kind="Thing"} 0x20 4x30 0x100`,
		},
		"what never settles": {
			alert: "LandbridgeNeverSettles", after: 2 * time.Hour, series: `landbridge_resources_never_settling{group="g", kind="Thing"} 0x20 4x130`,
			summary: "The provider of 4 Thing changes again and again what it has applied itself.",
		},
		"one crash": {
			alert: "LandbridgeProvidersCrash", after: 40 * time.Minute,
			series: `landbridge_provider_crashes_total 0x20 1x40
				landbridge_provider_hangs_total 0x60`,
		},
		"crashes": {
			alert: "LandbridgeProvidersCrash", after: 40 * time.Minute,
			series: `landbridge_provider_crashes_total 0x20 0+1x40
				landbridge_provider_hangs_total 0x60`,
			summary: "Processes of providers crash or do not answer.",
		},
		"one outage": {
			alert: "LandbridgeProvidersPaused", after: 40 * time.Minute, series: `landbridge_provider_outages_total 0x20 1x40`,
		},
		"outages": {
			alert: "LandbridgeProvidersPaused", after: 40 * time.Minute, series: `landbridge_provider_outages_total 0x20 0+1x40`,
			summary: "Provider configurations are paused because of their credentials or endpoint.",
		},
		"reconciles succeed": {
			alert: "LandbridgeReconcilesFail", after: time.Hour,
			series: `controller_runtime_reconcile_errors_total{controller="things"} 0+1x90
				controller_runtime_reconcile_total{controller="things", result="success"} 0+9x90
				controller_runtime_reconcile_total{controller="things", result="error"} 0+1x90`,
		},
		"reconciles fail": {
			alert: "LandbridgeReconcilesFail", after: time.Hour,
			series: `controller_runtime_reconcile_errors_total{controller="things"} 0+9x90
				controller_runtime_reconcile_total{controller="things", result="success"} 0+1x90
				controller_runtime_reconcile_total{controller="things", result="error"} 0+9x90`,
			summary: "More than half of the reconciles of things fail.",
		},
		"changes wait for their turn": {
			alert: "LandbridgeChangesWait", after: time.Hour,
			series: `landbridge_oldest_unanswered_change_seconds{group="g", kind="Thing"} 0+20x45 0x60`,
		},
		"a change waits": {
			alert: "LandbridgeChangesWait", after: time.Hour, series: `landbridge_oldest_unanswered_change_seconds{group="g", kind="Thing"} 0+60x90`,
			summary: "A change of Thing.g waits for more than 15 minutes.",
		},
		"queue after a restart": {
			alert: "LandbridgeQueueGrows", after: time.Hour, series: `workqueue_depth{name="things"} 0x20 5000x10 0x60`,
		},
		"queue": {
			alert: "LandbridgeQueueGrows", after: time.Hour, series: `workqueue_depth{name="things", priority="0"} 0x20 800x70
				workqueue_depth{name="things", priority="1"} 0x20 800x70`,
			summary: "More than 1,000 changes of things wait.",
		},
	} {
		if tested[c.alert] == nil {
			tested[c.alert] = map[bool]bool{}
		}
		tested[c.alert][c.summary != ""] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := firing(t, alerts(t)[c.alert], c.series, c.after)
			want := []string{c.summary}
			if c.summary == "" {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q fires, want %q", got, want)
			}
		})
	}
	for name, rule := range alerts(t) {
		if !tested[name][true] || !tested[name][false] {
			t.Errorf("%s has no test where it fires, or none where it does not", name)
		}
		if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("%s has no severity, summary or description", name)
		}
	}
}

// firing returns the summaries of the alerts that fire after some time of evaluations.
func firing(t *testing.T, rule rulefmt.Rule, series string, after time.Duration) []string {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n"+series)
	expr, err := expression.ParseExpr(rule.Expr)
	if err != nil {
		t.Fatal(err)
	}
	alert := rules.NewAlertingRule(rule.Alert, expr, time.Duration(rule.For), time.Duration(rule.KeepFiringFor),
		labels.FromMap(rule.Labels), labels.FromMap(rule.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
	query := rules.EngineQueryFunc(newEngine(t), storage)
	start := time.Unix(0, 0)
	for at := start; !at.After(start.Add(after)); at = at.Add(interval) {
		if _, err := alert.Eval(t.Context(), 0, at, query, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, a := range alert.ActiveAlerts() {
		if a.State == rules.StateFiring {
			out = append(out, a.Annotations.Get("summary"))
		}
	}
	return out
}
