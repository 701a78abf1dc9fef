package play

import (
	"bytes"
	"log/slog"
)

func logTo(b *bytes.Buffer) func(*Config) {
	return func(c *Config) { c.Log = slog.New(slog.NewTextHandler(b, nil)) }
}
