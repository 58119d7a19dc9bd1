package kinds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/evolution"
)

const (
	// maxReport bounds the description of a change of the kinds, in bytes: events have at most 1
	// KiB.
	maxReport = 800
	// maxNamed bounds how many objects are named.
	maxNamed = 5
)

// Evolve compares an owner's kinds in the cluster with the definitions that it is to have. It
// returns a problem, and the kinds must not change, if objects have values that the new kinds have
// no field for, unless an annotation of o accepts the loss. It records changes that affect users as
// an event. o is the TerraformProvider or the TerraformModule of the owner. definitions returns
// those of the CRDs that are installed, by name.
func (rt *Runtime) Evolve(
	ctx context.Context, o client.Object, owner string,
	definitions func(installed func(name string) bool) []*apiextensionsv1.CustomResourceDefinition,
) *Problem {
	failed := func(err error) *Problem {
		return Unhealthy(v1alpha1.ReasonActivationFailed, fmt.Errorf("cannot compare the kinds with those in the cluster: %w", err)).Retried()
	}
	crds, err := ListCRDs(ctx, rt.Manager.GetAPIReader(), client.MatchingLabels{v1alpha1.LabelProvider: owner})
	if err != nil {
		return failed(err)
	}
	sums := map[string]string{}
	for _, o := range crds {
		sums[o.Name] = o.Annotations[AnnotationSum]
	}
	var report evolution.Report
	var held []string
	if len(sums) == 0 {
		return nil
	}
	for _, d := range definitions(func(name string) bool { return sums[name] != "" }) {
		sum, err := definitionSum(d)
		if err != nil {
			return failed(err)
		}
		if was := sums[d.Name]; was == "" || was == sum {
			continue
		}
		changes, objects, err := rt.evolveKind(ctx, d)
		if err != nil {
			return failed(err)
		}
		report.Changes = append(report.Changes, changes...)
		held = append(held, objects...)
	}
	subject, resource := "provider", "terraformprovider"
	if IsModuleOwner(owner) {
		subject, resource = "module", "terraformmodule"
	}
	needing := report.Needing()
	if len(held) == 0 {
		if len(needing.Changes) > 0 {
			rt.Recorder.Event(o, event.Normal("KindsChanged", fmt.Sprintf("The %s's kinds change: %s", subject, brief(needing))))
		}
		return nil
	}
	raw, err := json.Marshal(needing)
	if err != nil {
		return failed(err)
	}
	sum := sha256.Sum256(raw)
	token := hex.EncodeToString(sum[:4])
	if o.GetAnnotations()[v1alpha1.AnnotationAcceptChanges] == token {
		rt.Recorder.Event(o, event.Normal("KindsChanged",
			fmt.Sprintf("The %s's kinds change, as accepted by annotation: %s", subject, brief(needing))))
		return nil
	}
	names := strings.Join(held[:min(maxNamed, len(held))], "; ")
	if more := len(held) - maxNamed; more > 0 {
		names += fmt.Sprintf("; and %d more", more)
	}
	instead := "the version or configuration of the provider"
	if IsModuleOwner(owner) {
		instead = "the module"
	}
	return Unhealthy(v1alpha1.ReasonChangesHeld, fmt.Errorf(
		"the new kinds have no fields for values of existing objects, which would be lost: %s. Change the objects, "+
			"or %s; or accept the loss: kubectl annotate %s %s --overwrite %s=%s. Changes: %s",
		names, instead, resource, o.GetName(), v1alpha1.AnnotationAcceptChanges, token, brief(needing)))
}

// evolveKind returns the changes of a kind, and the objects with values that would be lost.
func (rt *Runtime) evolveKind(
	ctx context.Context, d *apiextensionsv1.CustomResourceDefinition,
) (changes []evolution.Change, held []string, _ error) {
	have, err := rt.CRDs.Get(ctx, d.Name, metav1.GetOptions{})
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
		objects.SetGroupVersionKind(kschema.GroupVersionKind{Group: have.Spec.Group, Version: version, Kind: have.Spec.Names.Kind + "List"})
		if err := rt.Manager.GetAPIReader().List(ctx, objects, client.Limit(pageSize), client.Continue(next)); err != nil {
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
