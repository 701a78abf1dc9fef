package main

import (
	"fmt"
	"io"
	"log/slog"

	"sandlot/internal/format/inspect"
)

// newLogger returns the program's log. It removes keys from every value. Lines of requests may be held for a moment, so
// flushLog must come last. The parser has checked the settings.
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

// A logHandler is slog's handler together with the writer of its lines.
type logHandler struct {
	slog.Handler
	lines *lineWriter
	json  bool
}

// handlerOf returns the handler of a logger from newLogger; nil for any other.
func handlerOf(log *slog.Logger) *logHandler {
	h, _ := log.Handler().(*logHandler)
	return h
}

// flushLog writes the held lines at the end of the program.
func flushLog(log *slog.Logger) {
	if h := handlerOf(log); h != nil {
		_ = h.lines.Flush() // nothing is left to report it to
	}
}

// maxLogged is the longest logged value, in bytes, for a client may choose the length of some; a stack fits.
const maxLogged = 8 << 10

// redact removes keys from a value, and then cuts it.
func redact(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(loggable(a.Value.String()))
	case slog.KindAny:
		// An error, or a value that formats itself: nothing else is logged, and if it were, no key would show.
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
