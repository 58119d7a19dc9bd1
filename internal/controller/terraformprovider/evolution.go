package terraformprovider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
)

// heldAgain is the interval of checks whether objects still have values that would be lost.
const heldAgain = time.Minute

const (
	// maxReport bounds the description of a change of the kinds, in bytes: events have at most 1 KiB.
	maxReport = 800
	// maxNamed bounds how many objects are named.
	maxNamed = 5
	// pageSize is the number of objects per list call.
	pageSize = 500
)

// evolve compares the provider's kinds in the cluster with those of the model. It returns a problem, and the kinds
// must not change, if objects have values that the new kinds have no field for, unless an annotation accepts the
// loss. It records changes that affect users as an event.
func (r *Reconciler) evolve(ctx context.Context, p *v1alpha1.TerraformProvider, m *model.Provider) *kinds.Problem {
	failed := func(err error) *kinds.Problem {
		return kinds.Unhealthy(v1alpha1.ReasonActivationFailed, fmt.Errorf("cannot compare the provider's kinds with those in the cluster: %w", err)).Retried()
	}
	crds, err := kinds.ListCRDs(ctx, r.Manager.GetAPIReader(), client.MatchingLabels{v1alpha1.LabelProvider: p.Name})
	if err != nil {
		return failed(err)
	}
	sums := map[string]string{}
	for _, o := range crds {
		sums[o.Name] = o.Annotations[kinds.AnnotationSum]
	}
	if len(sums) == 0 {
		return nil
	}
	active, _ := activated(m, p.Spec.Activate)
	definitions := crd.ProviderConfig(m)
	for _, t := range active {
		if sums[m.Resources[t].CRDName()] == "" {
			continue
		}
		d, err := crd.Resource(m.Resources[t])
		if err != nil {
			continue // activate reports it
		}
		definitions = append(definitions, d)
	}
	var report evolution.Report
	var held []string
	for _, d := range definitions {
		sum, err := kinds.DefinitionSum(d)
		if err != nil {
			return failed(err)
		}
		if was := sums[d.Name]; was == "" || was == sum {
			continue
		}
		changes, objects, err := r.evolveKind(ctx, d)
		if err != nil {
			return failed(err)
		}
		report.Changes = append(report.Changes, changes...)
		held = append(held, objects...)
	}
	needing := report.Needing()
	if len(held) == 0 {
		if len(needing.Changes) > 0 {
			r.Recorder.Event(p, event.Normal("KindsChanged", "The provider's kinds change: "+brief(needing)))
		}
		return nil
	}
	raw, err := json.Marshal(needing)
	if err != nil {
		return failed(err)
	}
	sum := sha256.Sum256(raw)
	token := hex.EncodeToString(sum[:4])
	if p.Annotations[v1alpha1.AnnotationAcceptChanges] == token {
		r.Recorder.Event(p, event.Normal("KindsChanged", "The provider's kinds change, as accepted by annotation: "+brief(needing)))
		return nil
	}
	names := strings.Join(held[:min(maxNamed, len(held))], "; ")
	if more := len(held) - maxNamed; more > 0 {
		names += fmt.Sprintf("; and %d more", more)
	}
	return kinds.Unhealthy(v1alpha1.ReasonChangesHeld, fmt.Errorf(
		"the new kinds have no fields for values of existing objects, which would be lost: %s. Change the objects, or the version or configuration of the provider; or accept the loss: kubectl annotate terraformprovider %s --overwrite %s=%s. Changes: %s",
		names, p.Name, v1alpha1.AnnotationAcceptChanges, token, brief(needing)))
}

// evolveKind returns the changes of a kind, and the objects with values that would be lost.
func (r *Reconciler) evolveKind(ctx context.Context, d *apiextensionsv1.CustomResourceDefinition) (changes []evolution.Change, held []string, _ error) {
	have, err := r.CRDs.Get(ctx, d.Name, metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	version := have.Spec.Versions[0].Name
	old, err := evolution.FromDefinition(have, version)
	if err != nil {
		return nil, nil, err
	}
	new, err := evolution.FromDefinition(d, d.Spec.Versions[0].Name)
	if err != nil {
		return nil, nil, err
	}
	changes = evolution.CompareKind(old, new)
	if len(evolution.Report{Changes: changes}.Needing().Changes) == 0 {
		return changes, nil, nil
	}
	for next := ""; ; {
		objects := &unstructured.UnstructuredList{}
		objects.SetGroupVersionKind(kschema.GroupVersionKind{Group: have.Spec.Group, Version: version, Kind: have.Spec.Names.ListKind})
		if err := r.Manager.GetAPIReader().List(ctx, objects, client.Limit(pageSize), client.Continue(next)); err != nil {
			return nil, nil, err
		}
		for _, o := range objects.Items {
			if !o.GetDeletionTimestamp().IsZero() {
				continue
			}
			if paths := evolution.Unfit(o.Object, old, new); len(paths) > 0 {
				held = append(held, fmt.Sprintf("%s %s: %s", o.GetKind(), cache.MetaObjectToName(&o), strings.Join(paths, ", ")))
			}
		}
		if next = objects.GetContinue(); next == "" {
			return changes, held, nil
		}
	}
}

// brief returns a report as text that fits into an event.
func brief(r evolution.Report) string {
	var b strings.Builder
	for i, c := range r.Changes {
		line := c.Kind + ": " + c.String()
		if b.Len()+len(line) > maxReport {
			fmt.Fprintf(&b, "; and %d more (see: landbridge provider compare)", len(r.Changes)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}
