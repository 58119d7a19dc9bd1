package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := build(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func build(ctx context.Context, names []string) error {
	providers := providertest.All()
	if len(names) > 0 {
		providers = nil
		for _, name := range names {
			p, err := providertest.Get(name)
			if err != nil {
				return err
			}
			providers = append(providers, p)
		}
	}
	for _, p := range providers {
		path, err := p.Build(ctx)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}
