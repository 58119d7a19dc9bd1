package module

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// Permission is something that a module may do only if its Source allows it.
type Permission string

// The permissions.
const (
	// Provisioners: provisioner and connection blocks.
	Provisioners Permission = "Provisioners"
	// External: data sources and actions that run programs.
	External Permission = "External"
	// HTTP: the data source http.
	HTTP Permission = "HTTP"
	// RemoteState: the data source terraform_remote_state.
	RemoteState Permission = "RemoteState"
	// ProviderSettings: provider blocks with settings that could send the credentials of a provider
	// configuration elsewhere.
	ProviderSettings Permission = "ProviderSettings"
	// Files: files outside the module's folder, and providers that read or write local files.
	Files Permission = "Files"
)

// Summaries of the errors of Fetch that package terraformmodule tells apart from other errors.
const (
	NotFetched     = "Module cannot be fetched"
	NotAllowed     = "Module is not allowed"
	DigestMismatch = "Module has another digest"
)

// restrictedTypes are the types that need a permission, by mode and name. The providers of local
// files are included because their processes can read and write what the controller can, unless
// they run in a sandbox.
var restrictedTypes = map[string]Permission{
	"data.external": External, "data.local_command": External, "action.local_command": External,
	"data.http": HTTP, "ephemeral.http": HTTP,
	"data.terraform_remote_state": RemoteState,
	"data.local_file":             Files, "data.local_sensitive_file": Files,
	"resource.local_file": Files, "resource.local_sensitive_file": Files,
	"data.archive_file": Files, "resource.archive_file": Files,
	"data.template_file": Files, "resource.template_dir": Files, // templates may call file()
}

var (
	restrictedBlocks = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "resource", LabelNames: []string{"type", "name"}}, {Type: "data", LabelNames: []string{"type", "name"}},
		{Type: "ephemeral", LabelNames: []string{"type", "name"}}, {Type: "action", LabelNames: []string{"type", "name"}},
		{Type: "check", LabelNames: []string{"name"}}, {Type: "removed"},
	}}
	programBlocks = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "provisioner", LabelNames: []string{"type"}}, {Type: "connection"}}}
	localsBlocks  = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "locals"}}}
	checkBlocks   = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "data", LabelNames: []string{"type", "name"}}}}
)

// restrictions checks what one module does.
type restrictions struct {
	allow []Permission
	// dir is the folder of the module, root that of the package that it came in.
	dir, root string
	// module precedes file names, such as "module.network: ".
	module string
	locals map[string]*local
	// hidden are the names of the variables of the for expressions around what is being checked.
	hidden []map[string]struct{}
	diags  diagnostic.Diagnostics
}

// restrict returns an error for everything in a module that needs a permission that is not given.
func restrict(r *restrictions) diagnostic.Diagnostics {
	files, diags := (&reader{dir: r.dir}).files()
	if diags.HasErrors() {
		return diags
	}
	r.readLocals(files)
	for _, f := range files {
		r.blocks(f.Body)
		if body, ok := f.Body.(*hclsyntax.Body); ok {
			r.functions(body, nil)
		} else {
			r.jsonFunctions(f.Bytes, f.Body.MissingItemRange().Filename)
		}
	}
	return r.diags
}

// refuse adds an error unless the permission is given.
func (r *restrictions) refuse(p Permission, at hcl.Range, format string, args ...any) {
	if slices.Contains(r.allow, p) {
		return
	}
	x := diagnostic.Errorf(NotAllowed, "%s%s:%d: %s, or list %s in spec.allow.", r.module, at.Filename, at.Start.Line,
		fmt.Sprintf(format, args...), p)
	r.diags = append(r.diags, x...)
}

// blocks checks the blocks of a file. Errors in them are reported by Read.
func (r *restrictions) blocks(body hcl.Body) {
	content, _, _ := body.PartialContent(restrictedBlocks)
	for _, b := range content.Blocks {
		switch b.Type {
		case "check":
			inner, _, _ := b.Body.PartialContent(checkBlocks)
			for _, data := range inner.Blocks {
				r.object(data)
			}
		case "removed":
			r.programs(b)
		default:
			r.object(b)
			r.programs(b)
		}
	}
}

func (r *restrictions) object(b *hcl.Block) {
	name := b.Type + "." + b.Labels[0]
	switch p := restrictedTypes[name]; p {
	case "":
	case External:
		r.refuse(p, b.DefRange, "%s runs a program beside the controller. Remove it", name)
	case HTTP:
		r.refuse(p, b.DefRange, "%s sends requests from the controller's network. Pass the value as a variable", name)
	case RemoteState:
		r.refuse(p, b.DefRange, "%s reads the state of something else. Pass the value as a variable", name)
	default:
		r.refuse(p, b.DefRange, "%s uses files of the controller. Use the functions of Terraform with \"${path.module}/…\"", name)
	}
}

func (r *restrictions) programs(b *hcl.Block) {
	inner, _, _ := b.Body.PartialContent(programBlocks)
	for _, p := range inner.Blocks {
		r.refuse(Provisioners, p.DefRange, "The block %s is not run. Remove it", strings.Join(append([]string{p.Type}, p.Labels...), " "))
	}
}
