package program

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/controller/changelog"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/telemetry"
	"github.com/landbridge-io/landbridge/internal/tracing"
	"github.com/landbridge-io/landbridge/internal/version"
)

// observers are what the program sends and writes about its work, beside its log.
type observers struct {
	// recorded gets the entries of change records; nil if nothing does.
	recorded func(store.Key, history.Entry)
	stops    []func(context.Context) error
}

// observe opens the logs of change records and the senders of traces. They are closed by close.
func (f *flags) observe(ctx context.Context, program string, log logr.Logger) (_ *observers, err error) {
	out := &observers{}
	defer func() {
		if err != nil {
			out.close(ctx)
		}
	}()
	var writers []func(store.Key, history.Entry)
	if f.changeLog != "" {
		file, err := openChangeLog(f.changeLog)
		if err != nil {
			return nil, fmt.Errorf("--change-log: %w", err)
		}
		out.stops = append(out.stops, func(context.Context) error { return file.Close() })
		writers = append(writers, (&changelog.Lines{Out: file, Logger: log.WithName("change-log")}).Write)
	}
	collector := telemetry.Collector{Program: program, Version: version.String(), Logger: log.WithName("telemetry")}
	if collector.Endpoint = f.changeLogEndpoint; collector.Endpoint != "" {
		records, stop, err := changelog.Export(ctx, collector)
		if err != nil {
			return nil, fmt.Errorf("--change-log-endpoint: %w", err)
		}
		out.stops, writers = append(out.stops, stop), append(writers, records.Write)
	}
	if collector.Endpoint = f.traces; collector.Endpoint != "" {
		stop, err := tracing.Export(ctx, collector)
		if err != nil {
			return nil, fmt.Errorf("--trace-endpoint: %w", err)
		}
		out.stops = append(out.stops, stop)
	}
	if len(writers) > 0 {
		out.recorded = func(k store.Key, e history.Entry) {
			for _, write := range writers {
				write(k, e)
			}
		}
	}
	return out, nil
}

// close sends what is left, for some seconds at most.
func (o *observers) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, stop := range o.stops {
		_ = stop(ctx) // that a collector cannot be reached was logged
	}
}

// openChangeLog opens the file of --change-log.
func openChangeLog(path string) (*os.File, error) {
	if path == "-" {
		return os.Stdout, nil
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
