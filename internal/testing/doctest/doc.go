// Package doctest runs the commands of a Markdown page and compares what they
// print with what the page says they print.
//
// In: a page. Its fenced blocks of language "console" are sessions: lines that
// begin with "$ " are commands, "> " continues the command before, and what
// follows is their output, standard output and error together:
//
//	```console
//	$ landbridge discover thing
//	NAME       ID      AGE
//	<thing>    <id>    <age>
//	...
//	```
//
// "<id>" stands for a text without spaces, the same one everywhere in the page,
// also in later commands; one that Options.Patterns names stands for whatever
// matches, each time anew. A line "..." stands for any number of lines. How
// wide columns are is not compared. What kubectl itself prints in angle
// brackets, as in "<none>", is only itself.
//
// After the language of a console block may stand "exit=N", the status that
// its last command ends with, and "within=30s", the time during which its
// commands are repeated until they end and print as they should: for what
// takes a while to become true. A block of another language with "file=NAME"
// is written to that file in the working directory. All commands of a page
// share the working directory and the exported variables.
//
// Out: a test that fails where a command does not end or print as the page
// says. With -update the page is written anew with what was printed.
//
// No command of a page is left out: blocks in a shell's language are refused.
package doctest
