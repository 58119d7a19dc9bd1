// Command linked is a controller with the example cloud's provider linked in: what somebody builds who
// wants spec.execution InProcess. Its flags are those of all programs with controllers.
package main
