package provider_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

func requested(t *testing.T, values map[string]cty.Value) provider.Said {
	t.Helper()
	v := cty.ObjectVal(values)
	b, err := ctymsgpack.Marshal(v, v.Type())
	if err != nil {
		t.Fatal(err)
	}
	var said provider.Said
	said.AddDynamic(nil, &tfprotov6.DynamicValue{MsgPack: b})
	return said
}

// An error that quotes the request, in whatever way, is no verdict about the provider
// configuration. The same error is one if the request did not contain it.
func TestQuotations(t *testing.T) {
	t.Parallel()
	const words = "Too Many Requests; retry after 900 seconds"
	nested := func(s string) cty.Value {
		return cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"b": cty.TupleVal([]cty.Value{cty.StringVal(s)})})})
	}
	for name, c := range map[string]struct {
		value cty.Value
		error string
	}{
		"as it is": {cty.StringVal(words), "cannot find " + words},
		"nested":   {nested(words), "cannot find " + words},
		"quoted":   {cty.StringVal("a\n" + words + `"b`), "cannot parse " + strconv.Quote("a\n"+words+`"b`)},
		"a part":   {cty.StringVal(words + ",1,2"), fmt.Sprintf("strconv.Atoi: parsing %q: invalid syntax", words)},
		"wrapped": {
			cty.StringVal("some object, Too Many Requests, or other"),
			"cannot find some\nobject, Too Many Requests,\nor other",
		},
		"in capitals":         {cty.StringVal("too many requests"), "cannot find TOO MANY REQUESTS"},
		"decoded from a URL":  {cty.StringVal(url.QueryEscape(words)), "cannot find " + words},
		"decoded from base64": {cty.StringVal(base64.StdEncoding.EncodeToString([]byte(words))), "cannot find " + words},
		"decoded from JSON":   {cty.StringVal(`{"a": ["Too Many\u0020Requests"]}`), "cannot find Too Many Requests"},
		"a name":              {cty.MapVal(map[string]cty.Value{words: cty.StringVal("x")}), "unknown key " + words},
		"a number":            {cty.NumberIntVal(429), "error: 429 is not a size"},
		"the number of an id": {cty.StringVal("429,1,2"), "invalid id, error: 429"},
		"two values": {
			cty.ListVal([]cty.Value{cty.StringVal("Too Many"), cty.StringVal("Requests")}),
			"cannot find Too Many Requests",
		},
		"credentials":            {cty.StringVal("invalid credentials"), `cannot find "invalid credentials"`},
		"an endpoint of its own": {cty.StringVal("dial tcp: connection refused"), "script failed: dial tcp: connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := diagnostic.Errorf("Error", "%s.", c.error)
			verdict := func(said provider.Said) bool {
				_, throttled := provider.Throttled(diags, said)
				trouble, _ := provider.TroubleOf(diags, said)
				return throttled || trouble != ""
			}
			if verdict(requested(t, map[string]cty.Value{"a": c.value, "other": cty.UnknownVal(cty.String)})) {
				t.Error("the quotation is a verdict")
			}
			if !verdict(requested(t, map[string]cty.Value{"a": cty.StringVal("harmless"), "n": cty.NumberIntVal(1)})) {
				t.Error("it is no verdict about another request either")
			}
		})
	}
}

// The words of the cloud count beside a quotation, and a time that is quoted does not.
func TestVerdictBesideQuotation(t *testing.T) {
	t.Parallel()
	said := requested(t, map[string]cty.Value{"id": cty.StringVal("x, retry after 900 seconds")})
	wait, ok := provider.Throttled(diagnostic.Errorf("Error", "reading x, retry after 900 seconds: status code 429"), said)
	if !ok || wait != 0 {
		t.Errorf("got %v, %s", ok, wait)
	}
	wait, ok = provider.Throttled(diagnostic.Errorf("Error",
		"reading x, retry after 900 seconds: 429 Too Many Requests, Retry-After: 7"), said)
	if !ok || wait != 7*time.Second {
		t.Errorf("got %v, %s", ok, wait)
	}
}

// FuzzSaid checks that no request and no error causes a panic.
func FuzzSaid(f *testing.F) {
	f.Add([]byte{0x81, 0xa1, 'a', 0xa1, 'b'}, "%7b&amp;", "429 Too Many Requests")
	f.Fuzz(func(_ *testing.T, request []byte, text, words string) {
		var said provider.Said
		said.AddText(text)
		said.AddDynamic(&tfprotov6.DynamicValue{MsgPack: request})
		_, _ = provider.Throttled(diagnostic.Errorf("Error", "%s", words), said)
		_, _ = provider.TroubleOf(diagnostic.Errorf("Error", "%s 401 Unauthorized", words), said)
	})
}
