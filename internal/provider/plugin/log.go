package plugin

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/text"
)

const (
	// maxLine bounds a line of output, in bytes. Longer lines are truncated.
	maxLine = 64 << 10
	// maxTail bounds the number of lines in the error of a provider that ended.
	maxTail = 12
	// maxTailLine bounds each of them, in bytes.
	maxTailLine = 400
)

// LogLevel is the log level of a provider. Defaults to LogOff.
type LogLevel string

// The log levels of providers.
const (
	LogOff   LogLevel = "OFF"
	LogTrace LogLevel = "TRACE"
	LogDebug LogLevel = "DEBUG"
	LogInfo  LogLevel = "INFO"
	LogWarn  LogLevel = "WARN"
	LogError LogLevel = "ERROR"
)

// output turns everything that a provider writes into structured logs without secrets. It keeps the
// last lines for the error of a provider that ended.
type output struct {
	log    logr.Logger
	redact redact.Redactor
	limit  logLimit
	// applies receive the log messages about them.
	applies applies
	// writer is set when the process starts.
	writer *logWriter

	mu sync.Mutex
	// first is the first line of stdout, which should be the handshake.
	first    string
	hasFirst bool
	tail     []string
	// panicked is set from the first line of a crash report; tail then keeps its beginning.
	panicked bool
}

// open starts the log writer.
func (o *output) open() { o.writer = newLogWriter(o.log, o.limit) }

// maxHandshake bounds the first line of stdout, in bytes. A longer line is not a handshake.
const maxHandshake = 16 << 10

// readStdout writes the first line to handshake and logs the others, until r ends.
func (o *output) readStdout(r io.Reader, handshake io.WriteCloser) {
	reader := bufio.NewReaderSize(r, maxHandshake)
	line, err := reader.ReadSlice('\n')
	if len(line) > 0 || err == nil {
		line = append(bytes.TrimRight(line, "\r\n"), '\n')
		o.mu.Lock()
		o.first, o.hasFirst = string(line[:len(line)-1]), true
		o.mu.Unlock()
		_, _ = handshake.Write(line)
	}
	_ = handshake.Close()
	readLines(reader, func(line []byte) { o.line("stdout", line) })
}

func (o *output) readStderr(r io.Reader) {
	readLines(r, func(line []byte) { o.line("stderr", line) })
}

// lineWriter logs, by line, a provider's stdout and stderr from after the handshake, when go-plugin
// redirects them.
type lineWriter struct {
	output *output
	stream string
	line   []byte
}

// Write is called by one goroutine only.
func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), maxLine-len(w.line))]...)
		if p = rest; ended {
			w.output.line(w.stream, bytes.TrimRight(w.line, "\r"))
			w.line = w.line[:0]
		}
	}
	return n, nil
}

// readLines calls f with each line of r, without the line ending, until r ends. The slice is valid
// only until f returns.
func readLines(r io.Reader, f func([]byte)) {
	reader := bufio.NewReaderSize(r, 4096)
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		if room := maxLine - len(line); len(part) > room {
			part = part[:max(room, 0)]
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			if len(line) > 0 {
				f(bytes.TrimRight(line, "\r\n"))
			}
			return
		}
		f(bytes.TrimRight(line, "\r\n"))
		if line = line[:0]; cap(line) > 16<<10 {
			line = nil
		}
	}
}

// line logs one line of output.
func (o *output) line(stream string, raw []byte) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	if raw[0] == '{' && o.writer.full() {
		o.writer.leaveOut() // parsing is most of the cost of a line
		return
	}
	if e, ok := parseEntry(raw); ok {
		if e.level == LogError {
			o.keep(e.message)
		}
		if tell := o.applies.subscriber(e); tell != nil {
			tell(told(o.redact.Replace(e.message)))
		}
		if e.level == LogError || o.log.V(verbosity(e.level)).Enabled() {
			o.writer.write(len(raw), func() { o.emit(e) })
		}
		return
	}
	text := string(raw)
	o.keep(text)
	level := plainLevel(text)
	log := o.log.V(verbosity(level))
	if level != LogError && !log.Enabled() {
		return
	}
	o.writer.write(len(raw), func() {
		if level == LogError {
			o.log.Error(nil, "provider output", "stream", stream, "text", o.redact.Replace(text))
			return
		}
		log.Info("provider output", "stream", stream, "text", o.redact.Replace(text))
	})
}

func (o *output) emit(e entry) {
	log := o.log.V(verbosity(e.level))
	kv := make([]any, 0, 4+2*len(e.fields))
	kv = append(kv, "text", o.redact.Replace(e.message))
	if e.module != "" {
		kv = append(kv, "module", e.module)
	}
	// Providers log the diagnostics that they return. The caller reports them anyway, and they may
	// quote secrets of the resource, which are not known here.
	delete(e.fields, "diagnostic_detail")
	for _, name := range slices.Sorted(maps.Keys(e.fields)) {
		kv = append(kv, name, o.redact.JSON(e.fields[name]))
	}
	if e.level == LogError {
		log.Error(nil, "provider log", kv...)
		return
	}
	log.Info("provider log", kv...)
}

// verbosity returns logr's verbosity of a level; 0 for warnings and errors.
func verbosity(l LogLevel) int {
	switch l {
	case LogError, LogWarn:
		return 0
	case LogInfo:
		return 1
	case LogTrace:
		return 3
	default:
		return 2
	}
}

// entry is one log line of hclog.
type entry struct {
	level           LogLevel
	message, module string
	fields          map[string]any
}

// parseEntry parses a log line in hclog's JSON format; false if it is not one.
func parseEntry(raw []byte) (entry, bool) {
	if raw[0] != '{' {
		return entry{}, false
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil || decoder.More() {
		return entry{}, false
	}
	level, hasLevel := fields["@level"].(string)
	message, hasMessage := fields["@message"].(string)
	if !hasLevel || !hasMessage {
		return entry{}, false
	}
	e := entry{level: LogLevel(strings.ToUpper(level)), message: message, fields: fields}
	e.module, _ = fields["@module"].(string)
	maps.DeleteFunc(fields, func(name string, _ any) bool { return strings.HasPrefix(name, "@") })
	return e, true
}

// plainLevel guesses the level of a line that is not JSON.
func plainLevel(text string) LogLevel {
	if isCrash(text) {
		return LogError
	}
	for _, l := range []LogLevel{LogTrace, LogDebug, LogInfo, LogWarn, LogError} {
		if strings.HasPrefix(text, "["+string(l)+"]") {
			return l
		}
	}
	return LogDebug
}

func isCrash(text string) bool {
	return strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")
}

// keep keeps a line for last.
func (o *output) keep(line string) {
	line = text.Shorten(line, maxTailLine)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case isCrash(line) && !o.panicked:
		o.panicked, o.tail = true, o.tail[:0]
	case o.panicked && len(o.tail) == maxTail:
		return
	case len(o.tail) == maxTail:
		o.tail = slices.Delete(o.tail, 0, 1)
	}
	o.tail = append(o.tail, line)
}

// last returns the kept lines, without secrets.
func (o *output) last() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make([]string, len(o.tail))
	for i, text := range o.tail {
		out[i] = o.redact.Replace(text)
	}
	return out
}

// firstLine returns the first line of stdout; false if there was none.
func (o *output) firstLine() (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.first, o.hasFirst
}
