package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// A look is what the header of a picture says of it.
type look struct {
	format        string
	width, height int
	memory        int64 // that it takes to decode it, at most
	orientation   int   // 1 to 8, as EXIF has it
	decode        func(io.Reader) (image.Image, error)
}

// turned tells whether it is shown with its sides for its ends.
func (l look) turned() bool { return l.orientation >= 5 }

// affordable tells whether a picture of so many bytes may be decoded.
func (l look) affordable(size int) error {
	p := &Problem{Format: l.format, Width: l.width, Height: l.height}
	switch {
	case l.width < 1 || l.height < 1:
		p.Kind = Damaged
	case l.width > maxSide, l.height > maxSide, int64(l.width)*int64(l.height) > MaxPixels:
		p.Kind = TooManyPixels
	case l.memory+int64(size)+working > maxMemory:
		p.Kind = TooMuchMemory
	default:
		return nil
	}
	return p
}

// look reads the header.
func (h *held) look() (look, error) {
	format, problem := sniff(h.at(0, sniffed))
	if problem != nil {
		return look{}, problem
	}
	l, ok := look{}, false
	switch format {
	case "PNG":
		l, ok = h.lookPNG()
		l.decode = png.Decode
	case "JPEG":
		l, ok = h.lookJPEG()
		l.decode = jpeg.Decode
	case "WebP":
		var moves bool
		if l, moves, ok = h.lookWebP(); moves {
			return look{}, &Problem{Kind: Moving, Format: format}
		}
		l.decode = webp.Decode
	}
	if l.format = format; !ok {
		return look{}, &Problem{Kind: Damaged, Format: format}
	}
	return l, nil
}

// signatures are how files begin, at an offset. Their names are the same in all languages.
var signatures = [...]struct {
	at    int
	bytes string
	name  string
	read  bool
}{
	{0, "\x89PNG\r\n\x1a\n", "PNG", true},
	{0, "\xff\xd8\xff", "JPEG", true},
	{8, "WEBP", "WebP", true},
	{0, "GIF8", "GIF", false},
	{4, "ftypavif", "AVIF", false},
	{4, "ftypavis", "AVIF", false},
	{4, "ftyphei", "HEIC", false},
	{4, "ftypmif1", "HEIC", false},
	{4, "ftyp", "MP4", false},
	{4, "moov", "MOV", false},
	{0, "\x1a\x45\xdf\xa3", "WebM", false},
	{0, "OggS", "Ogg", false},
	{8, "AVI ", "AVI", false},
	{0, "\x00\x00\x01\xba", "MPEG", false},
	{0, "BM", "BMP", false},
	{0, "II*\x00", "TIFF", false},
	{0, "MM\x00*", "TIFF", false},
	{0, "\x00\x00\x01\x00", "ICO", false},
	{0, "%PDF", "PDF", false},
}

// sniff tells the format by the first bytes, or the problem with them.
func sniff(first []byte) (string, error) {
	for _, s := range signatures {
		if len(first) >= s.at+len(s.bytes) && string(first[s.at:s.at+len(s.bytes)]) == s.bytes {
			if !s.read {
				return "", &Problem{Kind: OtherFormat, Format: s.name}
			}
			return s.name, nil
		}
	}
	if text := bytes.ToLower(first[:min(len(first), 512)]); bytes.Contains(text, []byte("<svg")) || bytes.Contains(text, []byte("<!doctype svg")) {
		return "", &Problem{Kind: OtherFormat, Format: "SVG"}
	}
	return "", &Problem{Kind: NotPicture}
}
