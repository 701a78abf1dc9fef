package redis

import (
	"bytes"
	"errors"
	"net"
	"strconv"
)

// Bounds of a server's answers: the module allocates the announced length of an answer before it has come.
const (
	longestValue = 64 << 10
	longestList  = 4096
	longestLine  = 4 << 10
)

// errGuarded ends a connection.
var errGuarded = errors.New("the server's answer is none that was asked for")

// guarded is a connection that breaks when the announced length of an answer is beyond that of any expected one, or an
// answer is not of the protocol's second version.
type guarded struct {
	net.Conn
	line []byte // the part that has come
	skip int    // bytes of a value that are still to come, its end included
	bad  bool
}

// Read reads bytes of the server.
func (g *guarded) Read(b []byte) (int, error) {
	if g.bad {
		return 0, errGuarded
	}
	n, err := g.Conn.Read(b)
	if !g.follow(b[:n]) {
		g.bad = true
		return 0, errGuarded
	}
	return n, err
}

// follow checks the answers in b.
func (g *guarded) follow(b []byte) bool {
	for len(b) > 0 {
		if g.skip > 0 {
			n := min(g.skip, len(b))
			g.skip, b = g.skip-n, b[n:]
			continue
		}
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			g.line = append(g.line, b...)
			return len(g.line) <= longestLine
		}
		g.line = append(g.line, b[:end+1]...)
		if len(g.line) > longestLine || !g.head(bytes.TrimRight(g.line, "\r\n")) {
			return false
		}
		g.line, b = g.line[:0], b[end+1:]
	}
	return true
}

// head checks a line that is no part of a value.
func (g *guarded) head(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	switch line[0] {
	case '+', '-', ':':
		return true
	case '$', '*':
		n, err := strconv.Atoi(string(line[1:]))
		if err != nil || n < -1 {
			return false
		}
		if line[0] == '*' {
			return n <= longestList
		}
		if n >= 0 {
			g.skip = n + len("\r\n")
		}
		return n <= longestValue
	}
	return false
}
