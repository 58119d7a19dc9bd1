// Package changelog writes the entries of change records to logs.
//
// In: an entry of a resource that is stored. Out: a line of JSON (docs/history.md), appended to a
// file, or sent to a collector of OpenTelemetry as the body of a log record. Errors never keep an
// operation from going on: they are logged.
package changelog
