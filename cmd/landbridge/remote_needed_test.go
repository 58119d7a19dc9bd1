package main

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Only the providers that the arguments or manifests of a command need are started.
func TestNeed(t *testing.T) {
	var all []v1alpha1.TerraformProvider
	for name, source := range map[string]string{
		"google": "hashicorp/google", "beta": "hashicorp/google-beta", "random": "hashicorp/random", "own": "/opt/own",
	} {
		all = append(all, v1alpha1.TerraformProvider{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.TerraformProviderSpec{Source: source},
		})
	}
	objects := func(manifests string) []local.Object {
		out, messages := local.ReadObjects([]local.Source{{Name: "x.yaml", Data: []byte(manifests)}})
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		return out
	}
	const password = "apiVersion: random.landbridge.io/v1alpha1\nkind: Password\nmetadata: {name: a}\n"
	every := []string{"beta", "google", "own", "random"}
	for name, test := range map[string]struct {
		need *need
		want []string // own cannot be told, so it is always among them
	}{
		"a kind":            {forObjects(objects(password)), []string{"own", "random"}},
		"Kubernetes' kinds": {forObjects(objects("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n")), []string{"own"}},
		"a type":            {forTypes([]string{"random_pet"}), []string{"own", "random"}},
		"types of two":      {forTypes([]string{"google_*"}), []string{"beta", "google", "own"}},
		"no type":           {forTypes(nil), every},
		"all types":         {forTypes([]string{"random_pet", "*_pet"}), every},
		"a state": {
			forState(
				[]byte(
					`{"resources":[{"mode":"managed","provider":"module.a.provider[\"registry.opentofu.org/hashicorp/random\"].x"}]}`,
				),
			), []string{"own", "random"},
		},
		"data sources": {
			forState(
				[]byte(
					`{"resources":[{"mode":"data","provider":"provider[\"registry.terraform.io/hashicorp/random\"]"}]}`,
				),
			), []string{"own", "random"},
		},
		"an old state": {forState([]byte(`{"resources":[{"mode":"managed","provider":"provider.random"}]}`)), every},
		"groups of Upjet's": {
			forUpjet([]string{"compute.google.upbound.io", "Pet.random.crossplane.io/a"}), []string{
				"beta", "google", "own", "random",
			},
		},
		"a group of Upjet's":   {forUpjet([]string{"Pet.random.crossplane.io"}), []string{"own", "random"}},
		"a file that is none":  {forState([]byte(`no`)), every},
		"commands that say so": {nil, every},
	} {
		t.Run(name, func(t *testing.T) {
			needed, others := test.need.split(all)
			var got []string
			for _, p := range needed {
				got = append(got, p.Name)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" || len(needed)+len(others) != len(all) {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}

	random := &remoteProvider{
		model: &model.Provider{
			Name: "random", Group: "random.landbridge.io",
			Resources: map[string]*model.Resource{"random_pet": {Group: "random.landbridge.io"}},
		},
	}
	for name, test := range map[string]struct {
		need   *need
		enough bool
	}{
		"the kind's provider runs": {forObjects(objects(password)), true},
		"another group":            {forObjects(objects("apiVersion: other.example.org/v1\nkind: A\nmetadata: {name: a}\n")), false},
		"the type's provider runs": {forTypes([]string{"random_*"}), true},
		"it has no such type":      {forTypes([]string{"random_pet", "random_thing"}), false},
		"Upjet's provider runs":    {forUpjet([]string{"Pet.random.crossplane.io/a"}), true},
		"one of Upjet's does not":  {forUpjet([]string{"random.crossplane.io", "aws.upbound.io"}), false},
		"all run":                  {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.need.satisfied([]*remoteProvider{random}); got != test.enough {
				t.Errorf("enough: %t, want %t", got, test.enough)
			}
		})
	}
}
