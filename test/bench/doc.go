// Command bench measures what Landbridge costs and how long it takes, on real parts: the
// playground's API server, the controller, and a released provider, on one machine; and the
// three ways of execution, beside the bare calls of a provider.
//
// Out: one JSON object per figure, {"name", "value", "unit", "ratio_to"}, and with -write the
// table in docs/performance.md. Every figure that has a bound is compared with it; a figure
// out of its bound ends the run with exit code 1. It is not a test: it says how much, not
// whether it works.
package main
