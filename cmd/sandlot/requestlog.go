package main

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"sandlot/internal/format/inspect"
)

// An accessLog selects the requests that get a line in the log: "all", "errors" or "off". Faults of the service are
// logged in any case.
type accessLog string

// has reports whether a request with that outcome gets a line.
func (a accessLog) has(status int) bool {
	return a == "all" || a == "errors" && status >= http.StatusBadRequest
}

// A requestLine holds the logged facts of a request.
type requestLine struct {
	at             time.Time
	id, area       string
	method         string
	host, path     string
	status         int
	took           time.Duration
	read, answered int64
	aborted        bool
}

// millis returns milliseconds, to the thousandth.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// request logs a request. It formats most lines of text itself, exactly as slog would, and holds them for a moment; it
// leaves a line of JSON, or one with a value that needs quotes or could be a key, to slog.
func (h *logHandler) request(log *slog.Logger, l *requestLine) {
	ctx := context.Background() // the handlers ignore it
	switch {
	case !log.Enabled(ctx, slog.LevelInfo):
	case h != nil && !h.json && l.simple():
		var room [512]byte
		h.lines.Hold(l.append(room[:0]))
	default:
		log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("request_id", l.id), slog.String("area", l.area),
			slog.String("method", l.method), slog.String("host", l.host), slog.String("path", l.path), slog.Int("status", l.status),
			slog.Float64("took_ms", millis(l.took)), slog.Int64("in", l.read), slog.Int64("out", l.answered),
			slog.Bool("aborted", l.aborted))
	}
}

// simple reports whether nothing in the line has to be quoted or redacted.
func (l *requestLine) simple() bool { return simple(l.method) && simple(l.host) && simple(l.path) }

// simpleMax is the longest value that is formatted here, in bytes: the addresses of real files are shorter.
const simpleMax = 150

func simple(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\' {
			return false
		}
	}
	return s != "" && len(s) <= simpleMax && inspect.Redact(s) == s
}

func (l *requestLine) append(b []byte) []byte {
	b = l.at.AppendFormat(append(b, "time="...), "2006-01-02T15:04:05.000Z07:00")
	b = append(append(b, " level=INFO msg=request request_id="...), l.id...)
	b = append(append(b, " area="...), l.area...)
	b = append(append(b, " method="...), l.method...)
	b = append(append(b, " host="...), l.host...)
	b = append(append(b, " path="...), l.path...)
	b = strconv.AppendInt(append(b, " status="...), int64(l.status), 10)
	b = strconv.AppendFloat(append(b, " took_ms="...), millis(l.took), 'g', -1, 64)
	b = strconv.AppendInt(append(b, " in="...), l.read, 10)
	b = strconv.AppendInt(append(b, " out="...), l.answered, 10)
	b = strconv.AppendBool(append(b, " aborted="...), l.aborted)
	return append(b, '\n')
}
