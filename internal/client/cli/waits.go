package cli

import (
	"context"
	"errors"
	"net"
	"time"

	"sandlot/internal/client/client"
)

// dialWait is the time limit for a connection, and then for TLS on it: some round trips, of which the slowest takes
// seconds.
const dialWait = 15 * time.Second

// waits returns the waiting limits of one call. The server reports within 30 s that it is still at work; the rest is
// for the network.
func waits() client.Waits {
	return client.Waits{
		Stall: 45 * time.Second,
		Work:  128 << 10,        // a proxy may take all bytes at once, and pass them on over a line of 1 Mbit/s
		Most:  10 * time.Minute, // by then an archive of 1 GiB is unpacked, hashed and stored
	}
}

// silences is the number of calls that may time out: one retry, in case the connection was broken.
const silences = 2

// wait waits, unless the command is interrupted.
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

// stalled counts the calls that timed out, and gives the next one a new connection.
func (s *session) stalled(err error, before int) (silent int) {
	var timeout net.Error
	if !errors.Is(err, client.ErrStalled) && !(errors.As(err, &timeout) && timeout.Timeout()) {
		return before
	}
	s.HTTP.CloseIdleConnections()
	return before + 1
}
