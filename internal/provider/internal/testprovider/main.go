package testprovider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc"
)

const (
	modeVariable   = "LANDBRIDGE_TESTPROVIDER"
	recordVariable = "LANDBRIDGE_TESTPROVIDER_RECORD"
)

// Address is that of the provider.
const Address = "registry.terraform.io/landbridge/test"

// Modes of the provider. Each has protocol 6 unless stated otherwise.
const (
	// Good has a small schema and behaves as the request's TypeName demands; see Behave.
	Good = "good"
	// Good5 is Good in protocol 5, Both serves both protocols.
	Good5 = "good5"
	Both  = "both"
	// Debugged and Debugged5 are Good and Good5, started for a debugger: the process prints how to
	// attach it.
	Debugged  = "debugged"
	Debugged5 = "debugged5"
	// Walk and Walk5 answer every call with values of Fill.
	Walk  = "walk"
	Walk5 = "walk5"
	// Bare and Bare5 implement no optional calls.
	Bare  = "bare"
	Bare5 = "bare5"
	// AlwaysAsk does not have get_provider_schema_optional.
	AlwaysAsk = "alwaysask"
	// BigSchema answers with a schema of 20 MiB.
	BigSchema = "bigschema"
	// HugeSchema answers with a schema of 100 MiB.
	HugeSchema = "hugeschema"
	// InvalidSchema has a schema that violates Terraform's rules.
	InvalidSchema = "invalidschema"
	// Protocol4 announces protocol 4.
	Protocol4 = "protocol4"
	// Rubbish prints something other than a handshake, LongRubbish a megabyte without a line end.
	Rubbish     = "rubbish"
	LongRubbish = "longrubbish"
	// NetRPC announces a protocol that is not gRPC.
	NetRPC = "netrpc"
	// Exit writes to stderr and ends at once.
	Exit = "exit"
	// Hang prints nothing; HangAfterHandshake announces a socket and never answers on it.
	Hang               = "hang"
	HangAfterHandshake = "hangafterhandshake"
	// Chatty prints 2 MiB to its real stdout in its first ReadResource, including one line of 200
	// KiB, and answers only after they have been read.
	Chatty = "chatty"
	// SlowStart takes 3 seconds to start.
	SlowStart = "slowstart"
	// Late delays the arrival of each ReadResource by half a second.
	Late = "late"
	// Flood writes 4 MiB of log lines.
	Flood = "flood"
	// Stubborn ignores the request to shut down, and starts a child that keeps its stderr open.
	Stubborn = "stubborn"
)

// Env returns the environment that makes a test binary that calls Main this provider. record is a
// file for Records, or "".
func Env(mode, record string) map[string]string {
	return map[string]string{modeVariable: mode, recordVariable: record}
}

// Records reads the requests that a provider recorded.
func Records(file string) ([]Record, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Record
	for line := range bytes.Lines(data) {
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Main runs the provider and exits, if this process was started with the environment of Env.
func Main() {
	mode := os.Getenv(modeVariable)
	if mode == "" {
		return
	}
	if err := run(mode, os.Getenv(recordVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(mode, record string) error {
	core := &Core{Protocol: 6, File: record, Schema: Schema(), Behave: Behave}
	var server tfprotov6.ProviderServer = Server{core}
	switch mode {
	case Good:
	case Good5:
		core.Protocol = 5
	case Debugged:
		return tf6server.Serve(Address, func() tfprotov6.ProviderServer { return server },
			tf6server.WithManagedDebug(), tf6server.WithManagedDebugReattachConfigTimeout(time.Minute))
	case Debugged5:
		core.Protocol = 5
		return tf5server.Serve(Address, func() tfprotov5.ProviderServer { return New5(core) },
			tf5server.WithManagedDebug(), tf5server.WithManagedDebugReattachConfigTimeout(time.Minute))
	case Both:
		return serve(map[int]goplugin.Plugin{5: plugin5(New5(core)), 6: plugin6(server)})
	case Walk, Walk5:
		core.Schema, core.Behave = nil, nil
		if mode == Walk5 {
			core.Protocol = 5
		}
	case Bare, Bare5:
		core.Schema, core.Behave = nil, nil
		if mode == Bare5 {
			core.Protocol = 5
			return serve(map[int]goplugin.Plugin{5: plugin5(Core5{core})})
		}
		server = core
	case AlwaysAsk:
		core.Schema.ServerCapabilities.GetProviderSchemaOptional = false
	case BigSchema:
		core.Schema.Provider.Block.Description = strings.Repeat("0123456789abcdef", 20<<20/16)
	case HugeSchema:
		core.Schema.Provider.Block.Description = strings.Repeat("0123456789abcdef", 100<<20/16)
	case InvalidSchema:
		core.Schema.Provider.Block.Attributes[0].Optional = false
	case Protocol4:
		return serve(map[int]goplugin.Plugin{4: plugin6(server)})
	case Rubbish:
		fmt.Println("Hello! This is no provider.")
		time.Sleep(time.Minute)
	case LongRubbish:
		fmt.Print(strings.Repeat("x", 1<<20))
		time.Sleep(time.Minute)
	case NetRPC:
		fmt.Println("1|5|tcp|127.0.0.1:1|netrpc")
		time.Sleep(time.Minute)
	case Exit:
		fmt.Fprintln(os.Stderr, "cannot start: the moon is full")
		os.Exit(3)
	case Hang:
		time.Sleep(time.Hour)
	case HangAfterHandshake:
		return hangAfterHandshake()
	case Chatty:
		stdout := os.Stdout // go-plugin replaces it
		var once sync.Once
		core.Behave = func(ctx context.Context, method string, request any) (any, error) {
			if method == "ReadResource" {
				once.Do(func() {
					fmt.Fprintln(stdout, strings.Repeat("y", 200<<10))
					for range 2 << 10 {
						fmt.Fprintln(stdout, strings.Repeat("z", 1023))
					}
				})
			}
			return Behave(ctx, method, request)
		}
	case SlowStart:
		time.Sleep(3 * time.Second)
	case Late:
		return serve(map[int]goplugin.Plugin{6: plugin6(server)}, grpc.UnaryInterceptor(
			func(ctx context.Context, r any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
				if strings.HasSuffix(info.FullMethod, "/ReadResource") {
					core.record("sent", nil)
					time.Sleep(500 * time.Millisecond)
				}
				return handler(ctx, r)
			}))
	case Flood:
		for i := range 20000 {
			fmt.Fprintf(os.Stderr, `{"@level":"trace","@message":"noise","@module":"flood","n":%d,"padding":%q}`+"\n", i, strings.Repeat("n", 150))
		}
	case Stubborn:
		child := exec.Command("sleep", "3600")
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			return err
		}
		if err := serve(map[int]goplugin.Plugin{6: plugin6(server)}); err != nil {
			return err
		}
		time.Sleep(time.Hour)
	default:
		return fmt.Errorf("testprovider: unknown mode %q", mode)
	}
	if core.Protocol == 5 {
		return serve(map[int]goplugin.Plugin{5: plugin5(New5(core))})
	}
	return serve(map[int]goplugin.Plugin{6: plugin6(server)})
}

func plugin6(server tfprotov6.ProviderServer) goplugin.Plugin {
	return &tf6server.GRPCProviderPlugin{Name: Address, GRPCProvider: func() tfprotov6.ProviderServer { return server }}
}

func plugin5(server tfprotov5.ProviderServer) goplugin.Plugin {
	return &tf5server.GRPCProviderPlugin{Name: Address, GRPCProvider: func() tfprotov5.ProviderServer { return server }}
}

func serve(plugins map[int]goplugin.Plugin, more ...grpc.ServerOption) error {
	versioned := map[int]goplugin.PluginSet{}
	for protocol, p := range plugins {
		versioned[protocol] = goplugin.PluginSet{"provider": p}
	}
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: goplugin.HandshakeConfig{
			MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
		},
		VersionedPlugins: versioned,
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(append(opts, more...), grpc.MaxRecvMsgSize(256<<20), grpc.MaxSendMsgSize(256<<20))...)
		},
	})
	return nil
}

// Schema returns the schema of Good: one resource type, test_thing, and a configuration with a
// token.
func Schema() *tfprotov6.GetProviderSchemaResponse {
	return &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: &tfprotov6.ServerCapabilities{GetProviderSchemaOptional: true, PlanDestroy: true},
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "behave", Type: tftypes.String, Optional: true},
			{Name: "token", Type: tftypes.String, Optional: true, Sensitive: true},
		}}},
		ResourceSchemas: map[string]*tfprotov6.Schema{
			"test_thing": {Version: 1, Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
				{Name: "id", Type: tftypes.String, Computed: true},
				{Name: "name", Type: tftypes.String, Required: true},
			}}},
		},
	}
}

// ConfigType is the type of Good's configuration.
var ConfigType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"behave": tftypes.String, "token": tftypes.String}}

// Behave is the behaviour of Good. In ReadResource it depends on the type name: "crash" panics,
// "exit" ends the process, "wait" waits until the call is cancelled and reports that in the answer,
// "say:TEXT" logs TEXT, "flood:N" logs N errors, "sleep" answers after two seconds, "stuck" never
// answers, "grow" allocates ever more memory and never answers, "refuse:TEXT" answers with the
// error TEXT, "pid" with the process id, "attack:TEXT" tries something hostile, see attack, "leak"
// keeps a megabyte, "absent" answers without a state, "echo" with the state of the request, "ext99"
// with an unknown msgpack extension. In ConfigureProvider and ValidateProviderConfig it depends on
// the attribute "behave": "invalid" is rejected, "fail" fails, "crash" crashes.
func Behave(ctx context.Context, method string, request any) (any, error) {
	switch r := request.(type) {
	case *tfprotov6.GetResourceIdentitySchemasRequest:
		return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
	case *tfprotov6.ValidateProviderConfigRequest:
		if behaviour(r.Config) == "invalid" {
			return &tfprotov6.ValidateProviderConfigResponse{Diagnostics: refuse("Invalid behave")}, nil
		}
		return &tfprotov6.ValidateProviderConfigResponse{}, nil
	case *tfprotov6.ConfigureProviderRequest:
		switch behaviour(r.Config) {
		case "fail":
			return &tfprotov6.ConfigureProviderResponse{Diagnostics: refuse("Failed to log in")}, nil
		case "crash":
			panic("crashed in ConfigureProvider")
		}
		return &tfprotov6.ConfigureProviderResponse{}, nil
	case *tfprotov6.ReadResourceRequest:
		return read(ctx, r)
	}
	return nil, nil
}

var (
	kept [][]byte
	// stdout and stderr are those of the process, which go-plugin replaces.
	stdout, stderr = os.Stdout, os.Stderr
)

func read(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	switch {
	case r.TypeName == "crash":
		panic("crashed in ReadResource")
	case r.TypeName == "exit":
		os.Exit(7)
	case r.TypeName == "wait":
		<-ctx.Done()
		return &tfprotov6.ReadResourceResponse{NewState: text("cancelled")}, nil
	case strings.HasPrefix(r.TypeName, "say:"):
		fmt.Fprintln(os.Stderr, strings.TrimPrefix(r.TypeName, "say:"))
	case strings.HasPrefix(r.TypeName, "attack:"):
		return &tfprotov6.ReadResourceResponse{NewState: text(attack(strings.TrimPrefix(r.TypeName, "attack:")))}, nil
	case strings.HasPrefix(r.TypeName, "flood:"):
		n, err := strconv.Atoi(strings.TrimPrefix(r.TypeName, "flood:"))
		if err != nil {
			return nil, err
		}
		for i := range n {
			fmt.Fprintf(stderr, `{"@level":"error","@message":"noise","@module":"flood","n":%d,"padding":%q}`+"\n", i, strings.Repeat("n", 150))
		}
	case r.TypeName == "sleep":
		time.Sleep(2 * time.Second)
		return &tfprotov6.ReadResourceResponse{NewState: text("slept")}, nil
	case r.TypeName == "stuck":
		select {}
	case r.TypeName == "grow":
		for range 1 << 10 { // a gigabyte, to spare the machine if the process is not ended
			kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
			time.Sleep(20 * time.Millisecond)
		}
		select {}
	case strings.HasPrefix(r.TypeName, "refuse:"):
		return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Diagnostics: []*tfprotov6.Diagnostic{
			{Severity: tfprotov6.DiagnosticSeverityError, Summary: strings.TrimPrefix(r.TypeName, "refuse:")},
		}}, nil
	case r.TypeName == "pid":
		return &tfprotov6.ReadResourceResponse{NewState: text(fmt.Sprint(os.Getpid()))}, nil
	case r.TypeName == "leak":
		kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
	case r.TypeName == "absent":
		return &tfprotov6.ReadResourceResponse{}, nil
	case r.TypeName == "ext99":
		return &tfprotov6.ReadResourceResponse{NewState: &tfprotov6.DynamicValue{MsgPack: []byte{0xd4, 99, 0}}}, nil
	}
	return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private, NewIdentity: r.CurrentIdentity}, nil
}

func text(s string) *tfprotov6.DynamicValue {
	v, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, s))
	if err != nil {
		panic(err)
	}
	return &v
}

func refuse(summary string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{
		Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: "It was asked to.",
		Attribute: tftypes.NewAttributePath().WithAttributeName("behave"),
	}}
}

func behaviour(config *tfprotov6.DynamicValue) string {
	v, err := config.Unmarshal(ConfigType)
	if err != nil {
		panic(err)
	}
	var fields map[string]tftypes.Value
	if err := v.As(&fields); err != nil {
		panic(err)
	}
	var s *string
	if err := fields["behave"].As(&s); err != nil {
		panic(err)
	}
	if s == nil {
		return ""
	}
	return *s
}
