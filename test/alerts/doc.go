// Package alerts tests the alerts and the dashboard of the chart with Prometheus' own engine.
//
// In: deploy/chart/files and recorded series. Out: whether each alert fires when it should, and
// only then, and whether each expression of the dashboard finds series that Landbridge exposes. It
// never scrapes a running controller.
package alerts
