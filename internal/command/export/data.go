package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// dataSource is a data source that an exported resource, or another data source, refers to.
type dataSource struct {
	key    store.Key
	model  *model.Resource
	name   string
	config translate.Configuration
	// result is status.atProvider.
	result        map[string]any
	takes         []references.Taken
	targets       []store.Key
	provider      *used
	configuration *configuration
}

// readData reads the data sources among targets, and those that they refer to.
func (e *exporter) readData(ctx context.Context, targets []store.Key) error {
	for _, key := range targets {
		p, m := e.model(key)
		if _, known := e.data[key]; known || m == nil || m.Mode != model.Data || key.Name == "" {
			continue
		}
		e.data[key] = nil // ends cycles
		d, reason, err := e.readOne(ctx, key, p, m)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", state.Title(key), err)
		case d == nil:
			e.out.Left = append(e.out.Left, state.Left{Title: state.Title(key), Reason: reason})
			continue
		}
		e.data[key] = d
		if err := e.readData(ctx, d.targets); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads a data source; a reason if it cannot be exported.
func (e *exporter) readOne(
	ctx context.Context, key store.Key, p *RequiredProvider, m *model.Resource,
) (_ *dataSource, reason string, _ error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(m.GroupVersionKind())
	err := e.Client.Get(ctx, namespacedName(key), u)
	if kerrors.IsNotFound(err) {
		return nil, "it does not exist", nil
	}
	if err != nil {
		return nil, "", err
	}
	refs, err := references.Of(u, m)
	if err != nil {
		return nil, err.Error(), nil
	}
	// What cannot be resolved is missing in the configuration.
	_, _ = references.Resolver{Reader: e.Client, Served: e.served}.Resolve(ctx, u, refs)
	forProvider, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")
	config, diags := translate.Config(m, forProvider, nil, e.secretsOf(ctx, key.Namespace))
	if err := diags.Err(); err != nil {
		return nil, strings.TrimSuffix(e.Secrets.Replacer().Replace(err.Error()), "."), nil
	}
	out := &dataSource{key: key, model: m, config: config, takes: references.Unchanged(refs), targets: references.Keys(refs)}
	out.result, _, _ = unstructured.NestedMap(u.Object, "status", "atProvider")
	out.name = unique(identifier(key.Name), func(name string) bool {
		for _, x := range e.data {
			if x != nil && x.model.Type == m.Type && x.name == name {
				return true
			}
		}
		return false
	}, func(string) {})
	out.provider, out.configuration = e.use(p, m.Type, managed.ConfigurationOf(u))
	return out, "", nil
}

// secretsOf reads the Secrets of a namespace. Their values are not shown.
func (e *exporter) secretsOf(ctx context.Context, namespace string) translate.Secrets {
	return func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = namespace
		b, err := providerconfig.ReadSecret(ctx, e.Client, ref)
		if err == nil {
			e.Secrets.Add(b)
		}
		return b, err
	}
}

func (d *dataSource) names() []string { return []string{"data", d.model.Type, d.name} }

// attribute returns the attribute of the result that a path names, and its value; ok is false if
// there is none, or if the path goes on below it.
func (d *dataSource) attribute(path string) (name, value string, ok bool) {
	if path == model.ExternalNamePath {
		path = "status.atProvider.id"
	}
	field := strings.TrimPrefix(path, "status.atProvider.")
	v := d.result[field]
	if field == path || v == nil {
		return "", "", false
	}
	i := slices.IndexFunc(d.model.Root().Object.All, func(f *model.Field) bool { return f.JSONName == field })
	switch v.(type) {
	case string, int64, float64, bool:
		if i >= 0 {
			return d.model.Root().Object.All[i].Name, fmt.Sprint(v), true
		}
	}
	return "", "", false
}

// writeData writes the blocks of all data sources.
func (e *exporter) writeData() []byte {
	f := hclwrite.NewEmptyFile()
	var all []*dataSource
	for _, d := range e.data {
		if d != nil {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *dataSource) int { return slices.Compare(a.names(), b.names()) })
	for i, d := range all {
		if i > 0 {
			f.Body().AppendNewline()
		}
		body := f.Body().AppendNewBlock("data", d.names()[1:]).Body()
		if d.configuration.alias != "" || implied(d.model.Type) != d.provider.name {
			body.SetAttributeRaw("provider", d.provider.expression(d.configuration))
		}
		l := e.links(d.key, d.targets, d.takes)
		w := &writer{variables: &e.variables, prefix: d.name, marked: d.config.SensitivePaths, refer: l.refer}
		w.block(body, d.model.Schema.Block, d.config.Value, nil)
		l.order(body)
	}
	return hclwrite.Format(f.Bytes())
}
