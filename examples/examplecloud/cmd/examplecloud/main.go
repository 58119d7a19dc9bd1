package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/landbridge-io/landbridge/examples/examplecloud/cloud"
)

const usage = `examplecloud is a small cloud to try Terraform providers on.

  examplecloud [flags]
  examplecloud [flags] make COLLECTION OBJECT

The first prints {"address":"http://..."} when it is ready, and runs until it is
interrupted. Everything it keeps is in one file, so it goes on where it ended.

The second makes an object in the cloud that runs at --addr, and prints its id:

  examplecloud make things '{"name":"first","region":"us-east-1"}'

Anything else can be asked for over HTTP:

  curl $ADDRESS/v1/things
  curl $ADDRESS/admin/audit

Something goes wrong on request:

  curl -d '{"on":"create","collection":"things","lose_answer":true,"count":1}' $ADDRESS/admin/faults

Paths and faults are described in packages cloud and api. Flags:

`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "examplecloud:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var options cloud.Options
	flags := flag.NewFlagSet("examplecloud", flag.ExitOnError)
	flags.StringVar(&options.Addr, "addr", "127.0.0.1:8480", "`address` to listen on, or of the cloud that runs; port 0 takes a free one")
	flags.StringVar(&options.Data, "data", "examplecloud.db", "`file` to keep everything in")
	flags.StringVar(&options.Token, "token", os.Getenv("EXAMPLECLOUD_TOKEN"),
		"bearer `token` that clients must send ($EXAMPLECLOUD_TOKEN); none lets everybody in")
	flags.DurationVar(&options.TaskDelay, "task-delay", 0, "how long tasks take")
	flags.BoolVar(&options.NoSync, "no-sync", false, "do not wait for the disk: faster, and safe unless the machine goes down")
	untilStdin := flags.Bool("until-stdin-closes", false, "end when standard input closes, as a child process of a test should")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.VisitAll(func(f *flag.Flag) {
			// Not flags.PrintDefaults, which would print a token from the environment.
			name, help := flag.UnquoteUsage(f)
			fmt.Fprintf(flags.Output(), "  --%-20s %s\n", f.Name+" "+name, help)
		})
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case flags.NArg() == 3 && flags.Arg(0) == "make":
		return makeObject(ctx, os.Stdout, "http://"+options.Addr, options.Token, flags.Arg(1), flags.Arg(2))
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; see --help", flags.Arg(0))
	}
	server, err := cloud.Start(options)
	if err != nil {
		return err
	}
	if *untilStdin {
		go func() {
			defer stop()
			_, _ = io.Copy(io.Discard, os.Stdin)
		}()
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"address": server.URL()}); err != nil {
		_ = server.Close()
		return err
	}
	return server.Wait(ctx)
}
