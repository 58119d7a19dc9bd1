// Package telemetry has what everything has in common that is sent to a collector of OpenTelemetry.
//
// In: the collector's address, and who sends. Out: what the senders of traces (package tracing) and
// of logs (package changelog) need. It sends nothing itself.
package telemetry
