package content

import (
	"io"
	"unicode/utf8"
)

// maxEmptyReads is how often in a row a reader may return nothing at all, the same as in bufio.
const maxEmptyReads = 100

// Fill reads into buf until it holds least bytes or more, and returns how many it holds. Unlike io.ReadAtLeast it
// returns r's own error, io.EOF included: a body that was cut off returns io.ErrUnexpectedEOF, and must not be mistaken
// for one that ended. The error may come with bytes. A reader that returns nothing a hundred times in a row is
// io.ErrNoProgress.
func Fill(r io.Reader, buf []byte, least int) (n int, err error) {
	for empty := 0; n < least && err == nil; {
		var m int
		m, err = r.Read(buf[n:])
		n += m
		if m > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}

// A Source remembers the error of its reader, so that an error of a decoder above it, or of a writer, is not mistaken
// for the reader's.
type Source struct {
	Reader io.Reader
	N      int64 // bytes read so far
	Err    error // the error that ended it; nil before that, and at its end
}

// Read implements io.Reader.
func (s *Source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.N += int64(n)
	if err != nil && err != io.EOF {
		s.Err = err
	}
	return n, err
}

// PartialRune returns how many bytes at the end of b begin a UTF-8 sequence that b does not complete.
func PartialRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
