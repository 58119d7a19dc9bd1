package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// reattach is Terraform's environment variable that names providers which run already.
const reattach = "TF_REATTACH_PROVIDERS"

// Attached are providers that run already, by their full addresses.
type Attached map[string]*plugin.Attachment

// Find returns the provider with a source, such as hashicorp/random; nil if it is not attached.
func (a Attached) Find(source string) *plugin.Attachment {
	if len(a) == 0 {
		return nil
	}
	address, err := install.ParseAddress(source)
	if err != nil {
		return nil // a path, or an invalid source that the installer reports
	}
	return a[address.String()]
}

// Attached returns the providers that TF_REATTACH_PROVIDERS names, which is read once: all users of
// one process take turns.
func (f *Flags) Attached() (Attached, error) {
	f.readAttached.Do(func() {
		if f.attached, f.attachedErr = ParseAttached(os.Getenv(reattach)); f.attachedErr != nil {
			f.attachedErr = fmt.Errorf("%s: %w. Set it to what the provider prints when it is started for a "+
				"debugger, or unset it", reattach, f.attachedErr)
		}
	})
	return f.attached, f.attachedErr
}

// process is a value of TF_REATTACH_PROVIDERS. Whether Terraform may end it (Test) makes no
// difference: it is never ended.
type process struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Addr            struct{ Network, String string }
}

// ParseAttached decodes the value of TF_REATTACH_PROVIDERS. Nothing is attached if it is empty.
func ParseAttached(value string) (Attached, error) {
	if value == "" {
		return nil, nil
	}
	var all map[string]process
	if err := json.Unmarshal([]byte(value), &all); err != nil {
		return nil, fmt.Errorf("it is not a JSON object of providers: %w", err)
	}
	out := Attached{}
	for _, source := range slices.Sorted(maps.Keys(all)) {
		address, problem := install.ParseAddress(source)
		if problem != nil {
			problem.Source = source
			return nil, problem
		}
		a, err := all[source].attachment(address.String())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		if out[a.Source] != nil {
			return nil, fmt.Errorf("it has the provider %s twice", a.Source)
		}
		out[a.Source] = a
	}
	return out, nil
}

// attachment returns the process of the provider with a full address.
func (p process) attachment(source string) (*plugin.Attachment, error) {
	a := &plugin.Attachment{Source: source, Protocol: p.ProtocolVersion, Network: p.Addr.Network, Address: p.Addr.String, PID: p.Pid}
	if a.Protocol == 0 {
		a.Protocol = 5 // old SDKs do not tell
	}
	switch {
	case p.Protocol != "grpc":
		return nil, fmt.Errorf("its Protocol is %q, and only grpc can be attached", p.Protocol)
	case a.Protocol != 5 && a.Protocol != 6:
		return nil, fmt.Errorf("its ProtocolVersion is %d, and only 5 and 6 can be attached", a.Protocol)
	case a.Address == "" || strings.ContainsRune(a.Address, 0):
		return nil, errors.New("its Addr.String is no address")
	case a.Network == "unix":
		return a, nil
	case a.Network != "tcp":
		return nil, fmt.Errorf("its Addr.Network is %q, and must be unix or tcp", a.Network)
	}
	if _, port, err := net.SplitHostPort(a.Address); err != nil || port == "" {
		return nil, fmt.Errorf("its Addr.String is %q, and must be HOST:PORT", a.Address)
	}
	return a, nil
}
