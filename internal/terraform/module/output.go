package module

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// resource identifies a resource instance. It is a part of the journal that is stored.
type resource struct {
	Address string `json:"addr"`
	Module  string `json:"module"`
	Type    string `json:"resource_type"`
	Name    string `json:"resource_name"`
	Key     any    `json:"resource_key"`
}

// argumentLine matches a line of the configuration that passes a variable to the module.
var argumentLine = regexp.MustCompile(`"([^"]+)": "\$\{var\.[^}]*\}"`)

// diagnostic returns a diagnostic with the place in the module, or the variable, that it is about.
func (m *Module) diagnostic(d commandline.Diagnostic, configuration []byte, imports []place) diagnostic.Diagnostic {
	out := d.Diagnostic()
	out.Detail = m.spell(out.Detail)
	if d.Address != "" {
		out.Summary = strings.TrimPrefix(d.Address, callAddress) + ": " + out.Summary
	}
	switch {
	case d.Range == nil:
	case d.Range.Filename == configFile:
		lines := strings.Split(string(configuration), "\n")
		if i := d.Range.Start.Line - 1; i >= 0 && i < len(lines) {
			if found := argumentLine.FindStringSubmatch(lines[i]); found != nil && m.Variables[found[1]] != nil {
				out.Attribute = cty.GetAttrPath(found[1])
			}
		}
	case d.Range.Filename == importsFile:
		if i := d.Range.Start.Line - 1; i >= 0 && i < len(imports) && imports[i].file != "" {
			out.Summary = fmt.Sprintf("%s:%d: %s", imports[i].file, imports[i].line, out.Summary)
		}
	default:
		out.Summary = fmt.Sprintf("%s:%d: %s", m.spell(d.Range.Filename), d.Range.Start.Line, out.Summary)
	}
	return out
}

// spell replaces paths and addresses in a text by those that the module's author knows.
func (m *Module) spell(text string) string {
	modules := m.dir + "/" + dataDir + "/modules/"
	text = strings.ReplaceAll(text, modules+callName+"/", "")
	text = strings.ReplaceAll(text, modules+callName+".", "module.")
	text = strings.ReplaceAll(text, m.dir+"/"+localSource+"/", "")
	return strings.ReplaceAll(text, callAddress, "")
}

// inconsistencies names the objects that the program reports as not created as planned, though
// their provider has reported no error. Terraform has the address in the text alone.
func (j *journal) inconsistencies(diags diagnostic.Diagnostics) diagnostic.Diagnostics {
	for i, d := range diags {
		if !terraform.Inconsistent(diagnostic.Diagnostics{d}) {
			continue
		}
		for _, c := range j.Changes {
			address := strings.TrimPrefix(c.Resource.Address, callAddress)
			if c.Kind == instance.Create && c.Answered && !c.Failed && strings.Contains(d.Detail, " to "+address+", ") {
				diags[i].Object = address
			}
		}
	}
	return diags
}
