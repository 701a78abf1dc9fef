package rig

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// requestWait is the time limit of one request: 100 MB on a busy machine.
const requestWait = 5 * time.Minute

// answerMax is how much of an answer is kept: the longest JSON here lists a thousand projects.
const answerMax = 4 << 20

func dial(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr)
}

// A Lane is one connection with one request after another. It does less than Go's own client, so that on few cores the
// service is measured and not the client. It is used by one goroutine.
type Lane struct {
	conn net.Conn
	in   *bufio.Reader
}

// NewLane opens a connection.
func NewLane(ctx context.Context, addr string) (*Lane, error) {
	c, err := dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	return &Lane{conn: c, in: bufio.NewReader(c)}, nil
}

// Close ends the connection.
func (l *Lane) Close() error { return l.conn.Close() }

// Conn returns the connection itself, for attacks on it.
func (l *Lane) Conn() net.Conn { return l.conn }

// Post returns the bytes of a request with a body.
func Post(path, host, contentType, key string, body []byte) []byte {
	b := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n", path, host, contentType, len(body))
	if key != "" {
		b = fmt.Appendf(b, "Authorization: Bearer %s\r\n", key)
	}
	b = append(b, "\r\n"...)
	return append(b, body...)
}

// Get returns the bytes of a request. more holds header lines, each with its line break.
func Get(path, host, more string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, more)
}

// Do sends a request as it is and reads the answer, up to 4 MiB of it.
func (l *Lane) Do(request []byte) (*http.Response, []byte, error) {
	if err := l.conn.SetDeadline(time.Now().Add(requestWait)); err != nil {
		return nil, nil, err
	}
	if _, err := l.conn.Write(request); err != nil {
		return nil, nil, err
	}
	return l.Answer()
}

// Answer reads the answer to a GET or a POST.
func (l *Lane) Answer() (*http.Response, []byte, error) {
	res, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	var body bytes.Buffer
	if res.ContentLength > 0 {
		body.Grow(int(min(res.ContentLength, answerMax)))
	}
	if _, err := io.Copy(&body, io.LimitReader(res.Body, answerMax)); err != nil {
		return res, nil, err
	}
	return res, body.Bytes(), nil
}

// Want works like Do, and returns an error unless the answer has the status.
func (l *Lane) Want(status int, request []byte) ([]byte, error) {
	res, body, err := l.Do(request)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != status {
		return nil, fmt.Errorf("status %s instead of %d: %.300s", res.Status, status, body)
	}
	return body, nil
}

// Drain reads an answer of any size and returns the bytes of its body.
func (l *Lane) Drain(request []byte) (int64, error) {
	if err := l.conn.SetDeadline(time.Now().Add(requestWait)); err != nil {
		return 0, err
	}
	if _, err := l.conn.Write(request); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("status %s", res.Status)
	}
	return io.CopyBuffer(io.Discard, struct{ io.Reader }{res.Body}, make([]byte, 256<<10))
}

// JSON quotes a value that needs no escapes.
func JSON(name, value string) string { return strconv.Quote(name) + ":" + strconv.Quote(value) }
