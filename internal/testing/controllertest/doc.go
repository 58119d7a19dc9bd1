// Package controllertest runs controllers in the process of a test.
package controllertest
