// Package picture makes the pictures that the website shows of what somebody sent: read with a bound on
// bytes, pixels, memory and time, cut to one shape, scaled to a few widths, and written anew. Nothing that
// was sent is left in them but what one sees: no place, no profile, no other file behind the picture.
//
// It reads PNG, JPEG and WebP, told by their bytes and never by a name. Of an APNG it takes the picture that
// every viewer shows; SVG, GIF, moving WebP and movies are refused.
package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"runtime"
	"time"
)

// Limits of one picture. What is read, decoded and worked with comes to at most maxMemory.
const (
	MaxBytes  = 16 << 20
	MaxPixels = 24_000_000
	MinSide   = 16 // pixels, of what is left after the cut
	MinIcon   = 48 // the same, of what stands on a tile

	maxSide   = 16_384
	maxMemory = 60 << 20
	working   = 12 << 20                // rows, the picture in its largest width, and what encoders need
	maxTime   = 1500 * time.Millisecond // of a processor
	maxWait   = time.Minute             // on a machine that is busy with other things, half as long as a lease
)

// A Shape is how a kind of picture is cut, and in which widths it is made, the widest first, each with the bytes that it
// should not have more of.
type Shape struct {
	W, H   int // their ratio is that of every width
	Widths []Width
	Least  int // pixels that each side has to have after the cut; 0: MinSide
}

// Width is one width of a Shape, in pixels.
type Width struct{ Pixels, Bytes int }

// Cover is a project's picture, as wide as cards, and pages, show it.
func Cover() Shape {
	return Shape{W: 16, H: 9, Widths: []Width{{1280, 190_000}, {640, 60_000}, {320, 24_000}}}
}

// Portrait is an account's.
func Portrait() Shape {
	return Shape{W: 1, H: 1, Widths: []Width{{256, 24_000}, {96, 8_000}, {48, 4_000}}}
}

// Made is a picture, all of its widths in one format.
type Made struct {
	PNG   bool // else JPEG
	Sizes []Size
}

// Size is a picture in one width. It has fewer pixels than that where what was sent had fewer.
type Size struct {
	Width int
	Bytes []byte
}

// Maker makes pictures, one at a time. It may be used concurrently.
type Maker struct {
	spent func() time.Duration
	turn  chan struct{} // holds one
}

// NewMaker returns a Maker that knows by spent how long the thread that calls it was at work: see ProcessorTime.
func NewMaker(spent func() time.Duration) *Maker { return &Maker{spent, make(chan struct{}, 1)} }

// A Source is what pictures are made of: bytes that are here, for while they are read others wait for their turn. What somebody
// sends, or another machine has, is held first.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Make makes a picture of what src has. An error is a *Problem if it is about the picture, for its owner;
// else it is ctx's, or src's, or context.DeadlineExceeded where the machine has had no time for it in a minute.
func (m *Maker) Make(ctx context.Context, src Source, shape Shape) (Made, error) {
	return m.make(ctx, src, shape, func(img *image.RGBA) *image.RGBA { return img })
}

// MakeIcon makes a picture of an icon: it stands in the middle of the shape, on colours that go from one corner to the other.
func (m *Maker) MakeIcon(ctx context.Context, src Source, shape Shape, near, far color.RGBA) (Made, error) {
	return m.make(ctx, src, Shape{W: 1, H: 1, Widths: []Width{{512, 0}}, Least: MinIcon}, func(img *image.RGBA) *image.RGBA {
		return onTile(img, shape, near, far)
	}, shape)
}

// make reads a picture, cuts it as the first shape says, and writes what finish makes of it in the widths of the last.
func (m *Maker) make(ctx context.Context, src Source, cut Shape, finish func(*image.RGBA) *image.RGBA, written ...Shape) (Made, error) {
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
	img, err := m.read(ctx, data, cut)
	if err != nil {
		return Made{}, err
	}
	for _, s := range written {
		cut = s
	}
	return write(finish(img), cut)
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
	runtime.LockOSThread() // whose time is asked for
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
		return nil, &Problem{Kind: Damaged, Format: look.format} // it was not what its header said
	}
	part := cutOf(src.Bounds(), shape, look.turned())
	if least := max(shape.Least, MinSide); part.Dx() < least || part.Dy() < least {
		return nil, &Problem{Kind: TooSmall, Width: look.width, Height: look.height}
	}
	most := shape.Widths[0].Pixels
	return upright(shrink(src, part, most, look.turned()), look.orientation), nil
}
