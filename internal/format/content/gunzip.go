package content

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gunzipBuffer is the size of one read of the compressed stream.
const gunzipBuffer = 32 << 10

// Gunzip returns a reader of the decompressed bytes of the gzip stream r: all of its members, one after another, at
// most limit bytes. Memory does not grow with the stream, nor with the size of a bomb: reading stops at the limit.
//
// Read returns an *Error of kind InvalidContent if the stream is not gzip, is damaged, ends too early, or is followed
// by anything else, and of kind TooLarge if there is more than limit, after exactly limit bytes. Bytes read before an
// error are not verified: checksums stand at the end. An error of r itself is returned unchanged.
func Gunzip(r io.Reader, limit int64) io.Reader {
	src := &Source{Reader: r}
	return &gunzipper{src: src, buf: bufio.NewReaderSize(src, gunzipBuffer), limit: limit, left: limit}
}

type gunzipper struct {
	src         *Source
	buf         *bufio.Reader
	z           *gzip.Reader
	limit, left int64
	err         error
}

// Read reads decoded bytes.
func (g *gunzipper) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for g.err == nil {
		n, err := g.step(b)
		if int64(n) > g.left {
			n, err = int(g.left), fieldTooLarge("content", g.limit)
		}
		g.left -= int64(n)
		g.err = err
		if n > 0 {
			return n, nil
		}
	}
	return 0, g.err
}

// step reads from the member, or goes to the next one. It may read one byte beyond the limit, to find out whether there
// is one.
func (g *gunzipper) step(b []byte) (int, error) {
	if g.z == nil {
		return 0, g.first()
	}
	n, err := g.z.Read(b[:min(int64(len(b)), g.left+1)])
	if err == io.EOF {
		return n, g.next()
	}
	return n, g.explain(err)
}

func (g *gunzipper) first() error {
	magic, _ := g.buf.Peek(2) // the bytes that there are; an error of the source is kept beside it
	if !isMagic(magic) {
		if g.src.Err != nil {
			return g.src.Err
		}
		return gzipError(BadGzip, 1, "content is not gzip, which content_encoding declares")
	}
	var err error
	if g.z, err = gzip.NewReader(g.buf); err == nil {
		g.z.Multistream(false)
	}
	return g.explain(err)
}

// next goes to the next member, or returns io.EOF after the last.
func (g *gunzipper) next() error {
	magic, _ := g.buf.Peek(2)
	if g.src.Err != nil {
		return g.src.Err
	}
	if len(magic) == 0 {
		return io.EOF
	}
	at := g.src.N - int64(g.buf.Buffered()) + 1
	if !isMagic(magic) {
		return gzipError(GzipTrailing, at, fmt.Sprintf("the gzip stream in content is followed by something else, at its byte %d", at))
	}
	err := g.z.Reset(g.buf)
	g.z.Multistream(false)
	return g.explain(err)
}

// explain converts an error of the decoder to one of this package.
func (g *gunzipper) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case g.src.Err != nil:
		return g.src.Err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return gzipError(TruncatedGzip, 0, fmt.Sprintf("the gzip stream in content ends too early, after %d bytes", g.src.N))
	case errors.Is(err, gzip.ErrChecksum):
		return gzipError(BadGzip, 0, "the gzip stream in content is damaged: its checksum or its length is wrong")
	}
	return gzipError(BadGzip, 0, "the gzip stream in content is damaged")
}

func isMagic(b []byte) bool { return bytes.Equal(b, []byte{0x1f, 0x8b}) }

func gzipError(reason Reason, at int64, message string) *Error {
	return &Error{Kind: InvalidContent, Reason: reason, Field: "content", At: at, Message: message}
}
