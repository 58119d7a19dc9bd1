package e2e_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/test/doubletest"
)

// double is an installation of the provider in testprovider with its own remote
// objects.
type double struct{ *doubletest.Double }

// remote is a remote object of a double.
type remote = doubletest.Remote

// newDouble returns a provider of that name. The environment is NAME=value.
func newDouble(t *testing.T, name string, env ...string) *double {
	t.Helper()
	return &double{doubletest.New(t, name, directory(t), env...)}
}

// provider returns the TerraformProvider that installs it.
func (d *double) provider(activate ...any) *unstructured.Unstructured {
	p := d.Provider()
	if len(activate) > 0 {
		p.Object["spec"].(m)["activate"] = activate
	}
	return p
}

// thing and place return resources; the remote object has the same name.
func (d *double) thing(namespace, name string, forProvider m) *unstructured.Unstructured {
	return d.resource("Thing", namespace, name, forProvider)
}

func (d *double) place(namespace, name string, forProvider m) *unstructured.Unstructured {
	return d.resource("Place", namespace, name, forProvider)
}

func (d *double) resource(kind, namespace, name string, forProvider m) *unstructured.Unstructured {
	all := m{"name": name}
	for k, v := range forProvider {
		all[k] = v
	}
	return resource(d.APIVersion(), kind, namespace, name, m{"forProvider": all})
}

// has waits until the remote object has the value of an attribute.
func (c *cluster) has(t *testing.T, d *double, kind, name, attribute, value string) {
	t.Helper()
	eventually(t, kind+" "+name+" has "+attribute+" "+value, func(context.Context) bool {
		o, ok := d.Object(kind, name)
		return ok && o.Attributes[attribute] == value
	})
}
