package chaos

import (
	"context"
	"fmt"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// configure changes the provider configurations while they are in use.
func (a *agenda) configure(ctx context.Context, what string) error {
	if err := a.alive(); err != nil {
		return err
	}
	a.count("configuration: " + what)
	a.note("configuration: %s", what)
	if what == "another token" {
		return a.writeSecret(ctx, namespace, "token", m{"token": a.secret("token-of-the-cloud-" + randomText())})
	}
	a.localhost = !a.localhost
	host := a.cloud.url()
	if a.localhost {
		host = "http://localhost:" + a.cloud.port()
	}
	for form := range forms {
		err := a.try(ctx, func(ctx context.Context) error {
			_, err := a.client.Resource(gvrOf(form, "clusterproviderconfigs")).
				Patch(ctx, "default", types.MergePatchType, encode(m{"spec": m{"endpoint": host}}), patchOptions)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// estate is a namespace with everything that its resources need: a provider configuration and
// credentials.
type estate struct {
	namespace string
	resources []*unstructured.Unstructured
}

// removeEstate creates an estate and deletes it: the whole namespace, or first the dependencies of
// the resources. The remote objects must still be deleted.
func (a *agenda) removeEstate(ctx context.Context, how string) error {
	if err := a.alive(); err != nil {
		return err
	}
	e := &estate{namespace: fmt.Sprintf("estate-%d", len(a.estates)+1)}
	a.estates = append(a.estates, e)
	if err := a.makeNamespace(ctx, e.namespace); err != nil {
		return err
	}
	if err := a.writeSecret(ctx, e.namespace, "token", m{"token": a.secret("token-of-an-estate-" + randomText())}); err != nil {
		return err
	}
	ref := m{"kind": "ProviderConfig", "name": "own"}
	for form := range forms {
		config := &unstructured.Unstructured{Object: m{
			"apiVersion": form + ".landbridge.io/v1alpha1", "kind": "ProviderConfig", "metadata": m{"name": "own", "namespace": e.namespace},
			"spec": m{"endpoint": a.cloud.url(), "tokenSecretRef": m{"name": "token", "key": "token"}},
		}}
		if err := a.create(ctx, gvrOf(form, "providerconfigs"), config); err != nil {
			return err
		}
		for _, k := range kinds {
			if k.name == "Credential" {
				continue
			}
			s := &slot{world: a.world, kind: k, form: form, label: e.namespace + "-" + form, namespace: e.namespace, name: form, random: a.random}
			s.spec = k.first(s)
			a.world.mu.Lock()
			a.others = append(a.others, s)
			a.world.mu.Unlock()
			u := s.manifest()
			if err := unstructured.SetNestedMap(u.Object, ref, "spec", "providerConfigRef"); err != nil {
				return err
			}
			if err := a.create(ctx, gvr(form, k), u); err != nil {
				return err
			}
			a.operations.Add(1)
			e.resources = append(e.resources, u)
		}
	}
	// Some exist, some are being created.
	pause(ctx, a.upTo(2*time.Second))
	a.count("estate removed: " + how)
	a.note("%s is removed: %s", e.namespace, how)
	a.operations.Add(int64(len(e.resources)))
	if how == "credentials first" {
		if err := a.remove(ctx, secretsGVR, e.namespace, "token"); err != nil {
			return err
		}
		for form := range forms {
			if err := a.remove(ctx, gvrOf(form, "providerconfigs"), e.namespace, "own"); err != nil {
				return err
			}
		}
		// No state of them is stored.
		if err := a.restart(start{}); err != nil {
			return err
		}
		pause(ctx, a.upTo(2*time.Second))
	}
	if err := a.remove(ctx, namespacesGVR, "", e.namespace); err != nil {
		return err
	}
	if how == "namespace and controller" {
		return a.restart(start{})
	}
	return nil
}

func (w *world) remove(ctx context.Context, r schema.GroupVersionResource, namespace, name string) error {
	return w.try(ctx, func(ctx context.Context) error {
		return ignoreNotFound(w.client.Resource(r).Namespace(namespace).Delete(ctx, name, deleteOptions))
	})
}

// left returns what is left of an estate.
func (w *world) left(ctx context.Context, e *estate) (string, error) {
	u, err := w.client.Resource(namespacesGVR).Get(ctx, e.namespace, getOptions)
	if kerrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text := "it is still there"
	for form := range forms {
		for _, k := range kinds {
			l, err := w.client.Resource(gvr(form, k)).Namespace(e.namespace).List(ctx, listOptions)
			if err != nil {
				return "", err
			}
			for i := range l.Items {
				text += fmt.Sprintf("\n      %s %s%s", l.Items[i].GetKind(), l.Items[i].GetName(), because(&l.Items[i]))
			}
		}
	}
	if list, ok, _ := unstructured.NestedSlice(u.Object, "status", "conditions"); ok {
		for _, x := range list {
			if c, ok := x.(m); ok && c["status"] == "True" {
				text += fmt.Sprintf("\n      %s: %s", c["type"], c["message"])
			}
		}
	}
	return text, nil
}
