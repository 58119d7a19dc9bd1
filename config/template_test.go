package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
)

func TestTemplateParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		template config.Template
		roots    []string
		want     []config.Part
		err      string
	}{
		"empty": {},
		"text":  {template: "a } b", want: []config.Part{{Text: "a } b"}}},
		"paths": {
			template: "{{ .parameters.rule.name }}/{{.externalName}}-x",
			roots:    []string{config.Parameters, config.ExternalKey},
			want: []config.Part{
				{Path: []string{"parameters", "rule", "name"}}, {Text: "/"},
				{Path: []string{"externalName"}}, {Text: "-x"},
			},
		},
		"metadata": {
			template: "{{ .metadata.namespace }}", roots: []string{config.Metadata}, want: []config.Part{{
				Path: []string{"metadata", "namespace"},
			}},
		},
		"no end": {
			template: "a {{ .metadata.name", roots: []string{config.Metadata},
			err: `"a {{ .metadata.name": a path such as .metadata.name must be between {{ and }}`,
		},
		"function": {
			template: "{{ upper .metadata.name }}", roots: []string{config.Metadata},
			err: `"{{ upper .metadata.name }}": a path such as .metadata.name must be between {{ and }}`,
		},
		"no root": {
			template: "{{ .attributes.id }}", roots: []string{config.Metadata, config.Parameters},
			err: `"{{ .attributes.id }}": there is no .attributes.id here; available: .metadata, .parameters`,
		},
		"no field": {
			template: "{{ .metadata.uid }}", roots: []string{config.Metadata},
			err: `"{{ .metadata.uid }}": there is no .metadata.uid here; available: .metadata`,
		},
		"too deep": {
			template: "{{ .externalName.x }}", roots: []string{config.ExternalKey},
			err: `"{{ .externalName.x }}": there is no .externalName.x here; available: .externalName`,
		},
		"too short": {
			template: "{{ .parameters }}", roots: []string{config.Parameters},
			err: `"{{ .parameters }}": there is no .parameters here; available: .parameters`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.template.Parse(test.roots...)
			if msg := message(err); msg != test.err {
				t.Fatalf("got error %s, want %s", msg, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
