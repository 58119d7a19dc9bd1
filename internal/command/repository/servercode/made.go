package servercode

import (
	"fmt"
	"go/types"
)

// The packages whose types and functions providers are made with.
const (
	framework       = "github.com/hashicorp/terraform-plugin-framework/provider"
	frameworkServer = "github.com/hashicorp/terraform-plugin-framework/providerserver"
	legacySchema    = "github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	legacyServer    = "github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
	protocol        = "github.com/hashicorp/terraform-plugin-go/tfprotov%d"
	protocolServer  = "github.com/hashicorp/terraform-plugin-go/tfprotov%d/tf%[1]dserver"
	mux             = "github.com/hashicorp/terraform-plugin-mux/tf%dmuxserver"
	lift            = "github.com/hashicorp/terraform-plugin-mux/tf5to6server"
)

// kind is what a function makes.
type kind int

const (
	nothing           kind = iota
	frameworkProvider      // a provider.Provider of the plugin framework
	legacyProvider         // a *schema.Provider of the legacy SDK
	server5                // a tfprotov5.ProviderServer
	server6                // a tfprotov6.ProviderServer
)

// kinds returns the types of what functions make. A type is missing if nothing of the provider
// knows it.
func (p *Packages) kinds() map[kind]types.Type {
	out := map[kind]types.Type{}
	for k, t := range map[kind]types.Type{
		frameworkProvider: p.lookup(framework, "Provider"),
		legacyProvider:    p.lookup(legacySchema, "Provider"),
		server5:           p.lookup(fmt.Sprintf(protocol, 5), "ProviderServer"),
		server6:           p.lookup(fmt.Sprintf(protocol, 6), "ProviderServer"),
	} {
		if t != nil && k == legacyProvider {
			t = types.NewPointer(t)
		}
		if t != nil {
			out[k] = t
		}
	}
	return out
}

// kindOf returns which kind a type is, and whether it is a function that makes one.
func (p *Packages) kindOf(t types.Type) (k kind, function bool) {
	if f, ok := t.Underlying().(*types.Signature); ok {
		if f.Params().Len() != 0 || f.Results().Len() != 1 {
			return nothing, false
		}
		t, function = f.Results().At(0).Type(), true
	}
	for k, want := range p.kinds() {
		if types.AssignableTo(t, want) {
			return k, function
		}
	}
	return nothing, false
}

// factory returns an expression for a function that makes servers, of an expression of a kind.
func (f *file) factory(expression string, k kind, function bool) (factory string, err error) {
	made := expression
	if function && (k == frameworkProvider || k == legacyProvider) {
		made += "()"
	}
	var speaks int
	switch k {
	case frameworkProvider:
		return fmt.Sprintf("%s.NewProtocol%d(%s)", f.use(frameworkServer, "providerserver"), f.protocol, made), nil
	case legacyProvider:
		factory, speaks = made+".GRPCProvider", 5
	case server5, server6:
		if speaks = 5; k == server6 {
			speaks = 6
		}
		if factory = made; !function {
			factory = fmt.Sprintf("func() %s.ProviderServer { return %s }",
				f.use(fmt.Sprintf(protocol, speaks), fmt.Sprintf("tfprotov%d", speaks)), made)
		}
	default:
		return "", fmt.Errorf("it makes no server of a provider")
	}
	switch {
	case speaks > f.protocol:
		return "", fmt.Errorf("it makes servers of protocol %d, but the provider's program speaks protocol %d", speaks, f.protocol)
	case speaks < f.protocol:
		f.lifts++
		name := fmt.Sprintf("lifted%d", f.lifts)
		f.statements = append(f.statements,
			fmt.Sprintf("%s, err := %s.UpgradeServer(%s.Background(), %s)", name, f.use(lift, "tf5to6server"),
				f.use("context", "context"), factory), check)
		factory = fmt.Sprintf("func() %s.ProviderServer { return %s }", f.use(fmt.Sprintf(protocol, 6), "tfprotov6"), name)
	}
	return factory, nil
}

// check returns an error of the statement before.
const check = "if err != nil { return nil, err }"
