// Command simulate runs the simulation.
//
// In: a number of operations and a seed. Out: the schedules that violated an invariant, and a
// closing line. With -schedule it prints the trace of one schedule, with -shrink that of the first
// one that failed, made as short as possible; -keep writes it to a file, and -replay reads one. It
// starts itself once for each processor, and never opens a connection.
package main
