module unused

go 1.26.8
