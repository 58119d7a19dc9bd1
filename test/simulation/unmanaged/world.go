package unmanaged

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/simulation"
)

const (
	systemNamespace = "landbridge"
	userNamespace   = "team"
)

// world is an API server, a cloud and controllers. The driver changes it while all goroutines wait,
// and so does the one goroutine that it lets continue.
type world struct {
	random *rand.Rand
	began  time.Time
	models map[model.Mode]*model.Resource
	// keys are those of the objects that users create.
	keys []store.Key

	objects map[store.Key]*unstructured.Unstructured
	secrets map[types.NamespacedName]*corev1.Secret
	// log has all versions of objects. Caches follow it at their own pace.
	log     []event
	version int
	cloud   cloud

	// leader is the process that leads. processes are those that have not ended, with former
	// leaders that are suspended or do not know it yet.
	leader    *process
	processes []*process
	terms     int
	// down is until when no process starts.
	down time.Time
	// calm is set when there are no more faults.
	calm bool
	// busy is the number of moves since time has passed.
	busy int

	violations []simulation.Violation
	found      map[string]bool
	traced     bool

	// mu guards what several goroutines may change that wake at the same instant.
	mu    sync.Mutex
	calls []*call
	lines []string
}

// event is a version of an object; nil if it is gone.
type event struct {
	key store.Key
	now *unstructured.Unstructured
}

func newWorld(random *rand.Rand, traced bool) *world {
	w := &world{
		random: random, began: time.Now(), traced: traced, models: models(), objects: map[store.Key]*unstructured.Unstructured{},
		secrets: map[types.NamespacedName]*corev1.Secret{}, found: map[string]bool{},
	}
	w.cloud = cloud{w: w, values: map[string]int{}}
	for _, mode := range []model.Mode{model.Action, model.Ephemeral, model.Data} {
		for _, name := range []string{"a", "b"} {
			m := w.models[mode]
			w.keys = append(w.keys, store.Key{Group: m.Group, Kind: m.Kind, Namespace: userNamespace, Name: name})
		}
	}
	return w
}

// models returns an action, an ephemeral resource and a data source.
func models() map[model.Mode]*model.Resource {
	p, err := model.NewProvider("sim", &schema.Provider{
		Config: &schema.Block{},
		Actions: map[string]*schema.Block{"sim_snapshot": {Attributes: map[string]*schema.Attribute{
			"label": {Type: cty.String, Required: true},
		}}},
		EphemeralResources: map[string]*schema.Block{"sim_token": {Attributes: map[string]*schema.Attribute{
			"name":     {Type: cty.String, Required: true},
			"lifetime": {Type: cty.String, Required: true},
			"secret":   {Type: cty.String, Computed: true, Sensitive: true},
		}}},
		DataSources: map[string]*schema.Block{"sim_value": {Attributes: map[string]*schema.Attribute{
			"name":     {Type: cty.String, Required: true},
			"value":    {Type: cty.Number, Computed: true},
			"password": {Type: cty.String, Computed: true, Sensitive: true},
		}}},
	}, config.Provider{})
	if err != nil {
		panic(err)
	}
	return map[model.Mode]*model.Resource{
		model.Action: p.Actions["sim_snapshot"], model.Ephemeral: p.EphemeralResources["sim_token"], model.Data: p.DataSources["sim_value"],
	}
}

// modeOf returns the mode of the kind of an object.
func (w *world) modeOf(k store.Key) model.Mode {
	for mode, m := range w.models {
		if m.Group == k.Group {
			return mode
		}
	}
	panic("no kind " + k.Group)
}

// named is how traces name an object.
func named(k store.Key) string { return k.Kind + " " + k.Name }

// violated records the violation of an invariant, once for each subject.
func (w *world) violated(kind simulation.ViolationKind, subject, format string, args ...any) {
	w.mu.Lock()
	known := w.found[string(kind)+subject]
	w.found[string(kind)+subject] = true
	if !known {
		w.violations = append(w.violations, simulation.Violation{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	w.mu.Unlock()
	if !known {
		w.note("VIOLATION %s: %s", kind, fmt.Sprintf(format, args...))
	}
}
