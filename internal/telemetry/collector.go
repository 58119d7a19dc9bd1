package telemetry

import (
	"fmt"
	"net/url"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
)

// Scope is the name of the instrumentation.
const Scope = "github.com/landbridge-io/landbridge"

// Collector is a collector that gets something by OTLP over gRPC.
type Collector struct {
	// Endpoint is its URL, such as http://collector:4317.
	Endpoint string
	// Program and Version say who sends.
	Program, Version string
	// Logger is told what cannot be sent.
	Logger logr.Logger
}

// Sender checks the endpoint, and returns what describes the sender. Errors of sending are logged
// from now on: OpenTelemetry has one place for them in a process.
func (c Collector) Sender() (*resource.Resource, error) {
	if u, err := url.Parse(c.Endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no URL of a collector; give one such as http://collector:4317", c.Endpoint)
	}
	out, err := resource.Merge(resource.NewSchemaless(semconv.ServiceName(c.Program),
		semconv.ServiceVersion(c.Version)), resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		c.Logger.V(1).Info("Cannot send to the collector of OpenTelemetry", "error", err.Error())
	}))
	return out, nil
}
