package store

// Encode is encode.
var Encode = encode
