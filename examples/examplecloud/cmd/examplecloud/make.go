package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// object is one of any collection.
type object map[string]any

// makeObject makes an object in a cloud that runs, waits until it is there, and prints its id.
func makeObject(ctx context.Context, out io.Writer, endpoint, token, collection, text string) error {
	var wanted object
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		return fmt.Errorf("the object is not JSON: %w", err)
	}
	c, err := client.New(client.Config{Endpoint: endpoint, Token: token})
	if err != nil {
		return err
	}
	task, err := client.Begin(ctx, c, api.Collection[object](collection), wanted)
	if err != nil {
		return err
	}
	made, err := client.Await(ctx, c, api.Collection[object](collection), task)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, made["id"])
	return err
}
