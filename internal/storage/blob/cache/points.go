package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"sandlot"
	"sandlot/internal/base/checkpoint"
)

// mostPoints is for how many blobs that were recorded without checkpoints they are remembered: some 3 KB for
// one of 100 MB.
const mostPoints = 1024

// points are the checkpoints of blobs that were read whole and had the SHA-256 that was recorded.
type points struct {
	max int

	mu    sync.Mutex
	known map[whole]string
	order []whole // the oldest first
}

type whole struct {
	ref  sandlot.BlobRef
	size int64
	sum  sandlot.Digest
}

func (p *points) get(of whole) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, ok := p.known[of]
	return text, ok
}

func (p *points) put(of whole, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[whole]string{}
	}
	if _, ok := p.known[of]; !ok {
		p.order = append(p.order, of)
	}
	p.known[of] = text
	if len(p.order) > p.max {
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
}

// pointed returns a blob with its checkpoints. Where none were recorded, all of it is read and compared with its
// SHA-256 first.
func (c *Blobs) pointed(ctx context.Context, b sandlot.Blob) (sandlot.Blob, error) {
	switch {
	case b.Size <= checkpoint.Step && b.Checkpoints == "", checkpoint.Complete(b.Checkpoints, b.Size):
		return b, nil
	case b.Checkpoints != "":
		return b, fmt.Errorf("%w: the checkpoints recorded with it are not those of %d bytes", sandlot.ErrCorrupt, b.Size)
	}
	of := whole{b.Ref, b.Size, b.SHA256}
	if text, ok := c.points.get(of); ok {
		b.Checkpoints = text
		return b, nil
	}
	got := c.flying.wait(ctx, c.flying.join(ctx, of, func(ctx context.Context) landing { return c.readWhole(ctx, of) }))
	b.Checkpoints = got.points
	return b, got.err
}

// readWhole computes the checkpoints of a blob whose SHA-256 is right: from the folder, as far as it is there,
// and if that does not match from the store alone.
func (c *Blobs) readWhole(ctx context.Context, of whole) landing {
	first := 0
	if c.files == nil {
		first = 1
	}
	var err error
	for try := first; try < 3; try++ {
		var text string
		if text, err = c.readOnce(ctx, of, try == 0); err == nil {
			c.points.put(of, text)
			return landing{points: text}
		}
		if !errors.Is(err, sandlot.ErrCorrupt) {
			break
		}
		c.corrupt.Add(1)
	}
	return landing{err: err}
}

func (c *Blobs) readOnce(ctx context.Context, of whole, fromFiles bool) (string, error) {
	h := checkpoint.New()
	for n := range (of.size-1)/checkpoint.Step + 1 {
		data, err := c.raw(ctx, of, n, fromFiles)
		if err != nil {
			return "", err
		}
		_, _ = h.Write(data) // never fails
	}
	if h.Sum() != of.sum {
		return "", fmt.Errorf("%w: %d bytes of another SHA-256 than %s", sandlot.ErrCorrupt, of.size, of.sum)
	}
	return h.Points(), nil
}

// raw returns the bytes of a piece that nothing proves by itself, and keeps them.
func (c *Blobs) raw(ctx context.Context, of whole, n int64, fromFile bool) ([]byte, error) {
	p := piece{id: id{of.ref, n}, size: min(of.size-n*checkpoint.Step, checkpoint.Step), of: of.size}
	if c.files != nil && fromFile {
		if data, err := c.files.read(p); err == nil {
			return data, nil
		}
	}
	data := make([]byte, p.size)
	if err := c.Fetch(ctx, of.ref, of.size, n*checkpoint.Step, data); err != nil {
		return nil, err
	}
	c.save(p, data, false)
	return data, nil
}

// read returns what a file of the right size holds.
func (f *files) read(p piece) ([]byte, error) {
	file, err := os.Open(f.path(p.id))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if fi, err := file.Stat(); err != nil || fi.Size() != p.size {
		return nil, io.ErrUnexpectedEOF
	}
	data := make([]byte, p.size)
	_, err = io.ReadFull(file, data)
	return data, err
}
