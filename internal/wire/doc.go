// Package wire is how cty values travel to and from foreign bytes: the msgpack and JSON of
// the plugin protocol and of state.
//
// In: bytes from a provider or a store, and the type they should be of. Out: values, or an
// error; never a panic, and never more memory than the bytes justify. It wraps go-cty's own
// encodings with the checks those leave to their caller. It never judges what a value means.
package wire
