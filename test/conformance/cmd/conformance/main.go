package main

import (
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/test/conformance"
	"github.com/landbridge-io/landbridge/test/matrix"
)

// headings are the titles of forms and ways.
var headings = map[string]string{
	examplecloudtest.SDKv2: "SDKv2", examplecloudtest.Framework5: "framework 5", examplecloudtest.Framework6: "framework 6",
	string(conformance.OpenTofu): "OpenTofu", string(conformance.Terraform): "Terraform 1.5",
	string(conformance.Plugin): "plugin", string(conformance.InProcess): "in process",
}

func main() {
	m := matrix.Matrix{
		Title: "conformance", Dir: "test/conformance", Command: "make conformance",
		Tables: []matrix.Table{{Name: "execution", Page: "docs/execution.md", Behaviours: conformance.Behaviours}},
	}
	for _, form := range examplecloudtest.Forms {
		for _, way := range conformance.Ways {
			m.Columns = append(m.Columns, matrix.Column{Name: form + "/" + string(way), Heading: headings[form] + ", " + headings[string(way)]})
		}
	}
	m.Main()
}
