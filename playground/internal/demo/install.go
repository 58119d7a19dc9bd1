package demo

import (
	"context"
	"encoding/json"
	"fmt"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Installation installs TerraformProviders.
type Installation struct {
	cluster *cluster
	line    func(format string, args ...any)
}

// NewInstallation returns one in a cluster, which tells by line what it does.
func NewInstallation(config *rest.Config, line func(format string, args ...any)) (*Installation, error) {
	c, err := newCluster(config, line)
	return &Installation{cluster: c, line: line}, err
}

// kinds are those that the controller itself defines. It does so in its first moments.
var kinds = []string{"TerraformProvider", "TerraformModule", "PlanPolicy"}

// WaitForKinds returns when Landbridge's own kinds are served, so that what follows can be applied.
func (i *Installation) WaitForKinds(ctx context.Context) error {
	for _, kind := range kinds {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: "landbridge.io", Version: "v1alpha1", Kind: kind})
		err := i.cluster.wait(ctx, stepLimit, "the kind "+kind+" is served", func(ctx context.Context) error {
			r, err := i.cluster.resource(u)
			if err == nil {
				_, err = r.List(ctx, metav1.ListOptions{Limit: 1})
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("the kind %s is not served: %w", kind, err)
		}
	}
	return nil
}

// Create creates a TerraformProvider as kubectl apply would, which can change it afterwards. One
// that exists stays as it is. The controller, just started, serves the kind in a moment.
func (i *Installation) Create(ctx context.Context, p *unstructured.Unstructured) (created bool, _ error) {
	applied, err := json.Marshal(p)
	if err != nil {
		return false, err
	}
	p = p.DeepCopy()
	annotations := p.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(applied) + "\n"
	p.SetAnnotations(annotations)
	err = i.cluster.wait(ctx, stepLimit, "the kind "+p.GetKind()+" is served", func(ctx context.Context) error {
		r, err := i.cluster.resource(p)
		if err == nil {
			_, err = r.Create(ctx, p, metav1.CreateOptions{FieldManager: fieldManager})
		}
		switch {
		case kerrors.IsAlreadyExists(err):
			created = false
			return nil
		case err == nil:
			created = true
		case !kerrors.IsNotFound(err) && !meta.IsNoMatchError(err):
			err = lasting(err)
		}
		return err
	})
	if err != nil {
		return false, about(p, fmt.Errorf("%s was not created: %w", nameOf(p), err))
	}
	if created {
		i.line("created TerraformProvider %s (%s)", p.GetName(), text(p.Object, "spec", "source"))
	}
	return created, nil
}

// Wait returns when the kinds of TerraformProviders are served.
func (i *Installation) Wait(ctx context.Context, providers ...*unstructured.Unstructured) error {
	for _, p := range providers {
		now, err := i.cluster.waitFor(ctx, stepLimit, p, "installed and healthy", func(u *unstructured.Unstructured) bool {
			return isTrue(u, "Installed", "Healthy") && observed(u) && text(u.Object, "status", "activated") != ""
		})
		if err != nil {
			return err
		}
		i.line("%s %s speaks protocol %s; %s of its %s resource types are kinds now", p.GetName(),
			text(now.Object, "status", "installed", "version"), text(now.Object, "status", "protocol"),
			text(now.Object, "status", "activated"), text(now.Object, "status", "resources"))
	}
	return nil
}
