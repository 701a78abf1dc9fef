package mcp

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Talk serves the tools to one client over a pair of streams, a message a line, until in ends or ctx does.
func (t *Tools) Talk(ctx context.Context, in io.Reader, out io.Writer) error {
	err := t.Server().Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}, MaxLineLength: maxBody})
	if ctx.Err() != nil {
		return nil // the client is gone, or the program ends
	}
	return err
}

// unclosed is a writer that belongs to the caller.
type unclosed struct{ io.Writer }

// Close implements io.Closer.
func (unclosed) Close() error { return nil }
