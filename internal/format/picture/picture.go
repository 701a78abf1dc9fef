// Package picture makes the website's pictures from the bytes of a sender: read with a bound on bytes, pixels, memory
// and time, cut to one shape, scaled to a few widths, and encoded anew. They keep nothing of the sender's bytes but the
// visible picture: no place, no profile, no other file behind the picture.
//
// It reads PNG, JPEG and WebP, identified by their bytes and never by a name. Of an APNG it takes the picture that
// every viewer shows; SVG, GIF, animated WebP and movies are refused.
package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"runtime"
	"time"
)

// Limits of one picture. Reading, decoding and working take at most maxMemory together.
const (
	MaxBytes  = 16 << 20
	MaxPixels = 24_000_000
	MinSide   = 16 // pixels, after the cut

	maxSide   = 16_384
	maxMemory = 60 << 20
	working   = 12 << 20                // rows, the picture in its largest width, and the memory of encoders
	maxTime   = 1500 * time.Millisecond // of a processor
	maxWait   = time.Minute             // on a machine that is busy otherwise, half as long as a lease
)

// A Shape is the cut of a kind of picture, with its widths, the widest first, each with its recommended most bytes.
type Shape struct {
	W, H   int // their ratio is that of every width
	Widths []Width
}

// Width is one width of a Shape, in pixels.
type Width struct{ Pixels, Bytes int }

// Cover returns the shape of a project's picture, as wide as cards, and pages, show it.
func Cover() Shape {
	return Shape{W: 16, H: 9, Widths: []Width{{1280, 190_000}, {640, 60_000}, {320, 24_000}}}
}

// Portrait returns the shape of an account's picture.
func Portrait() Shape {
	return Shape{W: 1, H: 1, Widths: []Width{{256, 24_000}, {96, 8_000}, {48, 4_000}}}
}

// Made is a picture, all of its widths in one format.
type Made struct {
	PNG   bool // otherwise JPEG
	Sizes []Size
}

// Size is a picture in one width. It has fewer pixels than that if the source had fewer.
type Size struct {
	Width int
	Bytes []byte
}

// Maker makes pictures, one at a time. It may be used concurrently.
type Maker struct {
	spent func() time.Duration
	turn  chan struct{} // holds one
}

// NewMaker returns a Maker; spent returns the working time of the calling thread: see ProcessorTime.
func NewMaker(spent func() time.Duration) *Maker { return &Maker{spent, make(chan struct{}, 1)} }

// A Source holds the bytes of a picture on this machine: others wait for their turn while they are read. Bytes from a
// client, or from another machine, must be held first.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Make makes a picture of src. An error is a *Problem if it is about the picture, for its owner; else it is ctx's, or
// src's, or context.DeadlineExceeded if the machine had no time for it in a minute.
func (m *Maker) Make(ctx context.Context, src Source, shape Shape) (Made, error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return Made{}, ctx.Err()
	}
	defer func() { <-m.turn }()
	data, err := hold(src)
	if err != nil {
		return Made{}, err
	}
	img, err := m.read(ctx, data, shape)
	if err != nil {
		return Made{}, err
	}
	return write(img, shape)
}

// read decodes data into no more pixels than the widest of the shape has.
func (m *Maker) read(ctx context.Context, data []byte, shape Shape) (*image.RGBA, error) {
	look, err := lookAt(data)
	if err != nil {
		return nil, err
	}
	if err := look.affordable(len(data)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	runtime.LockOSThread() // m.spent measures the time of this thread
	defer runtime.UnlockOSThread()
	src, err := look.decode(&timed{ctx: ctx, r: bytes.NewReader(data), spent: m.spent, end: m.spent() + maxTime})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errLate):
		return nil, &Problem{Kind: Slow}
	case err != nil:
		return nil, &Problem{Kind: Damaged, Format: look.format}
	case src.Bounds().Dx() != look.width || src.Bounds().Dy() != look.height:
		return nil, &Problem{Kind: Damaged, Format: look.format} // it did not match its header
	}
	part := cutOf(src.Bounds(), shape, look.turned())
	if part.Dx() < MinSide || part.Dy() < MinSide {
		return nil, &Problem{Kind: TooSmall, Width: look.width, Height: look.height}
	}
	most := shape.Widths[0].Pixels
	return upright(shrink(src, part, most, look.turned()), look.orientation), nil
}
