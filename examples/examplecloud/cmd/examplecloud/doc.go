// Command examplecloud runs the example cloud. When it is ready, it prints its address
// as one line of JSON; see --help.
package main
