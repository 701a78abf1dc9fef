package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
)

// A look holds the facts in the header of a picture.
type look struct {
	format        string
	width, height int
	memory        int64 // for decoding it, at most
	orientation   int   // 1 to 8, as in EXIF
	decode        func(io.Reader) (image.Image, error)
}

// turned reports whether the picture is shown on its side.
func (l look) turned() bool { return l.orientation >= 5 }

// affordable returns a *Problem if a picture of so many bytes may not be decoded.
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

// lookAt reads the header of a picture.
func lookAt(data []byte) (look, error) {
	format, problem := sniff(data[:min(len(data), sniffed)])
	if problem != nil {
		return look{}, problem
	}
	l, err := look{orientation: 1}, error(nil)
	switch format {
	case "PNG":
		err = l.png(data)
	case "JPEG":
		err = l.jpeg(data)
	case "WebP":
		err = l.webp(data)
	}
	if l.format = format; err == errMoves {
		return look{}, &Problem{Kind: Moving, Format: format}
	} else if err != nil {
		return look{}, &Problem{Kind: Damaged, Format: format}
	}
	return l, nil
}

// mostChunks bounds the chunks of a PNG: the decoder leaves 4 KiB of garbage for each that it skips.
const mostChunks = 10_000

// png reads the header of a PNG, and counts its chunks.
func (l *look) png(data []byte) error {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err
	}
	l.width, l.height, l.decode = c.Width, c.Height, png.Decode
	perPixel := int64(4) // also grey with a transparent colour
	switch c.ColorModel.(type) {
	case color.Palette:
		perPixel = 1
	default:
		if data[24] == 16 { // bits of each colour
			perPixel = 8
		}
	}
	l.memory = int64(c.Width)*int64(c.Height)*perPixel + 16*int64(c.Width)
	if data[28] != 0 { // interlaced: each pass is a picture of its own until it is merged
		l.memory *= 2
	}
	for n, off := 0, int64(8); off+8 <= int64(len(data)) && string(data[off+4:off+8]) != "IEND"; n++ {
		if off += 12 + int64(binary.BigEndian.Uint32(data[off:])); n > mostChunks {
			l.memory = maxMemory
			break
		}
	}
	return nil
}

// jpeg reads the frame of a JPEG, and finds its orientation.
func (l *look) jpeg(data []byte) error {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err
	}
	l.width, l.height, l.decode = c.Width, c.Height, jpeg.Decode
	l.memory = samplesOf(data, c)
	switch pixels := int64(c.Width) * int64(c.Height); { // colours other than YCbCr are written once more, or twice
	case c.ColorModel == color.CMYKModel:
		l.memory += 8 * pixels
	case c.ColorModel != color.GrayModel && (c.ColorModel == color.RGBAModel || bytes.Contains(data, []byte("Adobe"))):
		l.memory += 4 * pixels
	}
	if _, exif, ok := bytes.Cut(data[:min(len(data), mostEXIF)], []byte("Exif\x00\x00")); ok {
		l.orientation = max(orientationOf(exif), 1)
	}
	return nil
}

// mostEXIF is how far into a JPEG its EXIF may begin and end: two of the longest segments.
const mostEXIF = 128 << 10

// samplesOf returns the memory of the samples of a JPEG, and of the coefficients of a progressive one, at most. Only
// the decoder knows which of the bytes are its frame: all that look like one with these sides count, wherever they are.
func samplesOf(data []byte, c image.Config) (most int64) {
	for i := 0; i+10 < len(data); i++ {
		f := data[i:]
		if f[0] != 0xff || f[1] < 0xc0 || f[1] > 0xc2 {
			continue
		}
		n, high, wide := int(f[9]), int(binary.BigEndian.Uint16(f[5:])), int(binary.BigEndian.Uint16(f[7:]))
		if n < 1 || n > 4 || len(f) < 10+3*n || high != c.Height || wide != c.Width {
			continue
		}
		all, across, down := int64(0), int64(1), int64(1)
		for k := range n {
			h, v := int64(f[11+3*k]>>4), int64(f[11+3*k]&15)
			all, across, down = all+h*v, max(across, h), max(down, v)
		}
		across, down = (int64(wide)+8*across-1)/(8*across), (int64(high)+8*down-1)/(8*down)
		samples := 64 * across * down * all // in whole blocks
		if f[1] == 0xc2 {                   // progressive: four bytes for each coefficient
			samples *= 5
		}
		most = max(most, samples)
	}
	return most
}

// signatures are the first bytes of files, at an offset. The names are the same in all languages.
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
	{4, "ftypavi", "AVIF", false},
	{4, "ftyphei", "HEIC", false},
	{4, "ftyp", "MP4", false},
	{0, "\x1a\x45\xdf\xa3", "WebM", false},
	{0, "BM", "BMP", false},
	{0, "II*\x00", "TIFF", false},
	{0, "MM\x00*", "TIFF", false},
	{0, "%PDF", "PDF", false},
}

// sniff returns the format of the first bytes, or the problem with them.
func sniff(first []byte) (string, error) {
	for _, s := range signatures {
		if bytes.HasPrefix(first[min(len(first), s.at):], []byte(s.bytes)) {
			if !s.read {
				return "", &Problem{Kind: OtherFormat, Format: s.name}
			}
			return s.name, nil
		}
	}
	if bytes.Contains(bytes.ToLower(first), []byte("<svg")) {
		return "", &Problem{Kind: OtherFormat, Format: "SVG"}
	}
	return "", &Problem{Kind: NotPicture}
}
