// Package figure is for what benchmarks measure: figures with their bounds and ratios, printed as
// JSON and written into a page of the documentation.
package figure
