// Package wire encodes and decodes cty values: the msgpack and JSON of the plugin protocol and of
// state.
//
// In: bytes from a provider or a store, and the expected type. Out: values, or an error; never a
// panic, and never more memory than the size of the bytes justifies. It adds the checks to go-cty's
// encodings that these leave to their caller. It never interprets a value.
package wire
