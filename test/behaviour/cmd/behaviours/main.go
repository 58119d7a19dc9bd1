package main

import (
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/test/behaviour"
	"github.com/landbridge-io/landbridge/test/matrix"
)

// headings are the titles of the columns.
var headings = map[provider.Form]string{
	provider.SDKv2: "SDKv2", provider.Framework5: "framework 5", provider.Framework6: "framework 6",
}

var ways = map[behaviour.Way]string{behaviour.Plugin: "plugin", behaviour.InProcess: "in process", behaviour.CLI: "OpenTofu"}

func main() {
	m := matrix.Matrix{Title: "behaviours", Dir: "test/behaviour", Command: "make behaviours", Sources: true}
	columns := map[string]behaviour.Column{}
	for _, c := range behaviour.Columns() {
		name := string(c.Form) + "/" + string(c.Way)
		columns[name] = c
		m.Columns = append(m.Columns, matrix.Column{Name: name, Heading: headings[c.Form] + ", " + ways[c.Way]})
	}
	for _, t := range behaviour.Tables {
		table := matrix.Table{Name: t.Name, Page: t.Page}
		for _, s := range t.Sections {
			for _, b := range s.Behaviours {
				table.Behaviours = append(table.Behaviours, matrix.Behaviour{
					Section: s.Title, Name: b.Name, Says: b.Says, Source: b.Source,
					Not: func(column string) string { return b.NotApplicable(columns[column]) },
				})
			}
		}
		m.Tables = append(m.Tables, table)
	}
	m.Main()
}
