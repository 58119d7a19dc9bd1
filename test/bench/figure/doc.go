// Package figure reports results of benchmarks: figures with bounds and ratios, printed as JSON and
// written into a page of the documentation.
package figure
