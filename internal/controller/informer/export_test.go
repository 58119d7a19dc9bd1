package informer

// NewDecoder exports newDecoder.
var NewDecoder = newDecoder
