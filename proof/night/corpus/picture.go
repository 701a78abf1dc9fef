package corpus

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// pictures are the methods that show a picture of a page.
var pictures = []trick{
	{"fields", "lllcpt", true, false, func(s *scene) map[string][]byte { return overlay(s, false) }},
	{"one-field", "l", true, false, func(s *scene) map[string][]byte { return overlay(s, true) }},
	{"inline-fields", "llcp", true, false, inlined},
	{"link", noWallet, false, true, func(s *scene) map[string][]byte { return drawn(s, "picture-link") }},
	{"map", "llpt", false, true, func(s *scene) map[string][]byte { return drawn(s, "picture-map") }},
	{"click", all, false, true, func(s *scene) map[string][]byte {
		s.A = encode("https://" + s.Host + "/a")
		return drawn(s, "picture-click")
	}},
	{"code", "llwp", false, true, scanned},
}

// family is the font of the pictures. It has Latin letters alone: the pictures of other languages have English texts.
var family = func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	return f
}()

// A sheet is a picture while it is drawn.
type sheet struct{ *image.RGBA }

func newSheet(width, height int, back color.Color) sheet {
	s := sheet{image.NewRGBA(image.Rect(0, 0, width, height))}
	s.fill(s.Rect, back)
	return s
}

func (s sheet) fill(r image.Rectangle, c color.Color) {
	draw.Draw(s, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// write draws a text from a point, broken at a width.
func (s sheet) write(x, y, width int, size float64, c color.Color, text string) {
	face, err := opentype.NewFace(family, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic(err)
	}
	d := font.Drawer{Dst: s, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	for _, word := range strings.Fields(text) {
		if d.Dot.X+d.MeasureString(word) > fixed.I(x+width) && d.Dot.X > fixed.I(x) {
			d.Dot.X, d.Dot.Y = fixed.I(x), d.Dot.Y+fixed.I(int(size*1.4))
		}
		d.DrawString(word + " ")
	}
}

func (s sheet) png() []byte {
	var out bytes.Buffer
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := fast.Encode(&out, s.RGBA); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// accent returns the colour of the scene.
func (s *scene) accent() color.Color {
	text := strings.TrimPrefix(s.Accent, "#")
	if len(text) == 3 {
		text = text[:1] + text[:1] + text[1:2] + text[1:2] + text[2:] + text[2:]
	}
	n, _ := strconv.ParseUint(text, 16, 32)                                      // all accents are of this package
	return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 0xff} // #nosec G115 -- a byte each
}

// top is the place of a field in the picture.
func top(i int) int { return 220 + 62*i }

// screen draws the scene as a screenshot of 480 pixels in width.
func screen(s *scene) sheet {
	for strings.IndexFunc(s.Brand+s.Head, foreign) >= 0 {
		s.Lang, s.Fields, s.Long = "en", nil, ""
		s.imitate(brands[s.Kind])
		s.speak()
		s.ask()
	}
	out := newSheet(480, top(len(s.Fields))+110, color.White)
	out.fill(image.Rect(0, 0, 480, 60+s.rng.IntN(9)), s.accent())
	out.write(20, 40, 440, 26, color.White, s.Brand)
	out.write(40, 110, 400, 24, color.Black, s.Head)
	out.write(40, 140, 400, 14, color.Gray{Y: 0x55}, s.Lead)
	for i, f := range s.Fields {
		box := image.Rect(40, top(i), 440, top(i)+44)
		out.fill(box, color.Gray{Y: 0x99})
		out.fill(box.Inset(1), color.White)
		out.write(50, top(i)-5, 380, 12, color.Gray{Y: 0x44}, f.Label)
	}
	at := top(len(s.Fields))
	out.fill(image.Rect(40, at, 200, at+42), s.accent())
	out.write(60, at+28, 140, 17, color.White, s.Button)
	return out
}

// drawn returns a page of the picture, shown by a template.
func drawn(s *scene, name string) map[string][]byte {
	s.Fields = s.Fields[:min(len(s.Fields), 6)]
	picture := screen(s).png()
	s.Markup = s.render(name)
	files := single(s.render("picture"))
	files["screen.png"] = picture
	return files
}

// overlay returns a page of the picture with a field above each drawn one, or above the last one.
func overlay(s *scene, last bool) map[string][]byte {
	picture, first := screen(s).png(), 0
	if last {
		first = len(s.Fields) - 1
	}
	s.Markup = ""
	for i, f := range s.Fields[first:] {
		f.Name, f.Attr = fmt.Sprint(first+i), fmt.Sprint(top(first+i)+2)
		s.Markup += rendered("over", f)
	}
	s.A = fmt.Sprint(top(len(s.Fields)))
	files := single(s.render("overlay"))
	files["screen.png"] = picture
	return files
}

// inlined returns the same with the picture within the page, and no field that the browser knows as secret.
func inlined(s *scene) map[string][]byte {
	files := overlay(s, false)
	page := strings.Replace(string(files["index.html"]), "screen.png", "data:image/png;base64,"+encode(string(files["screen.png"])), 1)
	return single(strings.ReplaceAll(page, `type="password"`, `type="text" autocomplete="off"`))
}

// scanned returns a picture with a code for telephones that leads elsewhere.
func scanned(s *scene) map[string][]byte {
	data, err := files.ReadFile(fmt.Sprintf("pages/qr%d.png", 1+s.rng.IntN(4)))
	if err != nil {
		panic(err)
	}
	code, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	s.Fields = nil
	made := drawn(s, "picture-code")
	out := newSheet(480, 560, color.White)
	out.fill(image.Rect(0, 0, 480, 60), s.accent())
	out.write(20, 40, 440, 26, color.White, s.Brand)
	out.write(40, 110, 400, 22, color.Black, s.Head)
	out.write(40, 150, 400, 15, color.Gray{Y: 0x44}, s.T("scan"))
	draw.Draw(out, code.Bounds().Add(image.Pt(140, 220)), code, code.Bounds().Min, draw.Over)
	made["screen.png"] = out.png()
	return made
}

// logo draws the name of the brand.
func logo(s *scene) []byte {
	out := newSheet(200, 50, color.White)
	out.write(10, 34, 190, 24, s.accent(), s.Brand)
	return out.png()
}

// foreign reports whether the font has no such letter.
func foreign(r rune) bool { return r > 0x2fff }
