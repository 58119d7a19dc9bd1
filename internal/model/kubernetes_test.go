package model_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/model"
)

func TestKubernetesGroup(t *testing.T) {
	t.Parallel()
	for plural, want := range map[string]string{
		"roles": "rbac.authorization.k8s.io", "secrets": "core", "ingresses": "networking.k8s.io", "buckets": "",
	} {
		got, ok := model.KubernetesGroup(plural)
		if got != want || ok != (want != "") {
			t.Errorf("KubernetesGroup(%s): %q, %t; want %q", plural, got, ok, want)
		}
	}
	if got := model.OwnKind("my-cloud", "Role"); got != "MycloudRole" {
		t.Errorf("OwnKind: %s", got)
	}
}
