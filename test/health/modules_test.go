package health_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// pair is a module of two objects, of which the second depends on the first.
const pair = `
terraform {
  required_providers {
    modular = { source = "landbridge/modular" }
  }
}

variable "name" { type = string }

variable "value" {
  type    = string
  default = "a"
}

resource "modular_thing" "first" {
  name  = "${var.name}-first"
  value = var.value
}

resource "modular_thing" "second" {
  name  = "${var.name}-second"
  value = modular_thing.first.value
}

output "names" { value = [modular_thing.first.name, modular_thing.second.name] }
`

// TestModules is TestHealth for modules.
func TestModules(t *testing.T) {
	tools, err := newTools()
	if err != nil {
		t.Fatal(err)
	}
	program, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	results.add(len(modules), 0)
	undescribed(t, modules)
	x := newWorld(t, &kinds.CommandLine{Program: program, Dir: t.TempDir()})
	x.serve(t, "pair", pair)
	each(t, modules, func(t *testing.T, name string, s situation) { s.check(t, x.called(name), tools, name) })
}

// module returns a module, whose files are those of a ConfigMap of its name.
func (*world) module(name string) object {
	return resource(landbridge, "TerraformModule", "", name, m{
		"source":    m{"configMapRef": m{"namespace": clustertest.System, "name": name}},
		"providers": m{"landbridge/modular": modular},
	})
}

func (x *world) files(t *testing.T, name string, files map[string]string) {
	t.Helper()
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: clustertest.System, Name: name}, Data: files}
	if err := x.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// serve makes a kind from a module.
func (x *world) serve(t *testing.T, name, source string) object {
	t.Helper()
	x.files(t, name, map[string]string{"main.tf": source})
	u := x.created(t, x.module(name))
	x.WaitFor(t, u, "healthy", func() bool { return isReady(u) })
	return u
}

// pair returns an instance of the module pair, whose objects are called after it.
func (x *world) pair() object {
	return resource("modules.landbridge.io/v1alpha1", "Pair", x.namespace, x.name, m{"forProvider": m{"name": x.name}})
}

// second sets what the provider does with the second object of an instance.
func (x *world) second(t *testing.T, what string) {
	t.Helper()
	doubles[modular].Order(t, x.name+"-second", what)
}

// half creates an instance whose create fails halfway.
func (x *world) half(t *testing.T) object {
	t.Helper()
	x.second(t, "always fail")
	return x.created(t, x.pair())
}

var modules = map[string]situation{
	"module is complete": {
		bring: func(t *testing.T, x *world) object { return x.created(t, x.pair()) },
		is:    isReady, want: healthy, never: "Failed",
	},
	"create of a module fails halfway": {
		bring: func(t *testing.T, x *world) object { return x.half(t) },
		is:    lastFailed, want: failing, never: "Current",
	},
	"rest of a module is tried again": {
		bring: func(t *testing.T, x *world) object {
			u := x.half(t)
			x.WaitFor(t, u, "failed", func() bool { return lastFailed(u) })
			x.second(t, slow)
			return u
		},
		is: running("Update"), want: failing, never: "Current",
	},
	"rest of a module succeeds": {
		bring: func(t *testing.T, x *world) object {
			u := x.half(t)
			x.WaitFor(t, u, "failed", func() bool { return lastFailed(u) })
			doubles[modular].Countermand(t, x.name+"-second")
			return u
		},
		is: isReady, want: healthy,
	},
	"change of a module fails halfway": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.pair())
			x.second(t, "always fail")
			return x.patch(t, u, change)
		},
		is: lastFailed, want: failing,
	},
	"failed change of a module is taken back": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.pair())
			x.second(t, "always fail")
			x.patch(t, u, change)
			x.WaitFor(t, u, "failed", func() bool { return lastFailed(u) && !objecttest.IsTrue(u, "Ready") })
			doubles[modular].Countermand(t, x.name+"-second")
			return x.patch(t, u, `{"spec":{"forProvider":{"value":"a"}}}`)
		},
		is: isReady, want: healthy,
	},
	"TerraformModule whose folder is missing": {
		bring: func(t *testing.T, x *world) object {
			x.files(t, x.name, map[string]string{"main.tf": "module \"label\" {\n  source = \"./modules/label\"\n}\n"})
			return x.created(t, x.module(x.name))
		},
		is: unready("InvalidModule"), want: failed, never: "Current",
	},
	"TerraformModule in a missing directory": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, resource(landbridge, "TerraformModule", "", x.name, m{"source": m{"directory": "/nonexistent/module"}}))
		},
		is: unready("SourceNotAvailable"), want: failed, never: "Current",
	},
	"TerraformModule whose variable changes its type": {
		bring: func(t *testing.T, x *world) object {
			source := "variable \"size\" { type = string }\noutput \"size_is\" { value = var.size }\n"
			u := x.serve(t, x.name, source)
			x.ready(t, resource("modules.landbridge.io/v1alpha1", text(u, "status", "kind"), x.namespace, "one",
				m{"forProvider": m{"size": "large"}}))
			c := &corev1.ConfigMap{}
			if err := x.Get(t.Context(), client.ObjectKey{Namespace: clustertest.System, Name: x.name}, c); err != nil {
				t.Fatal(err)
			}
			c.Data["main.tf"] = strings.Replace(source, "string", "number", 1)
			if err := x.Update(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			return u
		},
		is: unready("ChangesHeld"), want: failed, never: "",
	},
}
