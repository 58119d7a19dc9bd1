package doctest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// step is a command to run or a file to write.
type step struct {
	line int // of the command, or of the file's fence; from 1

	command string
	want    []string // lines of output
	// from and to delimit the lines of output in the page, counted from 0; to is excluded.
	from, to int
	indent   string
	exit     int
	within   time.Duration
	// background: the command runs in another terminal, until the page ends.
	background bool

	file, content string
}

// shells are the languages of blocks that readers would take for tested commands.
var shells = []string{"sh", "bash", "shell", "zsh", "shell-session", "terminal"}

// parse returns the steps of a page, given as its lines.
func parse(lines []string) ([]step, error) {
	var steps []step
	for i := 0; i < len(lines); i++ {
		indent, fence, info := opening(lines[i])
		if fence == "" {
			continue
		}
		begin := i + 1
		end := begin
		for end < len(lines) && !closes(lines[end], fence) {
			end++
		}
		if end == len(lines) {
			return nil, fmt.Errorf("line %d: the block that begins here does not end", begin)
		}
		content := make([]string, 0, end-begin)
		for _, l := range lines[begin:end] {
			content = append(content, strings.TrimPrefix(l, indent))
		}
		block, err := blockSteps(info, indent, content, begin)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", begin, err)
		}
		steps = append(steps, block...)
		i = end
	}
	return steps, nil
}

// opening parses a line that opens a fenced block; fence is empty for other lines.
func opening(line string) (indent, fence, info string) {
	text := strings.TrimLeft(line, " ")
	indent = line[:len(line)-len(text)]
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			return indent, text[:n], strings.TrimSpace(rest)
		}
	}
	return "", "", ""
}

func closes(line, fence string) bool {
	text := strings.TrimSpace(line)
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == ""
}

// blockSteps returns the steps of one block whose content begins at a line, counted from 0.
func blockSteps(info, indent string, content []string, begin int) ([]step, error) {
	words := strings.Fields(info)
	language := ""
	if len(words) > 0 {
		language, words = words[0], words[1:]
	}
	if slices.Contains(shells, language) {
		return nil, fmt.Errorf("a block of language %q is not run: write it as console, with a prompt before each command", language)
	}
	if language != "console" {
		if slices.ContainsFunc(content, func(l string) bool { return strings.HasPrefix(l, "$ ") }) {
			return nil, fmt.Errorf(`a block with commands needs the language "console"`)
		}
		return fileStep(words, content, begin)
	}
	exit, within, background := 0, time.Duration(0), false
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		var err error
		switch key {
		case "exit":
			exit, err = strconv.Atoi(value)
		case "within":
			within, err = time.ParseDuration(value)
		case "background":
			background = true
		default:
			err = fmt.Errorf("unknown: it is exit=N, within=DURATION or background")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w, err)
		}
	}
	var steps []step
	for i := 0; i < len(content); {
		command, ok := strings.CutPrefix(content[i], "$ ")
		if !ok {
			return nil, fmt.Errorf("a console block begins with a command")
		}
		s := step{line: begin + i + 1, indent: indent, within: within}
		for i++; i < len(content) && (content[i] == ">" || strings.HasPrefix(content[i], "> ")); i++ {
			command += "\n" + strings.TrimPrefix(strings.TrimPrefix(content[i], ">"), " ")
		}
		s.command, s.from = command, begin+i
		for ; i < len(content) && !strings.HasPrefix(content[i], "$ "); i++ {
			s.want = append(s.want, content[i])
		}
		s.to = begin + i
		steps = append(steps, s)
	}
	if len(steps) > 0 {
		steps[len(steps)-1].exit, steps[len(steps)-1].background = exit, background
	}
	return steps, nil
}

func fileStep(words, content []string, begin int) ([]step, error) {
	for _, w := range words {
		if name, ok := strings.CutPrefix(w, "file="); ok {
			if name == "" {
				return nil, fmt.Errorf("file= needs a name")
			}
			return []step{{line: begin, file: name, content: strings.Join(content, "\n") + "\n"}}, nil
		}
	}
	return nil, nil
}
