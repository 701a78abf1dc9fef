package content

import (
	"errors"
	"io"
	"strings"
)

// slack is how much larger a decode buffer is than its decoded bytes: the end of a group, and room for a SIMD store.
const slack = 64

// moreChars is how many characters content may have beyond twice its bytes: it stops endless line breaks.
const moreChars = 256 << 10

// A contentReader is sink's reader: it yields the decoded bytes of content.
type contentReader struct {
	text   text
	unpack unpacker
	field  string // the member
	lim    int64
	out    []byte // decoded
	ready  []byte // unread bytes of out
	first  []byte // the first two bytes
	total  int64  // bytes decoded so far
	err    error  // after ready
}

func newContentReader(p *parser) *contentReader {
	return &contentReader{text: text{p: p}, unpack: unpacker{enc: p.form.Encoding}, field: "content", lim: p.lim.Content}
}

// Read reads decoded bytes, up to 48 KiB at once.
func (c *contentReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if err := c.fill(); err != nil {
		return 0, err
	}
	n := copy(b, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

// WriteTo writes all unread bytes to w, 24 to 48 KiB at once, without copying them.
func (c *contentReader) WriteTo(w io.Writer) (written int64, err error) {
	for {
		if err := c.fill(); err == io.EOF {
			return written, nil
		} else if err != nil {
			return written, err
		}
		n, err := w.Write(c.ready)
		written += int64(n)
		if err == nil && n < len(c.ready) {
			err = io.ErrShortWrite
		}
		c.ready = c.ready[n:]
		if err != nil {
			return written, err
		}
	}
}

// fill makes ready not empty, or returns the error that follows it.
func (c *contentReader) fill() error {
	for len(c.ready) == 0 {
		if c.err != nil {
			return c.called(c.err)
		}
		var n int
		n, c.err = c.decode()
		c.keep(c.out[:n])
	}
	return nil
}

// decode decodes the next block into out.
func (c *contentReader) decode() (int, error) {
	b, err := c.text.next()
	if c.text.chars > 2*c.lim+moreChars {
		return 0, contentTooLarge(c.lim)
	}
	c.room(len(b.text))
	if err == nil {
		return c.unpack.block(c.out, &b)
	}
	if err != io.EOF {
		return 0, err
	}
	n, err := c.unpack.finish(c.out)
	if err == nil {
		err = io.EOF
	}
	return n, err
}

func (c *contentReader) room(chars int) {
	c.out = c.text.p.room(chars/4*3 + slack)
}

// called puts the member's own name in an error of the content.
func (c *contentReader) called(err error) error {
	var e *Error
	if c.field == "content" || !errors.As(err, &e) || e.Field != "content" {
		return c.text.p.about(err)
	}
	own := *e
	own.Field = c.field
	if rest, ok := strings.CutPrefix(e.Message, "content "); ok {
		own.Message = c.field + " " + rest
	}
	return &own
}

// keep makes b ready, unless it goes beyond the limit. The limit takes precedence over an error after b, so that the
// answer does not depend on how the body was cut on its way.
func (c *contentReader) keep(b []byte) {
	c.first = append(c.first, b[:min(2-len(c.first), len(b))]...)
	c.total += int64(len(b))
	if c.total > c.allowed() {
		c.err = contentTooLarge(c.lim)
		return
	}
	c.ready = b
}

// allowed returns the most bytes that may pass.
func (c *contentReader) allowed() int64 {
	if isMagic(c.first) && (c.unpack.enc.Gzip || c.unpack.enc.Declared == "") {
		return c.lim + gzipRoom
	}
	return c.lim
}

// close makes a reader harmless that was kept after sink returned: the bytes that it would read are no longer content.
func (c *contentReader) close() {
	c.ready, c.err = nil, errSinkDone
}
