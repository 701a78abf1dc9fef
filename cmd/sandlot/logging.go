package main

import (
	"fmt"
	"io"
	"log/slog"

	"sandlot/internal/format/inspect"
)

// newLogger makes the program's log. Whatever is logged, no key gets into it.
// Lines of requests may be held for a moment: flushLog comes last.
// The settings were checked by the parser.
func newLogger(w io.Writer, format, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		least = slog.LevelInfo
	}
	opts := &slog.HandlerOptions{Level: least, ReplaceAttr: redact}
	h := &logHandler{lines: newLineWriter(w), json: format == "json"}
	if h.json {
		h.Handler = slog.NewJSONHandler(h.lines, opts)
	} else {
		h.Handler = slog.NewTextHandler(h.lines, opts)
	}
	return slog.New(h)
}

// A logHandler is slog's, and knows where its lines go.
type logHandler struct {
	slog.Handler
	lines  *lineWriter
	json   bool
	stamps stamps
}

// handlerOf returns the handler of a logger that newLogger made; nil of another.
func handlerOf(log *slog.Logger) *logHandler {
	h, _ := log.Handler().(*logHandler)
	return h
}

// flushLog writes what the log still holds, at the end of the program.
func flushLog(log *slog.Logger) {
	if h := handlerOf(log); h != nil {
		_ = h.lines.Flush() // there is nobody left to tell
	}
}

// maxLogged cuts a value that a client may have made long, in bytes; a stack
// fits.
const maxLogged = 8 << 10

// redact takes keys out of a value, and cuts it after that.
func redact(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(loggable(a.Value.String()))
	case slog.KindAny:
		// An error, or what prints itself: nothing else is logged, and if it were, no key would show.
		text := fmt.Sprint(a.Value.Any())
		_, isError := a.Value.Any().(error)
		if clean := loggable(text); isError || clean != text {
			a.Value = slog.StringValue(clean)
		}
	}
	return a
}

func loggable(s string) string {
	s = inspect.Redact(s)
	return s[:min(len(s), maxLogged)]
}
