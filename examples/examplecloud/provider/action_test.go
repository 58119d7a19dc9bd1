package provider_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
)

// frameworkForms runs a test with every form that has actions and ephemeral resources: SDKv2 can
// have neither.
func frameworkForms(t *testing.T, test func(t *testing.T, c *core)) {
	for _, form := range []provider.Form{provider.Framework5, provider.Framework6} {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			test(t, newCore(t, form))
		})
	}
}

// schema is what the provider publishes.
func (c *core) schema() *tfprotov6.GetProviderSchemaResponse {
	c.t.Helper()
	schemas, err := c.server.GetProviderSchema(c.t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	c.must(err, schemas.Diagnostics)
	return schemas
}

// invoke validates, plans and invokes an action, calls each with the messages, and answers with
// them.
func (c *core) invoke(ctx context.Context, actionType string, arguments values, each func(string)) ([]string, error) {
	c.t.Helper()
	actions, ok := c.server.(tfprotov6.ActionServer)
	if !ok {
		c.t.Fatalf("%T has no actions", c.server)
	}
	config := c.encode(block(c.schema().ActionSchemas[actionType].Schema.Block, arguments))
	validated, err := actions.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: actionType, Config: config})
	// The framework refuses write-only arguments here, since the request cannot say that they are
	// allowed.
	c.must(err, slices.DeleteFunc(validated.Diagnostics, func(d *tfprotov6.Diagnostic) bool {
		return d.Summary == "WriteOnly Attribute Not Allowed"
	}))
	planned, err := actions.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: actionType, Config: config})
	c.must(err, planned.Diagnostics)
	stream, err := actions.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: actionType, Config: config})
	if err != nil {
		return nil, err
	}
	var messages []string
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			messages = append(messages, event.Message)
			each(event.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			return messages, failed(nil, event.Diagnostics)
		}
	}
	c.t.Fatal("the action was not completed")
	return nil, nil
}

func TestSDKv2HasNeitherActionsNorEphemeralResources(t *testing.T) {
	c := newCore(t, provider.SDKv2)
	if s := c.schema(); len(s.ActionSchemas)+len(s.EphemeralResourceSchemas) > 0 {
		t.Errorf("got %d actions and %d ephemeral resources", len(s.ActionSchemas), len(s.EphemeralResourceSchemas))
	}
}

func TestSnapshot(t *testing.T) {
	for name, test := range map[string]struct {
		fault    api.Fault
		progress []string // their first words
		err      string
		made     int
	}{
		"made":    {progress: []string{"snapshot has begun", "snapshot is complete"}, made: 1},
		"refused": {fault: api.Fault{On: api.OnCreate, Collection: "snapshots", Status: 503}, err: "Cannot begin the snapshot"},
		"fails halfway": {
			fault:    api.Fault{On: api.OnCreate, Collection: "snapshots", TaskOutcome: api.OutcomeFail},
			progress: []string{"snapshot has begun"}, err: "The snapshot was not completed",
		},
		"done, and not answered": {
			fault: api.Fault{On: api.OnCreate, Collection: "snapshots", LoseAnswer: true},
			err:   "Cannot begin the snapshot", made: 1,
		},
		"no such record": {fault: api.Fault{On: api.OnRead, Collection: "records", Status: 404}, err: "Cannot read the record"},
	} {
		t.Run(name, func(t *testing.T) {
			frameworkForms(t, func(t *testing.T, c *core) {
				record := c.mustCreate("examplecloud_record", values{"name": "a"})
				if test.fault.On != "" {
					c.fault(test.fault)
				}
				arguments := values{"source": c.state(record)["id"], "label": "l", "key_wo": "k"}
				messages, err := c.invoke(t.Context(), "examplecloud_snapshot", arguments, func(string) {})
				if test.err == "" && err != nil {
					t.Error(err)
				} else if test.err != "" {
					wantError(t, err, test.err)
				}
				for i, m := range messages {
					words := strings.Fields(m)
					messages[i] = strings.Join(slices.Delete(words, 1, 2), " ") // without the id
				}
				if !slices.Equal(messages, test.progress) {
					t.Errorf("got the progress %q, want %q", messages, test.progress)
				}
				c.wantSnapshots(test.made)
			})
		})
	}
	t.Run("hangs, and is cancelled", func(t *testing.T) {
		frameworkForms(t, func(t *testing.T, c *core) {
			record := c.mustCreate("examplecloud_record", values{"name": "a"})
			c.fault(api.Fault{On: api.OnCreate, Collection: "snapshots", TaskOutcome: api.OutcomeHang})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := c.invoke(ctx, "examplecloud_snapshot", values{"source": c.state(record)["id"], "label": "l"}, func(string) { cancel() })
			wantError(t, err, "The snapshot was not completed")
			c.wantSnapshots(0)
			if n := c.counts("snapshots").CancelledTasks; n != 1 {
				t.Errorf("%d tasks were cancelled", n)
			}
		})
	})
}

// wantSnapshots waits until there are so many snapshots: what was not answered may take a moment.
func (c *core) wantSnapshots(want int) {
	c.t.Helper()
	c.eventually(fmt.Sprintf("there are %d snapshots", want), func() bool {
		made, err := client.List(c.t.Context(), c.client, api.Snapshots, nil)
		return err == nil && len(made) == want
	})
}
