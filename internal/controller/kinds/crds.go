package kinds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// AnnotationSum has the DefinitionSum of a CRD. If it is unchanged, the CRD need not be written.
const AnnotationSum = "landbridge.io/definition-hash"

// conflictError reports that a CRD of the name exists and has another owner.
type conflictError struct{ name, owner string }

func (e *conflictError) Error() string {
	if e.owner == "" {
		return fmt.Sprintf("the CRD %s already exists and is not managed by Landbridge", e.name)
	}
	if module, ok := strings.CutPrefix(e.owner, moduleOwner); ok {
		return fmt.Sprintf("the CRD %s belongs to the TerraformModule %s", e.name, module)
	}
	return fmt.Sprintf("the CRD %s belongs to the TerraformProvider %s: give one of the two another spec.group", e.name, e.owner)
}

// moduleOwner is the prefix of LabelProvider on the CRDs of TerraformModules. No TerraformProvider
// can have such a name, since names of objects have no capital letters.
const moduleOwner = "Module."

// ModuleOwner returns the value of LabelProvider on the CRD of a TerraformModule.
func ModuleOwner(name string) string { return moduleOwner + name }

// IsModuleOwner reports whether a value of LabelProvider is that of a TerraformModule.
func IsModuleOwner(owner string) bool { return strings.HasPrefix(owner, moduleOwner) }

// IsConflict reports whether the error is that a CRD has another owner.
func IsConflict(err error) bool {
	var conflict *conflictError
	return errors.As(err, &conflict)
}

// OwnCRDs is the owner of the CRDs of Landbridge's own kinds. No TerraformProvider can have this
// name, since names of objects have no capital letters.
const OwnCRDs = "Landbridge"

// Mark labels a CRD with its owner, and annotates it with its DefinitionSum.
func Mark(crd *apiextensionsv1.CustomResourceDefinition, owner string) error {
	sum, err := definitionSum(crd)
	if err != nil {
		return err
	}
	metav1.SetMetaDataLabel(&crd.ObjectMeta, v1alpha1.LabelProvider, owner)
	metav1.SetMetaDataAnnotation(&crd.ObjectMeta, AnnotationSum, sum)
	return nil
}

// EnsureCRD creates or updates the CRD and waits until it is established. It returns an error for
// IsConflict if the CRD exists with another owner. changed reports whether the definition of an
// existing CRD was updated.
func EnsureCRD(
	ctx context.Context, crds apiextensions.CustomResourceDefinitionInterface, owner string,
	crd *apiextensionsv1.CustomResourceDefinition,
) (changed bool, err error) {
	want := crd.DeepCopy()
	if err := Mark(want, owner); err != nil {
		return false, err
	}
	have, err := remaining(ctx, crds, crd.Name)
	switch {
	case kerrors.IsNotFound(err):
		have, err = crds.Create(ctx, want, metav1.CreateOptions{})
	case err != nil:
	case have.Labels[v1alpha1.LabelProvider] != owner:
		return false, &conflictError{name: crd.Name, owner: have.Labels[v1alpha1.LabelProvider]}
	default:
		changed = have.Annotations[AnnotationSum] != want.Annotations[AnnotationSum]
		names, named := want.Annotations[v1alpha1.AnnotationNames]
		if named = named && have.Annotations[v1alpha1.AnnotationNames] != names; named {
			metav1.SetMetaDataAnnotation(&have.ObjectMeta, v1alpha1.AnnotationNames, names)
		}
		if changed {
			have.Labels, have.Spec = want.Labels, want.Spec
			metav1.SetMetaDataAnnotation(&have.ObjectMeta, AnnotationSum, want.Annotations[AnnotationSum])
		}
		if changed || named {
			have, err = crds.Update(ctx, have, metav1.UpdateOptions{})
		}
	}
	if err != nil {
		return false, fmt.Errorf("cannot install the CRD %s: %w", crd.Name, err)
	}
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if IsEstablished(have) {
			return true, nil
		}
		var err error
		have, err = crds.Get(ctx, crd.Name, metav1.GetOptions{})
		return err == nil && IsEstablished(have), onlyNotFound(err)
	})
	if err != nil {
		return changed, fmt.Errorf("the CRD %s is not served: %w", crd.Name, err)
	}
	return changed, nil
}

// remaining returns a CRD, or an error that is not found. It waits until one that is being deleted
// is gone, which takes moments, since only CRDs without objects are deleted.
func remaining(
	ctx context.Context, crds apiextensions.CustomResourceDefinitionInterface, name string,
) (have *apiextensionsv1.CustomResourceDefinition, err error) {
	ended := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		have, err = crds.Get(ctx, name, metav1.GetOptions{})
		return err != nil || have.DeletionTimestamp.IsZero(), nil
	})
	if ended != nil && err == nil {
		err = fmt.Errorf("it is being deleted: %w", ended)
	}
	return have, err
}

// installedCRD returns an error unless the CRD is established as it is wanted. Whoever is told of
// its change tries again.
func installedCRD(
	ctx context.Context, crds apiextensions.CustomResourceDefinitionInterface, owner string,
	crd *apiextensionsv1.CustomResourceDefinition,
) error {
	want := crd.DeepCopy()
	if err := Mark(want, owner); err != nil {
		return err
	}
	have, err := crds.Get(ctx, crd.Name, metav1.GetOptions{})
	switch {
	case err != nil && !kerrors.IsNotFound(err):
		return fmt.Errorf("cannot read the CRD %s: %w", crd.Name, err)
	case err == nil && have.Labels[v1alpha1.LabelProvider] != owner:
		return &conflictError{name: crd.Name, owner: have.Labels[v1alpha1.LabelProvider]}
	case err != nil, have.Annotations[AnnotationSum] != want.Annotations[AnnotationSum], !IsEstablished(have):
		return fmt.Errorf("the CRD %s is not installed by the leading replica yet", crd.Name)
	}
	return nil
}

// EnsureCRD is the function of that name. changed also reports whether a CRD of the name was
// deleted shortly before; then AwaitWatches must be called before the kind is watched.
func (rt *Runtime) EnsureCRD(ctx context.Context, owner string, crd *apiextensionsv1.CustomResourceDefinition) (changed bool, err error) {
	if rt.Follows {
		return false, installedCRD(ctx, rt.CRDs, owner, crd)
	}
	changed, err = EnsureCRD(ctx, rt.CRDs, owner, crd)
	return rt.prunedRecently(crd.Name) || changed, err
}

// Teardown is the time for which the API server may serve a kind from its former storage after its
// CRD was changed or recreated: k8s.io/apiextensions-apiserver's tearDown waits for a second and
// for running requests. A watch that begins in this time may never deliver an event.
const Teardown = 3 * time.Second

// AwaitWatches returns when watches of changed CRDs are reliable.
func AwaitWatches(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(Teardown):
		return nil
	}
}

// ListCRDs returns the metadata of CRDs; their schemas would take much memory.
func ListCRDs(ctx context.Context, reader client.Reader, o ...client.ListOption) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	err := reader.List(ctx, list, o...)
	return list.Items, err
}

// definitionSum returns the hash of a generated CRD.
func definitionSum(d *apiextensionsv1.CustomResourceDefinition) (string, error) {
	b, err := json.Marshal(d.Spec)
	if err != nil {
		return "", fmt.Errorf("the CRD %s cannot be encoded: %w", d.Name, err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// onlyNotFound ends the wait if the CRD was deleted; after other errors it goes on.
func onlyNotFound(err error) error {
	if kerrors.IsNotFound(err) {
		return err
	}
	return nil
}

// IsEstablished reports whether the API server serves the CRD's kind, or will within seconds.
func IsEstablished(crd *apiextensionsv1.CustomResourceDefinition) bool {
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
