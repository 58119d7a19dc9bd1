package config_test

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/config"
)

func TestIdentityValue(t *testing.T) {
	t.Parallel()
	for value, want := range map[config.IdentityValue]struct{ path, constant string }{
		"name":          {path: "name"},
		"metadata.name": {path: "metadata.name"},
		"ConfigMap":     {constant: "ConfigMap"},
		"apps/v1":       {constant: "apps/v1"},
		"=v1":           {constant: "v1"},
		"==v1":          {constant: "=v1"},
		"":              {constant: ""},
		"metadata.":     {constant: "metadata."},
	} {
		path := strings.Join(value.Path(), ".")
		if path != want.path || path == "" && value.Constant() != want.constant {
			t.Errorf("%q: path %q, constant %q", value, path, value.Constant())
		}
	}
	for _, constant := range []string{"ConfigMap", "v1", "=v1", "apps/v1", "", "a.b"} {
		if v := config.IdentityConstant(constant); v.Path() != nil || v.Constant() != constant {
			t.Errorf("%q becomes %q", constant, v)
		}
	}
}
