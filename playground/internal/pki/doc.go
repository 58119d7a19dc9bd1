// Package pki makes the certificates and keys a control plane on one machine
// needs. In goes a directory; out come PEM files in it, made once and reused by
// every later start on that directory. It never signs anything for others.
package pki
