package content

import (
	"fmt"
	"io"
	"math"
)

const (
	// maxWindow is the window for a large body: large enough that calls cost nothing compared with the bytes, small
	// enough for the CPU's cache.
	maxWindow = 64 << 10
	// leastFirst and mostFirst bound the first window of a body, which has room for its announced length. It grows
	// fourfold whenever as much was read: most bodies are small, and need no more.
	leastFirst, mostFirst = 4 << 10, 16 << 10
)

// A scanner shows a body through a window. The bytes of buf up to r are consumed, those up to v are visible, and those
// up to w are read: v stays behind w if more bytes were read than the budget of the rest allows to consume.
type scanner struct {
	body    io.Reader
	buf     []byte
	begin   int // the first window
	max     int // the largest window
	r, v, w int
	base    int64  // offset of buf[0] in the body
	end     int64  // offset up to which the body may be consumed
	err     error  // the final error of body
	field   string // the member of the body being read, for messages
	tok     []byte // the bytes consumed by take since the caller last emptied it: at most the budget
}

func newScanner(body io.Reader, window int, length, rest int64) scanner {
	return scanner{body: body, begin: int(min(max(length+1, leastFirst), mostFirst)), max: window, end: rest}
}

// offset returns how many bytes of the body are consumed.
func (s *scanner) offset() int64 { return s.base + int64(s.r) }

// seen returns the bytes that can be consumed without another fill.
func (s *scanner) seen() []byte { return s.buf[s.r:s.v] }

// peek returns the next byte without consuming it.
func (s *scanner) peek() (byte, error) {
	if s.r == s.v {
		if err := s.more(); err != nil {
			return 0, err
		}
	}
	return s.buf[s.r], nil
}

// take consumes n visible bytes.
func (s *scanner) take(n int) {
	s.tok = append(s.tok, s.buf[s.r:s.r+n]...)
	s.r += n
}

// more shows at least one byte more, or returns an error.
func (s *scanner) more() error {
	had := s.v - s.r
	if s.v == s.w && s.err == nil {
		s.fill()
	}
	if s.v-s.r > had {
		return nil
	}
	if s.v < s.w {
		return restTooLarge()
	}
	return s.ended()
}

// ended returns the error of a body that ends here.
func (s *scanner) ended() error {
	if s.err == io.EOF || s.err == io.ErrUnexpectedEOF {
		return truncated(plainName(s.field), s.base+int64(s.w))
	}
	return fmt.Errorf("read body: %w", s.err)
}

// fill moves unconsumed bytes to the front of the window and reads until half of it is full: many small reads would
// otherwise become as many small writes. Of the first window it reads less: a client may send no more before an answer.
func (s *scanner) fill() {
	s.slide()
	half := len(s.buf) / 2
	if len(s.buf) == s.begin {
		half = leastFirst / 2
	}
	var n int
	n, s.err = Fill(s.body, s.buf[s.w:], max(1, half-s.w))
	s.w += n
	s.show()
}

func (s *scanner) slide() {
	to := s.buf
	if len(to) < s.max && s.base+int64(s.w) >= int64(len(to)) {
		to = make([]byte, min(s.max, max(s.begin, 4*len(to))))
	}
	s.w = copy(to, s.buf[s.r:s.w])
	s.buf = to
	s.base += int64(s.r)
	s.r = 0
}

// show sets v to the end of the budget.
func (s *scanner) show() {
	s.v = int(min(int64(s.w), s.end-s.base))
}

// unlimited lifts the budget and returns the rest of it.
func (s *scanner) unlimited() (left int64) {
	left = s.end - s.offset()
	s.end = math.MaxInt64
	s.show()
	return left
}

// limit allows n more bytes to be consumed.
func (s *scanner) limit(n int64) {
	s.end = s.offset() + n
	s.show()
}
