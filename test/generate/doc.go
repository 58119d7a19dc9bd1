// Package generate proves generated code: that it compiles, and that controller-gen makes the same
// CustomResourceDefinitions of it as package crd does of the model.
//
// It is a module of its own for controller-tools, on which the root module must not depend. In go
// the schemas of all providers at hand; nothing comes out but the result of its tests.
package generate
