package migrate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secrets returns the Secrets of the manifest, with a label that names the old resource.
func (s Step) secrets(old *unstructured.Unstructured) []*corev1.Secret {
	var out []*corev1.Secret
	for _, secret := range append(slices.Clone(s.New.Parts), s.New.State, s.New.Inputs) {
		if secret != nil {
			out = append(out, labelled(secret, old))
		}
	}
	return out
}

func labelled(secret *corev1.Secret, old *unstructured.Unstructured) *corev1.Secret {
	out := secret.DeepCopy()
	meta.AddLabels(out, map[string]string{labelFrom: string(old.GetUID())})
	return out
}

// resource returns the new resource, paused and with a label that names the old one.
func (s Step) resource(old *unstructured.Unstructured) *unstructured.Unstructured {
	out := s.New.Resource.DeepCopy()
	meta.AddLabels(out, map[string]string{labelFrom: string(old.GetUID())})
	meta.AddAnnotations(out, map[string]string{meta.AnnotationKeyReconciliationPaused: "true"})
	return out
}

// secret creates a Secret, or updates the one that an interrupted hand-over has left.
func (h *HandOver) secret(ctx context.Context, secret *corev1.Secret, old *unstructured.Unstructured) error {
	err := h.Client.Create(ctx, secret.DeepCopy(), fieldOwner)
	if !kerrors.IsAlreadyExists(err) {
		return err
	}
	there := &corev1.Secret{}
	if err := h.Client.Get(ctx, client.ObjectKeyFromObject(secret), there); err != nil {
		return again404(err)
	}
	if there.Labels[labelFrom] != string(old.GetUID()) {
		return fmt.Errorf("there is a Secret %s already", client.ObjectKeyFromObject(secret))
	}
	if equalData(there.Data, secret.Data) {
		return nil
	}
	there.Data = secret.Data
	return h.Client.Update(ctx, there, fieldOwner)
}

func equalData(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }

// again404 makes a step be repeated if an object is gone that was there before.
func again404(err error) error {
	if kerrors.IsNotFound(err) {
		return errAgain
	}
	return err
}

// copied returns the copy of a Secret; nil if the namespace has one with the same values already.
func (h *HandOver) copied(ctx context.Context, name string, from Copy, namespace string) (*corev1.Secret, error) {
	source, there := &corev1.Secret{}, &corev1.Secret{}
	if err := h.Client.Get(ctx, client.ObjectKey{Namespace: from.Namespace, Name: name}, source); err != nil {
		return nil, err
	}
	out := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{}}
	for _, key := range from.Keys {
		value, ok := source.Data[key]
		if !ok {
			return nil, fmt.Errorf("the Secret %s/%s has no key %s", from.Namespace, name, key)
		}
		out.Data[key] = value
	}
	err := h.Client.Get(ctx, client.ObjectKeyFromObject(out), there)
	if kerrors.IsNotFound(err) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, key := range from.Keys {
		if !bytes.Equal(there.Data[key], out.Data[key]) {
			return nil, fmt.Errorf("the Secret %s/%s has another key %s than that in namespace %s. Make them equal, "+
				"or give one of them another name", namespace, name, key, from.Namespace)
		}
	}
	return nil, nil
}

// copy copies a Secret to the namespace of the new resource.
func (h *HandOver) copy(ctx context.Context, name string, from Copy, namespace string, old *unstructured.Unstructured) error {
	secret, err := h.copied(ctx, name, from, namespace)
	if err != nil || secret == nil {
		return err
	}
	return h.secret(ctx, labelled(secret, old), old)
}

// connection returns the Secret that an old and a new resource both write their connection details
// to; nil if they share none, or it does not exist.
func (h *HandOver) connection(ctx context.Context, old, to *unstructured.Unstructured) (*corev1.Secret, error) {
	namespace, name := Upjet{Unstructured: old}.connectionSecret()
	ref, _, _ := unstructured.NestedString(to.Object, "spec", "writeConnectionSecretToRef", "name")
	if name == "" || name != ref || namespace != to.GetNamespace() {
		return nil, nil
	}
	secret := &corev1.Secret{}
	err := h.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret)
	if kerrors.IsNotFound(err) {
		return nil, nil
	}
	return secret, err
}

// passConnection makes a resource the owner of a connection Secret that another one owns: with its
// present owner it would be deleted, and only its owner may write to it.
func (h *HandOver) passConnection(ctx context.Context, secret *corev1.Secret, from, to *unstructured.Unstructured) error {
	if secret == nil {
		return nil
	}
	if owner := metav1.GetControllerOf(secret); owner == nil || owner.UID != from.GetUID() {
		return nil
	}
	secret.OwnerReferences = slices.DeleteFunc(secret.OwnerReferences, func(r metav1.OwnerReference) bool { return r.UID == from.GetUID() })
	secret.OwnerReferences = append(secret.OwnerReferences, *metav1.NewControllerRef(to, to.GroupVersionKind()))
	return h.Client.Update(ctx, secret, fieldOwner)
}
