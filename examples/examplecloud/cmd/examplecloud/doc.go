// Command examplecloud runs the example cloud. Its address comes out as one line
// of JSON when it is ready; --help tells the rest.
package main
