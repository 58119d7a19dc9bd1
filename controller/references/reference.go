package references

import (
	"fmt"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/scheduler/store"
)

const externalName = "metadata.annotations[" + meta.AnnotationKeyExternalName + "]"

// Of are the references of a resource, with what is left out of them filled in. The API server
// lets through nothing that is not of their form.
func Of(u *unstructured.Unstructured) ([]managed.Reference, error) {
	spec, _ := u.Object["spec"].(map[string]any)
	raw, ok := spec["references"]
	if !ok {
		return nil, nil
	}
	var out managed.ResourceSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"references": raw}, &out); err != nil {
		return nil, fmt.Errorf("spec.references cannot be read: %w", err)
	}
	for i := range out.References {
		from := &out.References[i].From
		if from.APIVersion == "" {
			from.APIVersion = u.GetAPIVersion()
		}
		if from.Namespace == "" {
			from.Namespace = u.GetNamespace()
		}
		if from.FieldPath == "" {
			from.FieldPath = externalName
		}
	}
	return out.References, nil
}

// Keys are the resources that references are to; without a name where it is to be selected.
func Keys(refs []managed.Reference) []store.Key {
	out := make([]store.Key, len(refs))
	for i, ref := range refs {
		out[i] = keyOf(ref.From)
	}
	return out
}

func keyOf(from managed.ReferenceSource) store.Key {
	return store.Key{Group: kindOf(from).Group, Kind: from.Kind, Namespace: from.Namespace, Name: from.Name}
}

func kindOf(from managed.ReferenceSource) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(from.APIVersion, from.Kind)
}

// describe is what is referred to, as people name it.
func describe(from managed.ReferenceSource) string {
	if from.Selector == nil {
		return fmt.Sprintf("%s %s", from.Kind, strings.TrimPrefix(from.Namespace+"/"+from.Name, "/"))
	}
	var with []string
	if len(from.Selector.MatchLabels) > 0 {
		with = append(with, "labels "+labels.FormatLabels(from.Selector.MatchLabels))
	}
	if from.Selector.MatchControllerRef {
		with = append(with, "the same controller")
	}
	if with == nil {
		with = []string{"any labels"}
	}
	in := ""
	if from.Namespace != "" {
		in = " in namespace " + from.Namespace
	}
	return fmt.Sprintf("%s with %s%s", from.Kind, strings.Join(with, " and "), in)
}
