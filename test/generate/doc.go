// Package generate tests generated code: it compiles, and controller-gen generates the same
// CustomResourceDefinitions from it as package crd does from the model.
//
// It is a separate module because the root module must not depend on controller-tools. In: the
// schemas of all available providers. Out: only test results.
package generate
