package generate

var (
	Run         = Program.run
	PrintConfig = Program.printConfig
)
