package certificate

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// bridge returns a logger for the library that writes to log, for debugging alone: events that matter to operators are
// logged once, by Auto. Values of challenges and keys are left out.
func bridge(log *slog.Logger) *zap.Logger { return zap.New(core{log.Handler(), nil}) }

// A core writes the entries of zap to slog.
type core struct {
	to   slog.Handler
	with []zapcore.Field
}

// Enabled implements zapcore.LevelEnabler.
func (c core) Enabled(zapcore.Level) bool { return c.to.Enabled(context.Background(), slog.LevelDebug) }

// With implements zapcore.Core.
func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{c.to, append(slices.Clip(c.with), fields...)}
}

// Check implements zapcore.Core.
func (c core) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write implements zapcore.Core.
func (c core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range append(slices.Clip(c.with), fields...) {
		f.AddTo(values)
	}
	r := slog.NewRecord(e.Time, slog.LevelDebug, "certificates: "+strings.TrimSpace(e.LoggerName+" "+e.Message), 0)
	for _, name := range shown {
		if v, ok := values.Fields[name]; ok {
			r.AddAttrs(slog.Any(name, v))
		}
	}
	return c.to.Handle(context.Background(), r)
}

// shown are the fields that are logged.
var shown = []string{"identifier", "identifiers", "subject", "server_name", "challenge", "challenge_type", "issuer", "ca", "zone", "remaining", "error"}

// Sync implements zapcore.Core.
func (c core) Sync() error { return nil }
