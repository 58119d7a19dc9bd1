package sources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

const (
	onUnix = `{"Protocol":"grpc","ProtocolVersion":6,"Pid":4711,"Test":true,"Addr":{"Network":"unix","String":"/tmp/plugin4711"}}`
	onTCP  = `{"Protocol":"grpc","Pid":4712,"Test":true,"Addr":{"Network":"tcp","String":"127.0.0.1:4712"}}`
)

func TestAttached(t *testing.T) {
	unix := func(source string) *plugin.Attachment {
		return &plugin.Attachment{Source: source, Protocol: 6, Network: "unix", Address: "/tmp/plugin4711", PID: 4711}
	}
	const acme, random = "registry.terraform.io/acme/cloud", "registry.terraform.io/hashicorp/random"
	for name, test := range map[string]struct {
		value string
		want  sources.Attached
		err   string
	}{
		"nothing":      {},
		"no provider":  {value: `{}`, want: sources.Attached{}},
		"null":         {value: `null`, want: sources.Attached{}},
		"full address": {value: `{"registry.terraform.io/acme/cloud":` + onUnix + `}`, want: sources.Attached{acme: unix(acme)}},
		"no host":      {value: `{"acme/cloud":` + onUnix + `}`, want: sources.Attached{acme: unix(acme)}},
		"no namespace": {value: `{"random":` + onUnix + `}`, want: sources.Attached{random: unix(random)}},
		"capitals":     {value: `{"Acme/Cloud":` + onUnix + `}`, want: sources.Attached{acme: unix(acme)}},
		"two providers": {
			value: `{"acme/cloud":` + onUnix + `,"hashicorp/random":` + onTCP + `}`,
			want: sources.Attached{
				acme: unix(acme), random: {
					Source: random, Protocol: 5, Network: "tcp", Address: "127.0.0.1:4712", PID: 4712,
				},
			},
		},

		"no JSON":             {value: `random=123`, err: "it is not a JSON object of providers"},
		"a list":              {value: `[]`, err: "it is not a JSON object of providers"},
		"more than an object": {value: `{} {}`, err: "it is not a JSON object of providers"},
		"no address":          {value: `{"a/b/c/d":` + onUnix + `}`, err: "provider a/b/c/d: it is no provider source"},
		"the same provider twice": {
			value: `{"random":` + onUnix + `,"hashicorp/random":` + onTCP + `}`,
			err:   "it has the provider registry.terraform.io/hashicorp/random twice",
		},
		"nothing of a provider": {value: `{"random":null}`, err: `random: its Protocol is "", and only grpc can be attached`},
		"net/rpc": {
			value: `{"random":{"Protocol":"netrpc","Addr":{"Network":"unix","String":"/tmp/x"}}}`,
			err:   `random: its Protocol is "netrpc", and only grpc can be attached`,
		},
		"protocol 4": {
			value: `{"random":{"Protocol":"grpc","ProtocolVersion":4,"Addr":{"Network":"unix","String":"/tmp/x"}}}`,
			err:   "random: its ProtocolVersion is 4, and only 5 and 6 can be attached",
		},
		"no socket": {value: `{"random":{"Protocol":"grpc"}}`, err: "random: its Addr.String is no address"},
		"another network": {
			value: `{"random":{"Protocol":"grpc","Addr":{"Network":"udp","String":"127.0.0.1:1"}}}`,
			err:   `random: its Addr.Network is "udp", and must be unix or tcp`,
		},
		"no port": {
			value: `{"random":{"Protocol":"grpc","Addr":{"Network":"tcp","String":"127.0.0.1"}}}`,
			err:   `random: its Addr.String is "127.0.0.1", and must be HOST:PORT`,
		},
		"an address as text": {value: `{"random":{"Protocol":"grpc","Addr":"/tmp/x"}}`, err: "it is not a JSON object of providers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TF_REATTACH_PROVIDERS", test.value)
			var flags sources.Flags
			got, err := flags.Attached()
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), "TF_REATTACH_PROVIDERS: "+test.err) || !strings.HasSuffix(err.Error(), "or unset it") {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreUnexported(plugin.Attachment{})); err != nil || diff != "" {
				t.Errorf("%v; -want, +got:\n%s", err, diff)
			}
			for source, a := range got {
				if again, err := flags.Attached(); again.Find(source) != a || err != nil {
					t.Errorf("%s is another one the next time: %v", source, err)
				}
			}
		})
	}
}

func TestFindAttached(t *testing.T) {
	all, err := sources.ParseAttached(`{"random":` + onUnix + `,"example.com/acme/cloud":` + onTCP + `}`)
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]bool{
		"random": true, "hashicorp/random": true, "registry.terraform.io/hashicorp/random": true, "example.com/acme/cloud": true,
		"acme/cloud": false, "hashicorp/cloud": false, "registry.opentofu.org/hashicorp/random": false,
		"./terraform-provider-random": false, "/usr/bin/terraform-provider-random": false, "": false, "\xff": false,
	} {
		if got := all.Find(source) != nil; got != want {
			t.Errorf("%s: attached is %t", source, got)
		}
	}
	if sources.Attached(nil).Find("random") != nil {
		t.Error("something is attached by nothing")
	}
}

func FuzzParseAttached(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"random":` + onUnix + `}`, `{"example.com/acme/cloud":` + onTCP + `,"a/b":null}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		all, err := sources.ParseAttached(value)
		if err != nil && all != nil {
			t.Errorf("there are providers beside the error %v", err)
		}
		for source, a := range all {
			if a.Source != source || all.Find(source) != a || a.Protocol != 5 && a.Protocol != 6 || a.Address == "" || a.Key() == "" {
				t.Errorf("%q: %s", source, a)
			}
		}
	})
}
