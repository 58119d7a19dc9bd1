// Package mcp serves what the commands and the page know to agents, by the Model Context Protocol.
//
// In: how commands are run, and the views of the page, both with a person's permissions. Out: a
// server with one tool for each command or view (tools.go), and if that is permitted, tools that
// make proposals (proposals.go).
//
// No tool writes anything to the cluster. Arguments of a tool never become flags or paths of a
// command (arguments.go): an agent chooses neither which program runs, nor which files are read. A
// result is data that others have written, so it is fenced and bounded (fence.go).
package mcp
