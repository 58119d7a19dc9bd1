package conformance_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/conformance"
)

var update = flag.Bool("update", false, "write the golden files, from what the plugin way does")

// runners run the programs for all tests.
var runners = map[conformance.Way]*cli.Runner{}

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if err := conformance.Quiet(); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "lb-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	defer func() {
		if left, more := leftBehind(dir); more != nil || len(left) > 0 {
			err, code = errors.Join(err, more, fmt.Errorf("workspaces are left behind: %q", left)), 1
		}
		for _, runner := range runners {
			if more := runner.Close(); err == nil && more != nil {
				err, code = more, 1
			}
		}
	}()
	for way, target := range map[conformance.Way]testbin.Target{
		conformance.OpenTofu: testbin.OpenTofu, conformance.Terraform: testbin.Terraform,
	} {
		path, err := testbin.Build(ctx, target)
		if err != nil {
			return 1, err
		}
		program, err := commandline.Find(ctx, path)
		if err != nil {
			return 1, err
		}
		if runners[way], err = cli.New(commandline.Options{Program: program, Dir: dir}); err != nil {
			return 1, err
		}
	}
	code = m.Run()
	if everyone.stop != nil {
		err = everyone.stop()
	}
	return code, err
}
