package configure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldOwner is the field manager of the objects.
const fieldOwner = client.FieldOwner("landbridge-configure")

// interval is the time between two attempts.
const interval = time.Second

// kinds are the kinds of provider configurations, in the group of each provider.
var kinds = []string{"ClusterProviderConfig", "ProviderConfig"}

// Read returns the provider configurations in a file with several documents.
func Read(name string, content []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096); ; {
		u := &unstructured.Unstructured{}
		switch err := decoder.Decode(&u.Object); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case len(u.Object) == 0:
			continue
		case !slices.Contains(kinds, u.GetKind()):
			return nil, fmt.Errorf("%s: there is a %s, and only ProviderConfigs and ClusterProviderConfigs can be applied", name, u.GetKind())
		case u.GetName() == "":
			return nil, fmt.Errorf("%s: a %s has no name", name, u.GetKind())
		}
		out = append(out, u)
	}
}

// Apply applies the objects, one after the other, as soon as their kinds are served. report is
// called for each one.
func Apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured, report func(*unstructured.Unstructured)) error {
	for _, o := range objects {
		var last error
		var unknown time.Time // since when a field is unknown
		err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
			if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), fieldOwner,
				client.ForceOwnership); err == nil || last == nil || ctx.Err() == nil {
				last = err // unless it says only that time is up
			}
			switch {
			case unknownField(last) == "":
				unknown = time.Time{}
			case unknown.IsZero():
				unknown = time.Now()
			}
			if final(last) || !unknown.IsZero() && time.Since(unknown) >= settles {
				return false, last
			}
			return last == nil, nil
		})
		if err != nil {
			return explain(o, last)
		}
		report(o)
	}
	return nil
}

// settles is how long an unknown field may become known: a kind gets new fields a moment after its
// provider was updated.
const settles = 30 * time.Second

var undeclared = regexp.MustCompile(`\.(\S+): field not declared in schema`)

// unknownField returns the field that a kind does not have, if an error is about one. The API
// server refuses it with every server-side apply, as an internal error.
func unknownField(err error) string {
	if err == nil {
		return ""
	}
	if m := undeclared.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// final reports whether another attempt would fail in the same way.
func final(err error) bool {
	return kerrors.IsInvalid(err) || kerrors.IsBadRequest(err)
}

// explain adds what to do to the last error.
func explain(o *unstructured.Unstructured, err error) error {
	what := o.GetKind() + " " + client.ObjectKeyFromObject(o).String()
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("%s: the cluster does not serve this kind of the group %s, since its provider is not "+
			"installed; kubectl get terraformproviders shows why",
			what, o.GroupVersionKind().Group)
	}
	if field := unknownField(err); field != "" {
		return fmt.Errorf("%s: the kind has no field %s; correct its name, or install a version of the provider that has it", what, field)
	}
	return fmt.Errorf("%s: %w", what, err)
}
