package terraformprovider_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Kinds whose plurals belong to Kubernetes or another provider are reported, with what to do.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	p := &model.Provider{Name: "postgresql", Group: "postgresql.landbridge.io", Resources: map[string]*model.Resource{}}
	for kind, plural := range map[string]string{"Role": "roles", "Database": "databases", "Grant": "grants"} {
		p.Resources["postgresql_"+kind] = &model.Resource{Type: "postgresql_" + kind, Kind: kind, Plural: plural, Group: p.Group}
	}
	tests := map[string]struct {
		types, crds []string
		want        string
	}{
		"nothing is taken": {types: []string{"postgresql_Grant"}, crds: []string{"grants.postgresql.landbridge.io", "grants.zzz.example.org"}},
		"by Kubernetes": {
			types: []string{"postgresql_Role"},
			want: "To kubectl, roles means that of rbac.authorization.k8s.io (write " +
				"roles.postgresql.landbridge.io, or set spec.resources.postgresql_Role.kind, such as PostgresqlRole).",
		},
		"by another provider": {
			types: []string{"postgresql_Database", "postgresql_Grant"},
			crds:  []string{"databases.mysql.landbridge.io", "databases.postgresql.landbridge.io"},
			want: "To kubectl, databases means that of mysql.landbridge.io (write " +
				"databases.postgresql.landbridge.io, or set spec.resources.postgresql_Database.kind, such as " +
				"PostgresqlDatabase).",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := terraformprovider.Taken(p, test.types, test.crds); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
