package picture

import "fmt"

// Kind is the kind of a problem with a picture.
type Kind string

// The kinds, which are stored: they never change.
const (
	NotPicture    Kind = "not-a-picture"
	OtherFormat   Kind = "format" // one that is not supported: Format names it
	Moving        Kind = "moving" // an animation: Format names it
	TooManyBytes  Kind = "bytes"
	TooManyPixels Kind = "pixels"
	TooMuchMemory Kind = "memory" // fewer pixels than that, in a form that takes too much memory
	TooSmall      Kind = "small"
	Damaged       Kind = "damaged"
	Slow          Kind = "slow"
)

// A Problem is the reason why the sender's bytes make no picture. Its message says what the owner can do.
type Problem struct {
	Kind          Kind
	Format        string // its name for people, such as "GIF", if it is known
	Width, Height int    // if it is about them
}

// Error returns the message, in English.
func (p *Problem) Error() string {
	switch p.Kind {
	case OtherFormat:
		return fmt.Sprintf("Its format is %s. Save one picture of it as a PNG, JPEG or WebP file, and take that.", p.Format)
	case Moving:
		return fmt.Sprintf("It is a %s that moves. Save one picture of it as a PNG, JPEG or WebP file, and take that.", p.Format)
	case TooManyBytes:
		return fmt.Sprintf("It has more than %d MB. Make it smaller: 1280 by 720 pixels are enough.", MaxBytes>>20)
	case TooManyPixels:
		return fmt.Sprintf("It has %d by %d pixels, and at most %d million are read. Make it smaller: 1280 by 720 are enough.",
			p.Width, p.Height, MaxPixels/1_000_000)
	case TooMuchMemory:
		return fmt.Sprintf("With %d by %d pixels in this form it takes too much memory. Make it smaller: 1280 by 720 are enough. "+
			"Or save it as an ordinary JPEG or PNG file.", p.Width, p.Height)
	case TooSmall:
		return fmt.Sprintf("It has only %d by %d pixels. Take one of at least 640 by 360.", p.Width, p.Height)
	case Damaged:
		return "It is damaged, and cannot be read to its end. Save it again, and send it whole."
	case Slow:
		return "It takes too long to read. Make it smaller: 1280 by 720 pixels are enough. Or save it as an ordinary JPEG or PNG file."
	}
	return "It is not a picture. Take a PNG, JPEG or WebP file."
}
