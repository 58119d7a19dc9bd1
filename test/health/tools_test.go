package health_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// verdicts are what tools compute of an object.
type verdicts struct{ kstatus, argo, flux string }

func (v verdicts) String() string {
	return fmt.Sprintf("%-11s | %-11s | %s", v.kstatus, v.argo, v.flux)
}

// tools compute the health of objects with what deploy/gitops has.
type tools struct {
	lua  string
	flux *fluxEvaluator
}

func newTools() (*tools, error) {
	root, err := testbin.Root()
	if err != nil {
		return nil, err
	}
	read := func(name string, into any) error {
		content, err := os.ReadFile(filepath.Join(root, "deploy", "gitops", name))
		if err != nil {
			return err
		}
		return yaml.UnmarshalStrict(content, into)
	}
	config := &corev1.ConfigMap{}
	if err := read("argocd-cm.yaml", config); err != nil {
		return nil, err
	}
	var customizations map[string]struct {
		Health string `json:"health.lua"`
	}
	if err := yaml.UnmarshalStrict([]byte(config.Data["resource.customizations"]), &customizations); err != nil {
		return nil, err
	}
	own, provided := customizations["landbridge.io/*"].Health, customizations["*.landbridge.io/*"].Health
	if own == "" || own != provided {
		return nil, fmt.Errorf("argocd-cm.yaml has not the same health check for landbridge.io/* and *.landbridge.io/*")
	}
	var kustomization struct {
		APIVersion, Kind string
		Metadata         map[string]any
		Spec             map[string]any
	}
	if err := read("flux-kustomization.yaml", &kustomization); err != nil {
		return nil, err
	}
	checks, err := yaml.Marshal(kustomization.Spec["healthCheckExprs"])
	if err != nil {
		return nil, err
	}
	var all []struct {
		APIVersion, Kind string
		fluxExpressions  `json:",inline"`
	}
	if err := yaml.UnmarshalStrict(checks, &all); err != nil {
		return nil, err
	}
	if len(all) < 2 {
		return nil, fmt.Errorf("flux-kustomization.yaml has %d health checks", len(all))
	}
	for _, one := range all {
		if one.fluxExpressions != all[0].fluxExpressions {
			return nil, fmt.Errorf("flux-kustomization.yaml has other expressions for %s than for %s", one.Kind, all[0].Kind)
		}
	}
	flux, err := newFluxEvaluator(all[0].fluxExpressions)
	return &tools{own, flux}, err
}

// of returns what the tools compute of an object, and the message of Argo CD.
func (t *tools) of(ctx context.Context, u *unstructured.Unstructured) (verdicts, string, error) {
	by, err := kstatus.Compute(u)
	if err != nil {
		return verdicts{}, "", fmt.Errorf("kstatus: %w", err)
	}
	flux, err := t.flux.evaluate(ctx, u)
	if err != nil {
		return verdicts{}, "", fmt.Errorf("flux: %w", err)
	}
	argo, message, err := t.argo(u)
	if err != nil {
		return verdicts{}, "", fmt.Errorf("argo: %w", err)
	}
	return verdicts{by.Status.String(), argo, string(flux)}, message, nil
}

// argo evaluates the health check as Argo CD does: not for what is being deleted, with a Lua that
// has few libraries.
func (t *tools) argo(u *unstructured.Unstructured) (status, message string, _ error) {
	if u.GetDeletionTimestamp() != nil {
		return "Progressing", "Pending deletion", nil
	}
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), NRet: 0, Protect: true}, lua.LString(name)); err != nil {
			return "", "", err
		}
	}
	l.SetGlobal("obj", luaOf(l, u.Object))
	if err := l.DoString(t.lua); err != nil {
		return "", "", err
	}
	result, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return "", "", fmt.Errorf("the health check returns %s", l.Get(-1).Type())
	}
	status = lua.LVAsString(result.RawGetString("status"))
	if !strings.Contains(" Healthy Progressing Degraded Suspended ", " "+status+" ") {
		return "", "", fmt.Errorf("the health check returns the status %q", status)
	}
	return status, lua.LVAsString(result.RawGetString("message")), nil
}

// luaOf returns JSON as Lua's values.
func luaOf(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		out := l.CreateTable(len(v), 0)
		for _, e := range v {
			out.Append(luaOf(l, e))
		}
		return out
	case map[string]any:
		out := l.CreateTable(0, len(v))
		for k, e := range v {
			out.RawSetString(k, luaOf(l, e))
		}
		return out
	default:
		return lua.LNil
	}
}
