package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// annotationSum is the hash of the CRD as it was made: equal means there is nothing to write.
const annotationSum = "landbridge.io/definition-hash"

// conflictError: a CRD of that name exists and belongs to somebody else.
type conflictError struct{ name, owner string }

func (e *conflictError) Error() string {
	if e.owner == "" {
		return fmt.Sprintf("the CRD %s exists already and is not Landbridge's", e.name)
	}
	if module, ok := strings.CutPrefix(e.owner, moduleOwner); ok {
		return fmt.Sprintf("the CRD %s belongs to the TerraformModule %s", e.name, module)
	}
	return fmt.Sprintf("the CRD %s belongs to the TerraformProvider %s", e.name, e.owner)
}

// moduleOwner begins what LabelProvider says on the CRDs of TerraformModules. No TerraformProvider has such
// a name: those have no capitals.
const moduleOwner = "Module."

// ModuleOwner is what LabelProvider says on the CRD of a TerraformModule.
func ModuleOwner(name string) string { return moduleOwner + name }

// IsConflict says whether a CRD is somebody else's.
func IsConflict(err error) bool {
	var conflict *conflictError
	return errors.As(err, &conflict)
}

// EnsureCRD makes the CRD, or brings it up to date, and waits until it is served. A CRD of
// the same name that is not the provider's own is left alone: conflictError. changed says
// that there was one which is another now.
func EnsureCRD(ctx context.Context, crds apiextensions.CustomResourceDefinitionInterface, provider string, crd *apiextensionsv1.CustomResourceDefinition) (changed bool, err error) {
	sum, err := definitionSum(crd)
	if err != nil {
		return false, err
	}
	want := crd.DeepCopy()
	metav1.SetMetaDataLabel(&want.ObjectMeta, v1alpha1.LabelProvider, provider)
	metav1.SetMetaDataAnnotation(&want.ObjectMeta, annotationSum, sum)

	have, err := crds.Get(ctx, crd.Name, metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		have, err = crds.Create(ctx, want, metav1.CreateOptions{})
	case err != nil:
	case have.Labels[v1alpha1.LabelProvider] != provider:
		return false, &conflictError{name: crd.Name, owner: have.Labels[v1alpha1.LabelProvider]}
	case have.Annotations[annotationSum] != want.Annotations[annotationSum]:
		have.Labels, have.Spec = want.Labels, want.Spec
		metav1.SetMetaDataAnnotation(&have.ObjectMeta, annotationSum, want.Annotations[annotationSum])
		have, err = crds.Update(ctx, have, metav1.UpdateOptions{})
		changed = true
	}
	if err != nil {
		return false, fmt.Errorf("cannot install the CRD %s: %w", crd.Name, err)
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if served(have) {
			return true, nil
		}
		var err error
		have, err = crds.Get(ctx, crd.Name, metav1.GetOptions{})
		return err == nil && served(have), onlyNotFound(err)
	})
	if err != nil {
		return changed, fmt.Errorf("the CRD %s is not served: %w", crd.Name, err)
	}
	return changed, nil
}

// teardown is how long the API server goes on with what it had of a kind before its CRD was
// changed or made anew (k8s.io/apiextensions-apiserver's tearDown waits for a second and for the
// requests that run), with room to spare. A watch that begins meanwhile may never tell of
// anything.
const teardown = 3 * time.Second

// Settled returns when watches of changed CRDs can be relied upon.
func Settled(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(teardown):
		return nil
	}
}

// listCRDs is what is known of CRDs without their schemas.
func listCRDs(ctx context.Context, reader client.Reader, o ...client.ListOption) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	err := reader.List(ctx, list, o...)
	return list.Items, err
}

// HasObjects says whether there is any object of the kind, which is that of its lists.
func HasObjects(ctx context.Context, reader client.Reader, listKind kschema.GroupVersionKind) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(listKind)
	err := reader.List(ctx, list, client.Limit(1))
	if meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
		err = nil // it is not served
	}
	return len(list.Items) > 0, err
}

// onlyNotFound ends the wait if the CRD is gone; other errors pass.
func onlyNotFound(err error) error {
	if kerrors.IsNotFound(err) {
		return err
	}
	return nil
}

func served(crd *apiextensionsv1.CustomResourceDefinition) bool {
	established := false
	for _, c := range crd.Status.Conditions {
		switch {
		case c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse:
			return false
		case c.Type == apiextensionsv1.Established:
			established = c.Status == apiextensionsv1.ConditionTrue
		}
	}
	return established
}
