// Command linked is Landbridge's controller with the example cloud's provider linked in, for
// spec.execution: InProcess. It is an example for programs outside this repository: it imports only
// Landbridge's package program.
package main
