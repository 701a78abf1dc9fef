package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandlot/internal/testkit/expect"
)

// maker has all the time of the world: a slow machine is no reason for another answer.
func maker() *Maker { return NewMaker(func() time.Duration { return 0 }) }

// drawn is a picture of so many pixels in four colours, one for each corner.
func drawn(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, [4]color.NRGBA{{200, 0, 0, 255}, {0, 200, 0, 255}, {0, 0, 200, 255}, {200, 200, 0, 255}}[2*(2*y/h)+2*x/w])
		}
	}
	return img
}

// noise is a picture that no format makes small.
func noise(w, h int) *image.RGBA {
	img, random := image.NewRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32()) | uint8(i%4/3*255)
	}
	return img
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	expect.OK(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img))
	return out.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	expect.OK(t, jpeg.Encode(&out, img, nil))
	return out.Bytes()
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	expect.OK(t, err)
	return b
}

// decoded reads a made picture of one width.
func decoded(t testing.TB, m Made, width int) image.Image {
	t.Helper()
	for _, s := range m.Sizes {
		if s.Width == width {
			img, _, err := image.Decode(bytes.NewReader(s.Bytes))
			expect.OK(t, err)
			return img
		}
	}
	t.Fatalf("it was not made %d wide", width)
	return nil
}

// near reports whether a pixel has a colour, within the accuracy of JPEG.
func near(img image.Image, x, y int, want color.NRGBA) bool {
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	off := func(a, b uint8) bool { return max(a, b)-min(a, b) > 24 }
	return !off(c.R, want.R) && !off(c.G, want.G) && !off(c.B, want.B)
}

func TestPicturesAreCutToTheirShapeInAllWidths(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string][]byte{
		"wide PNG": pngOf(t, drawn(1500, 800)), "tall JPEG": jpegOf(t, drawn(700, 1400)), "moving PNG": chunked(pngOf(t, drawn(640, 360)), "acTL\x00\x00\x00\x02\x00\x00\x00\x00", "fdAT\x00\x00\x00\x01frame"), "progressive JPEG": progressive(640, 360, 2), "lossy WebP": sample(t, "lossy.webp"), "lossless WebP": sample(t, "lossless.webp"), "WebP of many sets": naming(640, 360, 300, 300), "WebP as of a browser": sample(t, "lossless-sets.webp"), "WebP with alpha": sample(t, "alpha.webp"),
	} {
		for _, shape := range []Shape{Cover(), Portrait()} {
			made, err := maker().Make(t.Context(), bytes.NewReader(sent), shape)
			expect.OK(t, err, name)
			expect.Equal(t, name+": widths", len(made.Sizes), len(shape.Widths))
			for i, w := range shape.Widths {
				img := decoded(t, made, w.Pixels)
				b := img.Bounds()
				if wide := float64(b.Dx()*shape.H) / float64(b.Dy()*shape.W); wide < .95 || wide > 1.05 || b.Dx() > w.Pixels || len(made.Sizes[i].Bytes) > w.Bytes {
					t.Errorf("%s: %d wide it is %v in %d bytes", name, w.Pixels, b, len(made.Sizes[i].Bytes))
				}
				if strings.Contains(name, "PNG") && (!near(img, 2, 2, color.NRGBA{R: 200}) || !near(img, b.Dx()-3, b.Dy()-3, color.NRGBA{R: 200, G: 200})) {
					t.Errorf("%s: its corners are %v and %v", name, img.At(2, 2), img.At(b.Dx()-3, b.Dy()-3))
				}
			}
		}
	}
}

func TestAPictureFitsItsBytesWhateverItShows(t *testing.T) {
	t.Parallel()
	made, err := maker().Make(t.Context(), bytes.NewReader(jpegOf(t, noise(1280, 720))), Cover())
	expect.OK(t, err)
	for i, w := range Cover().Widths[1:] {
		if n := len(made.Sizes[i+1].Bytes); n > w.Bytes || made.PNG {
			t.Errorf("%d wide it has %d bytes", w.Pixels, n)
		}
	}
}

func TestSmallPixelArtIsEnlargedCrisp(t *testing.T) {
	t.Parallel()
	made, err := maker().Make(t.Context(), bytes.NewReader(pngOf(t, drawn(64, 36))), Cover())
	expect.OK(t, err)
	img := decoded(t, made, 1280)
	if !made.PNG || img.Bounds().Dx() != 1280 || img.At(639, 0) != (color.RGBA{200, 0, 0, 255}) || img.At(640, 0) != (color.RGBA{0, 200, 0, 255}) || len(made.Sizes[0].Bytes) > 8<<10 {
		t.Errorf("PNG %v, %v, %v next to %v, %d bytes", made.PNG, img.Bounds(), img.At(639, 0), img.At(640, 0), len(made.Sizes[0].Bytes))
	}
}

func TestEveryTurnOfEXIFIsSeenUpright(t *testing.T) {
	t.Parallel()
	// The place in the file of the pixels shown at the top left, and at the top right: red, green, blue, yellow.
	for o, want := range map[int][2]color.NRGBA{
		1: {{R: 200}, {G: 200}}, 2: {{G: 200}, {R: 200}}, 3: {{R: 200, G: 200}, {B: 200}}, 4: {{B: 200}, {R: 200, G: 200}},
		5: {{R: 200}, {B: 200}}, 6: {{B: 200}, {R: 200}}, 7: {{R: 200, G: 200}, {G: 200}}, 8: {{G: 200}, {R: 200, G: 200}},
	} {
		sent := withEXIF(jpegOf(t, drawn(400, 300)), o)
		made, err := maker().Make(t.Context(), bytes.NewReader(sent), Cover())
		expect.OK(t, err)
		img := decoded(t, made, 320)
		if b := img.Bounds(); !near(img, 4, 4, want[0]) || !near(img, b.Dx()-5, 4, want[1]) {
			t.Errorf("%d: %v and %v", o, img.At(4, 4), img.At(b.Dx()-5, 4))
		}
		for _, s := range made.Sizes {
			if bytes.Contains(s.Bytes, []byte("Exif")) || bytes.Contains(s.Bytes, []byte("here I live")) {
				t.Errorf("%d: what was sent beside the picture is in it", o)
			}
		}
	}
}

// withEXIF puts how a picture is to be turned, and a place, into a JPEG.
func withEXIF(sent []byte, orientation int) []byte {
	exif := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), byte(orientation), 0, 0)
	exif = append(exif, "GPS: here I live"...)
	out := append([]byte("\xff\xd8\xff\xe1"), byte((len(exif)+2)>>8), byte(len(exif)+2))
	return append(append(out, exif...), sent[2:]...)
}

func TestWhatCanBeSeenThroughIsLaidOnAGround(t *testing.T) {
	t.Parallel()
	for want, c := range map[color.NRGBA]color.NRGBA{{R: 0xf6, G: 0xf4, B: 0xf0}: {20, 20, 20, 255}, {R: 0x1d, G: 0x1b, B: 0x26}: {250, 250, 250, 255}} {
		img := image.NewNRGBA(image.Rect(0, 0, 640, 360))
		for x := range 320 {
			img.SetNRGBA(x+160, 180, c)
		}
		made, err := maker().Make(t.Context(), bytes.NewReader(pngOf(t, img)), Cover())
		expect.OK(t, err)
		if got := decoded(t, made, 640); !near(got, 5, 5, want) {
			t.Errorf("%v is laid on %v", c, got.At(5, 5))
		}
	}
}

// header is a PNG that says it has so many pixels, and has none.
func header(w, h uint32, depth, kind, interlaced byte) []byte {
	ihdr := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	ihdr = append(binary.BigEndian.AppendUint32(ihdr, h), depth, kind, 0, 0, interlaced)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr))
}

// frame is a JPEG that says the same.
func frame(w, h uint16, marker byte, components ...byte) []byte {
	out := append([]byte("\xff\xd8\xff"), marker, 0, byte(8+3*len(components)), 8)
	out = append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(out, h), w), byte(len(components)))
	for i, c := range components {
		out = append(out, byte(i+1), c, 0)
	}
	return out
}

// scan is the beginning of a JPEG's picture.
const scan = "\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"

// chunked is a PNG with these chunks before its picture.
func chunked(sent []byte, chunks ...string) []byte {
	out := slices.Clone(sent[:33])
	for _, c := range chunks {
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(c)-4)), c...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE([]byte(c)))
	}
	return append(out, sent[33:]...)
}

// forPrint is a JPEG of four inks in one tone, each all or nothing, in the form that Adobe's mark gives a number.
func forPrint(w, h uint16, form byte, tone ...byte) []byte {
	mark := append([]byte("\xff\xee\x00\x0eAdobe\x00d\x00\x00\x00\x00"), form)
	quants := append([]byte{0xff, 0xdb, 0, 67, 0}, bytes.Repeat([]byte{8}, 64)...)
	tables := slices.Concat([]byte{0xff, 0xc4, 0, 22, 0, 0, 3}, make([]byte, 14), []byte{0, 7, 8}, []byte{0xff, 0xc4, 0, 20, 0x10, 1}, make([]byte, 16))
	scan := []byte{0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0}
	bits := "" // of the first blocks: how far from the middle each is; the others differ from them by nothing
	for _, v := range tone {
		bits += map[byte]string{0: "1001111111", 128: "00", 255: "011111111"}[v] + "0"
	}
	bits += strings.Repeat("000", 4*(int(w+7)/8*(int(h+7)/8)-1))
	size := frame(w, h, 0xc0, 0x11, 0x11, 0x11, 0x11)
	out := slices.Concat(size[:2], mark, quants, size[2:], tables, scan)
	for len(bits) > 0 {
		n, _ := strconv.ParseUint((bits + "1111111")[:8], 2, 8)
		if out = append(out, byte(n)); n == 0xff {
			out = append(out, 0)
		}
		bits = bits[min(8, len(bits)):]
	}
	return append(out, 0xff, 0xd9)
}

func TestAPictureForPrintHasItsColours(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		sent []byte
		want color.NRGBA
	}{
		"red of four inks":   {forPrint(64, 36, 0, 255, 0, 0, 255), color.NRGBA{R: 255}},
		"black of four inks": {forPrint(64, 36, 0, 255, 255, 255, 0), color.NRGBA{}},
		"white by its light": {forPrint(64, 36, 2, 0, 128, 128, 255), color.NRGBA{R: 255, G: 255, B: 255}},
	} {
		made, err := maker().Make(t.Context(), bytes.NewReader(row.sent), Cover())
		expect.OK(t, err, name)
		if img := decoded(t, made, 320); !near(img, 9, 9, row.want) {
			t.Errorf("%s: %v", name, img.At(9, 9))
		}
	}
}

// riff is a WebP of these chunks.
func riff(chunks ...string) []byte {
	all := "WEBP" + strings.Join(chunks, "")
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(all))), all...)
}

func part(name, body string) string {
	return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body
}

func TestHostilePicturesAreRefused(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, drawn(64, 36))
	for name, row := range map[string]struct {
		sent []byte
		want Problem
	}{
		"nothing":                      {nil, Problem{Kind: NotPicture}},
		"a text":                       {[]byte("Hello"), Problem{Kind: NotPicture}},
		"HTML":                         {[]byte("<!doctype html><script>alert(1)</script>"), Problem{Kind: NotPicture}},
		"an SVG":                       {[]byte(`<?xml version="1.0"?><SVG xmlns="http://www.w3.org/2000/svg"><script/></SVG>`), Problem{Kind: OtherFormat, Format: "SVG"}},
		"a GIF that is a script":       {[]byte("GIF89a=1;alert(1)//"), Problem{Kind: OtherFormat, Format: "GIF"}},
		"a movie":                      {[]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"), Problem{Kind: OtherFormat, Format: "MP4"}},
		"a movie of another kind":      {[]byte("\x1a\x45\xdf\xa3 webm"), Problem{Kind: OtherFormat, Format: "WebM"}},
		"an AVIF":                      {[]byte("\x00\x00\x00\x20ftypavif"), Problem{Kind: OtherFormat, Format: "AVIF"}},
		"50,000 by 50,000":             {header(50_000, 50_000, 8, 6, 0), Problem{Kind: TooManyPixels, Format: "PNG", Width: 50_000, Height: 50_000}},
		"more than there is":           {header(1<<31-1, 1<<31-1, 8, 6, 0), Problem{Kind: Damaged, Format: "PNG"}},
		"a row":                        {header(1<<20, 16, 1, 0, 0), Problem{Kind: TooManyPixels, Format: "PNG", Width: 1 << 20, Height: 16}},
		"none":                         {header(0, 16, 8, 2, 0), Problem{Kind: Damaged, Format: "PNG"}},
		"16 bits":                      {header(4000, 3000, 16, 6, 0), Problem{Kind: TooMuchMemory, Format: "PNG", Width: 4000, Height: 3000}},
		"interlaced":                   {header(3000, 3000, 8, 6, 1), Problem{Kind: TooMuchMemory, Format: "PNG", Width: 3000, Height: 3000}},
		"a JPEG of 65,535":             {append(frame(65_535, 65_535, 0xc0, 0x11), scan...), Problem{Kind: TooManyPixels, Format: "JPEG", Width: 65_535, Height: 65_535}},
		"a progressive JPEG":           {append(frame(4000, 3000, 0xc2, 0x22, 0x11, 0x11), scan...), Problem{Kind: TooMuchMemory, Format: "JPEG", Width: 4000, Height: 3000}},
		"a JPEG for print":             {append(frame(3000, 3000, 0xc0, 0x11, 0x11, 0x11, 0x11), scan...), Problem{Kind: TooMuchMemory, Format: "JPEG", Width: 3000, Height: 3000}},
		"a JPEG of other colours":      {append(frame(3000, 3000, 0xc0, 0x11, 0x11, 0x11), "\xff\xee\x00\x0eAdobe\x00d\x00\x00\x00\x00\x00"+scan...), Problem{Kind: TooMuchMemory, Format: "JPEG", Width: 3000, Height: 3000}},
		"a JPEG of segments":           {[]byte("\xff\xd8" + strings.Repeat("\xff\xe0\x00\x02", 1001)), Problem{Kind: Damaged, Format: "JPEG"}},
		"a JPEG without a frame":       {[]byte("\xff\xd8\xff\xda\x00\x02"), Problem{Kind: Damaged, Format: "JPEG"}},
		"a JPEG behind nothing":        {behindNothing(600, 400), Problem{Kind: Damaged, Format: "JPEG"}},
		"a PNG without its palette":    {append(header(64, 36, 8, 3, 0), whole[33:]...), Problem{Kind: Damaged, Format: "PNG"}},
		"a cut PNG":                    {whole[:len(whole)-30], Problem{Kind: Damaged, Format: "PNG"}},
		"a PNG that is only its name":  {whole[:8], Problem{Kind: Damaged, Format: "PNG"}},
		"a cut JPEG":                   {jpegOf(t, drawn(64, 36))[:400], Problem{Kind: Damaged, Format: "JPEG"}},
		"a cut WebP":                   {sample(t, "lossy.webp")[:600], Problem{Kind: Damaged, Format: "WebP"}},
		"a WebP that moves":            {riff(part("VP8X", "\x02\x00\x00\x00\x0f\x00\x00\x0f\x00\x00")), Problem{Kind: Moving, Format: "WebP"}},
		"a WebP with a large canvas":   {riff(part("VP8X", "\x10\x00\x00\x00\xff\xff\xff\xff\xff\xff"), part("ALPH", "\x01abc"), part("VP8 ", "\x10\x00\x00\x9d\x01\x2a\x10\x00\x10\x00")), Problem{Kind: Damaged, Format: "WebP"}},
		"a WebP larger than it says":   {riff(part("VP8X", "\x00\x00\x00\x00\x0f\x00\x00\x0f\x00\x00"), part("VP8 ", "\x10\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f")), Problem{Kind: Damaged, Format: "WebP"}},
		"a WebP of many codes":         {naming(64, 53, 65_536, 0), Problem{Kind: TooMuchMemory, Format: "WebP", Width: 64, Height: 53}},
		"a WebP of fewer than it says": {naming(640, 360, 300, 200), Problem{Kind: Damaged, Format: "WebP"}},
		"a WebP that lies of its size": {[]byte("RIFF\xff\xff\xff\x7fWEBPVP8 \xf0\xff\xff\x7f\x10\x00\x00\x9d\x01\x2a\x10\x00\x10\x00"), Problem{Kind: Damaged, Format: "WebP"}},
		"two frames":                   {riff(part("VP8 ", "\x10\x00\x00\x9d\x01\x2a\x10\x00\x10\x00"), part("VP8 ", "\x10\x00\x00\x9d\x01\x2a\x10\x00\x10\x00")), Problem{Kind: TooManyPixels, Format: "WebP", Width: 1 << 30, Height: 1 << 30}},
		"too small":                    {pngOf(t, drawn(40, 12)), Problem{Kind: TooSmall, Width: 40, Height: 12}},
		"a line":                       {pngOf(t, drawn(4000, 9)), Problem{Kind: TooSmall, Width: 4000, Height: 9}},
		"too many bytes":               {append(whole, make([]byte, MaxBytes)...), Problem{Kind: TooManyBytes}},
	} {
		_, err := maker().Make(t.Context(), bytes.NewReader(row.sent), Cover())
		var p *Problem
		if !errors.As(err, &p) || *p != row.want {
			t.Errorf("%s: %+v %v", name, p, err)
		} else if !strings.HasSuffix(p.Error(), ".") {
			t.Errorf("%s: %s", name, p)
		}
	}
}

func TestWhatStandsBehindAPictureIsLeftOut(t *testing.T) {
	t.Parallel()
	const hidden = "PK\x03\x04<script>alert(1)</script>"
	lossy := sample(t, "lossy.webp")
	for name, sent := range map[string][]byte{
		"PNG and ZIP": append(pngOf(t, drawn(64, 36)), hidden...), "JPEG and script": append(jpegOf(t, drawn(64, 36)), hidden...),
		"PNG with a text, a place and a frame": chunked(pngOf(t, drawn(64, 36)), "tEXtComment\x00"+hidden, "eXIfMM\x00*"+hidden, "acTL\x00\x00\x00\x02\x00\x00\x00\x00", "fdAT\x00\x00\x00\x01"+hidden),
		"JPEG with a comment":                  slices.Concat([]byte("\xff\xd8\xff\xfe\x00"), []byte{byte(len(hidden) + 2)}, []byte(hidden), jpegOf(t, drawn(64, 36))[2:]),
		"WebP with a place":                    riff(string(lossy[12:]), part("EXIF", "MM\x00*"+hidden)),
	} {
		made, err := maker().Make(t.Context(), bytes.NewReader(sent), Cover())
		expect.OK(t, err, name)
		for _, s := range made.Sizes {
			if bytes.Contains(s.Bytes, []byte("script")) || bytes.Contains(s.Bytes, []byte("PK\x03")) {
				t.Errorf("%s: it is in the picture %d wide", name, s.Width)
			}
		}
	}
}

func TestASlowPictureEnds(t *testing.T) {
	t.Parallel()
	spent := time.Duration(0)
	m := NewMaker(func() time.Duration { spent += 100 * time.Millisecond; return spent })
	_, err := m.Make(t.Context(), bytes.NewReader(jpegOf(t, noise(640, 360))), Cover())
	var p *Problem
	if !errors.As(err, &p) || p.Kind != Slow {
		t.Errorf("it ended with %v", err)
	}
}

func TestAPictureForWhichThereIsNoTimeIsNotCalledSlow(t *testing.T) {
	sent := jpegOf(t, noise(640, 360))
	synctest.Test(t, func(t *testing.T) {
		starved := NewMaker(func() time.Duration { <-time.After(time.Second); return 0 }) // others are at work meanwhile
		_, err := starved.Make(t.Context(), bytes.NewReader(sent), Cover())
		expect.Is(t, "the end", err, context.DeadlineExceeded)
	})
}

// FuzzMake holds every picture to its promise: it is made whole and in its shape, or refused with a reason for its
// owner.
func FuzzMake(f *testing.F) {
	for _, name := range []string{"alpha.webp", "lossless.webp", "lossy.webp"} {
		f.Add(sample(f, name))
	}
	f.Add(pngOf(f, drawn(64, 36)))
	f.Add(jpegOf(f, noise(32, 18)))
	f.Add(withEXIF(jpegOf(f, drawn(36, 64)), 6))
	f.Add(progressive(64, 48, 3))
	f.Add(header(50_000, 50_000, 8, 6, 1))
	f.Fuzz(func(t *testing.T, sent []byte) {
		made, err := maker().Make(t.Context(), bytes.NewReader(sent), Portrait())
		if p := (*Problem)(nil); err != nil && !errors.As(err, &p) {
			t.Fatalf("it ends with %v", err)
		}
		for _, s := range made.Sizes {
			look, _, err := image.DecodeConfig(bytes.NewReader(s.Bytes))
			if err != nil || look.Width != look.Height || look.Width > s.Width {
				t.Errorf("in %d it is %d by %d: %v", s.Width, look.Width, look.Height, err)
			}
		}
	})
}

func TestAnErrorOfTheReaderIsNoProblemOfThePicture(t *testing.T) {
	t.Parallel()
	broken, sent := errors.New("broken"), pngOf(t, drawn(64, 36))
	_, err := maker().Make(t.Context(), first{bytes.NewReader(sent), func() error { return broken }}, Cover())
	expect.Is(t, "a broken reader", err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = maker().Make(ctx, first{bytes.NewReader(sent), func() error { cancel(); return nil }}, Cover())
	expect.Is(t, "an end of the call", err, context.Canceled)
}

// first is a source that calls before it is read.
type first struct {
	*bytes.Reader
	call func() error
}

func (f first) ReadAt(p []byte, off int64) (int, error) {
	if err := f.call(); err != nil {
		return 0, err
	}
	return f.Reader.ReadAt(p, off)
}
