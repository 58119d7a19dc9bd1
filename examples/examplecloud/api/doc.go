// Package api is what the example cloud's HTTP API speaks: the objects it keeps,
// the tasks that create and delete them, its errors, faults and audit, as JSON.
//
// It holds types only; package cloud serves them and package client asks for them.
package api
