package cli

import (
	"context"
	"errors"
	"net"
	"time"

	"sandlot/internal/client/client"
)

// dialWait bounds what it takes to get a connection, and then a secure one: some round trips, of which the slowest takes seconds.
const dialWait = 15 * time.Second

// waits bound how long a server is waited for in one call. It says within 30 s that it is still at work, and the rest is for the way.
func waits() client.Waits {
	return client.Waits{
		Stall:  45 * time.Second,
		Pace:   1 << 10,          // as the server, which cuts what is slower
		Work:   128 << 10,        // a proxy may take all at once, and pass it on over a line of 1 Mbit/s
		Most:   10 * time.Minute, // an archive of 1 GiB is unpacked, hashed and stored by then
		Answer: time.Minute,      // 2 MiB at the most, the list of 10,000 files
	}
}

// silences is how often a server is waited for in vain: once more, in case that it was the connection.
const silences = 2

// wait waits, unless the command is ended.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// stalled counts the calls that were waited for in vain, and lets the next one have a connection of its own.
func (s *session) stalled(err error, before int) (silent int) {
	var timeout net.Error
	if !errors.Is(err, client.ErrStalled) && !(errors.As(err, &timeout) && timeout.Timeout()) {
		return before
	}
	s.HTTP.CloseIdleConnections()
	return before + 1
}
