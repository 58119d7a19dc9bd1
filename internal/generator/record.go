package generator

import (
	"bytes"
	"go/format"
	"text/template"

	"github.com/landbridge-io/landbridge/schema"
)

// addRecord adds a file with the version and checksum of the schema that the kinds are made from.
func (o *Output) addRecord(r *schema.Record) error {
	sum, err := r.Schema.Sum()
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := recordTemplate.Execute(&body, struct{ Header, Version, Sum string }{header, r.Version, sum}); err != nil {
		return err
	}
	o.Files["config/zz_provider.go"], err = format.Source(body.Bytes())
	return err
}

var recordTemplate = template.Must(template.New("record").Parse(`{{.Header}}

package config

const (
	// ProviderVersion is the version of the provider whose schema the kinds are made of.
	ProviderVersion = {{printf "%q" .Version}}
	// SchemaSum is the checksum of that schema.
	SchemaSum = "{{.Sum}}"
)
`))
