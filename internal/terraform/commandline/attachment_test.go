package commandline_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

type stoppable struct {
	provider.Server
	stopped bool
}

func (s *stoppable) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.stopped = true
	return &tfprotov6.StopProviderResponse{}, nil
}

// TestAttachmentIsQuiet checks that calls are not logged, unless the user asks for it, and that the
// environment of the process is not changed. It does so in a process of its own.
func TestAttachmentIsQuiet(t *testing.T) {
	t.Parallel()
	if os.Getenv("ATTACH") != "" {
		call(t)
		return
	}
	for name, test := range map[string]struct {
		env  string
		want bool
	}{
		"by default": {"ATTACH=1", false},
		"TF_LOG_SDK": {"TF_LOG_SDK_PROTO=TRACE", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestAttachmentIsQuiet$")
			cmd.Env = []string{"ATTACH=1", "PATH=" + os.Getenv("PATH"), test.env}
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if out, err := cmd.Output(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got := strings.Contains(stderr.String(), "Received request"); got != test.want {
				t.Errorf("logged: %t, want %t: %s", got, test.want, &stderr)
			}
			if !test.want && stderr.Len() > 0 {
				t.Errorf("got %q", &stderr)
			}
		})
	}
}

// call attaches a provider and calls it.
func call(t *testing.T) {
	_, d := open(t, commandline.Options{}, "exit 0")
	before := strings.Join(os.Environ(), "\n")
	s := &stoppable{}
	if err := d.Attach("registry.terraform.io/hashicorp/random", s); err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("unix:"+d.Path("pa"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Invoke(t.Context(), "/tfplugin6.Provider/StopProvider", &emptypb.Empty{}, &emptypb.Empty{}); err != nil || !s.stopped {
		t.Errorf("called: %t, %v", s.stopped, err)
	}
	if after := strings.Join(os.Environ(), "\n"); after != before {
		t.Errorf("the environment has changed: %s", after)
	}
}
