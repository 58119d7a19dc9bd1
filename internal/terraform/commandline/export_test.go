package commandline

// FindWithin is Find with a different timeout.
var FindWithin = find

// ParseEvent is parseEvent.
var ParseEvent = parseEvent
