package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir := flag.String("protocol", "", "directory with Terraform's tfplugin5.proto and tfplugin6.proto")
	flag.Parse()
	missing, err := run(ctx, *dir, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
	}
	if err != nil || missing > 0 {
		os.Exit(1)
	}
}

// run compares both protocols, prints what is missing and returns the number of it.
func run(ctx context.Context, dir string, out io.Writer) (missing int, _ error) {
	if dir == "" {
		return 0, errors.New("name the directory with Terraform's tfplugin5.proto and tfplugin6.proto: make contract-drift TERRAFORM=CHECKOUT")
	}
	var calls, messages int
	for _, protocol := range []int{5, 6} {
		service, err := read(ctx, dir, fmt.Sprintf("tfplugin%d.proto", protocol))
		if err != nil {
			return 0, err
		}
		c := comparison{protocol: protocol, seen: map[pair]bool{}}
		c.service(service)
		for _, m := range c.missing {
			fmt.Fprintf(out, "protocol %d: %s\n", protocol, m)
		}
		calls, messages, missing = calls+c.calls, messages+len(c.seen), missing+len(c.missing)
	}
	fmt.Fprintf(out, "contract drift: %d calls, %d messages, %d missing\n", calls, messages, missing)
	return missing, nil
}

// read returns the service of providers in a file. Provisioners are programs of their own.
func read(ctx context.Context, dir, name string) (protoreflect.ServiceDescriptor, error) {
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{dir}})}
	files, err := compiler.Compile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	service := files[0].Services().ByName("Provider")
	if service == nil {
		return nil, fmt.Errorf("%s has no service Provider", filepath.Join(dir, name))
	}
	return service, nil
}
