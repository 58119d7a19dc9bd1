package generate

var Run = Program.run
