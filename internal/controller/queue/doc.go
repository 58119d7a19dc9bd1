// Package queue makes the work queues of controllers, which cost nothing while a controller is
// idle.
//
// In: a name, the delays after failures, and an order. Out: a work queue of client-go. It never
// decides what is queued.
package queue
