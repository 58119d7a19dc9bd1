package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// maxReferences is the maximum number of spec.references.
const maxReferences = 32

// maxReferencePath is the maximum length of the path of a field in spec.references.
const maxReferencePath = 256

// Block is the resource block of an instance in a state.
type Block struct {
	// Address is the address of the instance's block, with the keys of its modules.
	Address string
	// Dependencies are the addresses of the blocks that it depends on, directly or not. They have
	// no keys.
	Dependencies []string
}

var instanceKey = regexp.MustCompile(`\["(?:[^"\\]|\\.)*"\]|\[\d+\]`)

// withoutKeys returns an address without the keys of modules, as dependencies have it.
func withoutKeys(address string) string { return instanceKey.ReplaceAllString(address, "") }

// sameModules reports whether the modules that two addresses have in common are the same instances.
// Resources cannot depend on those of another instance of their module.
func sameModules(a, b string) bool {
	x, y := moduleCalls(a), moduleCalls(b)
	for i := range min(len(x), len(y)) {
		if withoutKeys(x[i]) != withoutKeys(y[i]) {
			return true
		}
		if x[i] != y[i] {
			return false
		}
	}
	return true
}

var moduleCall = regexp.MustCompile(`^module\.[^.\[]+(?:\["(?:[^"\\]|\\.)*"\]|\[\d+\])?\.`)

func moduleCalls(address string) []string {
	var out []string
	for {
		call := moduleCall.FindString(address)
		if call == "" {
			return out
		}
		out, address = append(out, call), address[len(call):]
	}
}

// node is a resource of a state.
type node struct {
	item     int // its number
	resource *model.Resource
	block    Block
	// values identify its object.
	values   []IdentifyingValue
	manifest Manifest
}

// blocks returns the nodes by the addresses of their blocks, without keys.
func blocks(nodes []*node) map[string][]int {
	out := map[string][]int{}
	for i, n := range nodes {
		address := withoutKeys(n.block.Address)
		out[address] = append(out[address], i)
	}
	return out
}

// dependencies adds the references of a resource to those that it depends on: spec.references where
// a field has a value that identifies the other object, and the annotation destroy-before for the
// others.
func dependencies(of int, nodes []*node, blocks map[string][]int) {
	n := nodes[of]
	targets := map[string][]int{} // by the address of the block
	for _, address := range n.block.Dependencies {
		for _, i := range blocks[address] {
			if i != of && sameModules(n.block.Address, nodes[i].block.Address) && !slices.Contains(targets[address], i) {
				targets[address] = append(targets[address], i)
			}
		}
	}
	if len(targets) == 0 {
		return
	}
	values := map[string]identified{}
	for _, address := range sortedKeys(targets) {
		for _, i := range targets[address] {
			for _, v := range nodes[i].values {
				if known, ok := values[v.Value]; !ok || v.Chosen && !known.Chosen {
					values[v.Value] = identified{v, address, i}
				}
			}
		}
	}
	u := n.manifest.Resource
	spec := u.Object["spec"].(map[string]any)
	linked := map[string]bool{}
	var references []any
	walk(spec["forProvider"], nil, func(path fieldpath.Segments, value string, number bool) {
		x, ok := values[value]
		if !ok || len(references) == maxReferences || !x.mayBe(path) || number && !isID(path) {
			return
		}
		to := path.String()
		if n.resource.CheckInputPath(to) != nil || len("forProvider."+to) > maxReferencePath {
			return
		}
		linked[x.address] = true
		from := source(nodes[x.node].manifest, u.GetAPIVersion())
		from["fieldPath"] = "status.atProvider." + x.Field
		if number {
			from["transform"] = "int(self)" // ids are texts
		}
		references = append(references, map[string]any{"to": "forProvider." + to, "from": from})
	})
	if len(references) > 0 {
		spec["references"] = references
	}
	if order := ordered(targets, linked, nodes, u.GetAPIVersion()); len(order) > 0 {
		annotations := u.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[v1alpha1.AnnotationDestroyBefore] = strings.Join(order, ",")
		u.SetAnnotations(annotations)
	}
}

// ordered returns the resources without a reference for the annotation destroy-before: those of
// blocks that no other dependency depends on.
func ordered(targets map[string][]int, linked map[string]bool, nodes []*node, apiVersion string) []string {
	var out []string
	for _, address := range sortedKeys(targets) {
		implied := linked[address]
		for other, of := range targets {
			implied = implied || other != address && slices.Contains(nodes[of[0]].block.Dependencies, address)
		}
		if implied {
			continue
		}
		for _, i := range targets[address] {
			u := nodes[i].manifest.Resource
			name := u.GetKind() + "/" + u.GetName()
			if u.GetAPIVersion() != apiVersion {
				name = u.GetAPIVersion() + "/" + name
			}
			out = append(out, name)
		}
	}
	return out
}

// source returns the source of a reference, without the path of a field.
func source(target Manifest, apiVersion string) map[string]any {
	out := map[string]any{"kind": target.Resource.GetKind(), "name": target.Resource.GetName()}
	if v := target.Resource.GetAPIVersion(); v != apiVersion {
		out["apiVersion"] = v
	}
	return out
}

// identified is a value that identifies the object of a node.
type identified struct {
	IdentifyingValue
	address string
	node    int
}

// mayBe reports whether a field may have been set to the value. Names that users have chosen occur
// elsewhere by chance, so the field has to be called after the other one.
func (v identified) mayBe(path fieldpath.Segments) bool {
	if v.Chosen {
		return true
	}
	name := lastField(path)
	return len(name) > len(v.Field) && strings.HasSuffix(strings.ToLower(name), strings.ToLower(v.Field))
}

// isID reports whether a field is called after an id, such as networkId or sshKeyIds. Other numbers
// equal an id by chance.
func isID(path fieldpath.Segments) bool {
	return strings.HasSuffix(strings.TrimSuffix(lastField(path), "s"), "Id")
}

// lastField returns the name of the field that a path leads to, also of one in a list.
func lastField(path fieldpath.Segments) string {
	for _, s := range slices.Backward(path) {
		if s.Type == fieldpath.SegmentField {
			return s.Field
		}
	}
	return ""
}

// IdentifyingValue is a value by which other objects refer to an object.
type IdentifyingValue struct {
	// Attribute is its name, Field that below status.atProvider.
	Attribute, Field, Value string
	// Chosen is set if the provider has chosen the value, and not the configuration.
	Chosen bool
}

var identifyingName = regexp.MustCompile(`(^|_)(id|uid|uuid|arn|urn|self_link|fqdn|hex|result)$`)

// Identifying returns the values by which other objects refer to an object, with its state and
// configuration.
func Identifying(r *model.Resource, state, config cty.Value) []IdentifyingValue {
	if state == cty.NilVal || state.IsNull() {
		return nil
	}
	var out []IdentifyingValue
	for _, f := range r.Root().Object.All {
		if f.Type.Kind != model.String || !f.Observed || f.Secret() {
			continue
		}
		v, _ := state.GetAttr(f.Name).Unmark()
		if v.IsNull() || !v.IsKnown() || v.AsString() == "" {
			continue
		}
		chosen := config == cty.NilVal || config.IsNull() || config.GetAttr(f.Name).IsNull()
		required := false
		if r.Schema.Identity != nil {
			a := r.Schema.Identity.Attributes[f.Name]
			required = a != nil && a.RequiredForImport
		}
		if identifyingName.MatchString(f.Name) || required || f.Name == "name" {
			out = append(out, IdentifyingValue{Attribute: f.Name, Field: f.JSONName, Value: v.AsString(), Chosen: chosen})
		}
	}
	return out
}

// walk calls f for each text and each whole number in spec.forProvider, sorted by path, except in
// references to Secrets.
func walk(in any, path fieldpath.Segments, f func(path fieldpath.Segments, value string, number bool)) {
	switch in := in.(type) {
	case string:
		f(path, in, false)
	case int64:
		f(path, strconv.FormatInt(in, 10), true)
	case map[string]any:
		for _, key := range sortedKeys(in) {
			if !strings.HasSuffix(key, "SecretRef") {
				walk(in[key], append(slices.Clone(path), fieldpath.Field(key)), f)
			}
		}
	case []any:
		for i, x := range in {
			walk(x, append(slices.Clone(path), fieldpath.FieldOrIndex(strconv.Itoa(i))), f)
		}
	}
}
