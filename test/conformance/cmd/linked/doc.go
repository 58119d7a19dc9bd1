// Command linked is Landbridge's controller with the example cloud's provider linked in, for
// spec.execution: InProcess. It is an example of what programs outside this repository can do: of
// Landbridge, it uses package program alone.
package main
