package module

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// event is a line of what the program tells with -json.
type event struct {
	Type       string     `json:"type"`
	Message    string     `json:"@message"`
	Diagnostic *diagnosed `json:"diagnostic"`
	Hook       *struct {
		Resource resource `json:"resource"`
		Action   string   `json:"action"`
		Elapsed  float64  `json:"elapsed_seconds"`
	} `json:"hook"`
}

// resource is where a resource instance is.
type resource struct {
	Address string `json:"addr"`
	Module  string `json:"module"`
	Type    string `json:"resource_type"`
	Name    string `json:"resource_name"`
	Key     any    `json:"resource_key"`
}

// diagnosed is a diagnostic. Its snippet is not read: it may hold secrets.
type diagnosed struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
	Range    *struct {
		Filename string             `json:"filename"`
		Start    struct{ Line int } `json:"start"`
	} `json:"range"`
}

// argumentLine is a line of the configuration that passes a variable on.
var argumentLine = regexp.MustCompile(`"([^"]+)": "\$\{var\.[^}]*\}"`)

// diagnostic says where in the module, and which variable, as its user knows them.
func (m *Module) diagnostic(d diagnosed, configuration []byte) diagnostic.Diagnostic {
	out := diagnostic.Diagnostic{Severity: diagnostic.Warning, Summary: d.Summary, Detail: m.spell(d.Detail)}
	if d.Severity == "error" {
		out.Severity = diagnostic.Error
	}
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
	default:
		out.Summary = fmt.Sprintf("%s:%d: %s", m.spell(d.Range.Filename), d.Range.Start.Line, out.Summary)
	}
	return out
}

// spell has files named as the module's author knows them.
func (m *Module) spell(text string) string {
	modules := m.dir + "/" + dataDir + "/modules/"
	text = strings.ReplaceAll(text, modules+callName+"/", "")
	text = strings.ReplaceAll(text, modules+callName+".", "module.")
	text = strings.ReplaceAll(text, m.dir+"/"+localSource+"/", "")
	return strings.ReplaceAll(text, callAddress, "")
}

var controls = regexp.MustCompile("\x1b\\[[0-9;]*m|[│╷╵]")

// plainText is what the program wrote for a terminal.
func plainText(s string) string {
	return strings.Join(strings.Fields(controls.ReplaceAllString(s, " ")), " ")
}

func (m *Module) shorten(s string) string {
	const most = 1000
	if s = m.spell(s); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func parse(line []byte) (event, bool) {
	var e event
	return e, json.Unmarshal(line, &e) == nil
}
