// Package doctest runs the commands of a Markdown page and compares their
// output with the output in the page.
//
// In: a page. Its fenced blocks of language "console" are sessions. A line that
// begins with "$ " is a command, "> " continues the command before, and the
// other lines are the output, standard output and error together:
//
//	```console
//	$ landbridge discover thing
//	NAME       ID      AGE
//	<thing>    <id>    <age>
//	...
//	```
//
// "<id>" is a placeholder for a text without spaces. It has the same value
// everywhere in the page, also in later commands. A placeholder that
// Options.Patterns names matches its pattern, with another value each time. A
// line "..." matches any number of lines. The width of columns is not compared.
// Texts that kubectl itself prints in angle brackets, as "<none>", are literal.
//
// The language of a console block may be followed by "exit=N", the exit status of its last command,
// and by "within=30s": its commands are then repeated until they end and print as the page says,
// for at most that time. With "background", its last command runs in another terminal: the page
// goes on when the command has printed what follows it, and Ctrl-C is pressed there at the end of
// the page, which has to end it. A block of another language with "file=NAME" is written to that
// file in the working directory. All commands of a page share the working directory and the
// exported variables.
//
// Out: a test that fails where a command ends or prints differently. With
// -update the page is rewritten with the actual output.
//
// It never skips a command: blocks in a shell's language are refused, and so are
// commands in blocks of other languages. Commands that need what a test does not
// have are listed, with the programs that stand in (Options.Treatments).
package doctest
