package picture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// chunk is how much of a picture is held in one piece: what grows by doubling takes three times its room.
const chunk = 256 << 10

// held are the bytes of a picture, at most MaxBytes.
type held struct {
	chunks [][]byte
	size   int
}

// hold reads what r has, unless its first bytes tell that it is no picture.
func hold(r io.Reader) (*held, error) {
	h := &held{}
	r = Bounded(r)
	for {
		piece := make([]byte, chunk)
		n, err := io.ReadFull(r, piece)
		h.chunks, h.size = append(h.chunks, piece[:n]), h.size+n
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return h, nil
		case err != nil:
			return nil, err
		}
	}
}

// sniffed is how many bytes tell what a picture is.
const sniffed = 512

// bounded is a reader of at most MaxBytes, of what may be a picture.
type bounded struct {
	r     io.Reader
	n     int
	first []byte // up to sniffed
}

// Bounded reads r, until it has more than MaxBytes, or its first bytes tell that it is no picture: that is a *Problem.
func Bounded(r io.Reader) io.Reader { return &bounded{r: r} }

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.n += n; b.n > MaxBytes {
		return 0, &Problem{Kind: TooManyBytes}
	}
	if missing := sniffed - len(b.first); missing > 0 {
		b.first = append(b.first, p[:min(n, missing)]...)
		if len(b.first) == sniffed {
			if _, problem := sniff(b.first); problem != nil {
				return 0, problem
			}
		}
	}
	return n, err
}

// reader reads from the beginning.
func (h *held) reader() io.Reader {
	list := make([]io.Reader, len(h.chunks))
	for i, c := range h.chunks {
		list[i] = bytes.NewReader(c)
	}
	return io.MultiReader(list...)
}

// at returns up to n bytes from off on, fewer where there are no more.
func (h *held) at(off int64, n int) []byte {
	out := make([]byte, 0, n)
	for len(out) < n && off >= 0 && off < int64(h.size) {
		c := h.chunks[off/chunk]
		more := c[min(off%chunk, int64(len(c))):]
		more = more[:min(len(more), n-len(out))]
		if len(more) == 0 {
			break
		}
		out, off = append(out, more...), off+int64(len(more))
	}
	return out
}

var errLate = errors.New("reading a picture took too long")

// timed reads until it is too late, a little at a time: what decoders do with a few bytes may be much.
type timed struct {
	ctx   context.Context
	r     io.Reader
	spent func() time.Duration
	end   time.Duration
}

func (t *timed) Read(p []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	if t.spent() > t.end {
		return 0, errLate
	}
	return t.r.Read(p[:min(len(p), 1024)])
}
