package web

import (
	"hash/fnv"
	"html/template"
	"image/color"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"sandlot/internal/publish"
)

// cardSizes is how wide a cover is on a card, for the browser to choose by.
const cardSizes = "(min-width: 40rem) 18rem, 45vw"

// Cover is what stands for a project in a list: its picture, or where it has none a tile with its
// title, in a colour of its own. It says nothing to a screen reader: the title stands beside it.
// sizes is how wide it is shown, as the attribute of that name says it; empty for the width of a card.
// Its class is "cover"; a tile is "tile", too.
func (v view) Cover(p publish.Project, sizes string) template.HTML {
	if sizes == "" {
		sizes = cardSizes
	}
	var out strings.Builder
	writeCover(&out, p, sizes)
	return template.HTML(out.String())
}

func writeCover(out *strings.Builder, p publish.Project, sizes string) {
	if p.Cover == "" {
		writeTile(out, p)
		return
	}
	address := func(width int) string { return "/i/" + template.HTMLEscapeString(p.Cover.File(width)) }
	for _, part := range [...]string{
		`<img class="cover" src="`, address(640), `" srcset="`, address(320), ` 320w, `, address(640), ` 640w, `, address(1280), ` 1280w" sizes="`,
		template.HTMLEscapeString(sizes), `" width="640" height="360" alt="" loading="lazy" decoding="async">`,
	} {
		out.WriteString(part)
	}
}

// writeTile writes the title of a project, set as large as it fits.
func writeTile(out *strings.Builder, p publish.Project) {
	title := p.Title
	if title == "" {
		title = string(p.ID)
	}
	for _, part := range [...]string{`<span class="cover tile hue-`, strconv.Itoa(hueOf(p.ID)), " ", titleSize(title), `" aria-hidden="true"><span dir="auto"`} {
		out.WriteString(part)
	}
	if p.Lang != "" {
		out.WriteString(` lang="` + template.HTMLEscapeString(p.Lang) + `"`)
	}
	out.WriteString(">" + template.HTMLEscapeString(title) + "</span></span>")
}

// hueOf is which of tileHues a project has, always the same.
func hueOf(id publish.ProjectID) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // never fails
	return int(sum.Sum32() % uint32(len(tileHues)))
}

// titleSize is the class of a title by how much room it takes, and its longest word, which should not be broken.
func titleSize(title string) string {
	all, word, longest := 0, 0, 0
	for _, r := range title[:min(len(title), 400)] {
		if unicode.IsSpace(r) {
			word = 0
		} else {
			word += cells(r)
		}
		all, longest = all+cells(r), max(longest, word)
		if cells(r) == 2 { // a line may break after it
			word = 0
		}
	}
	switch {
	case all <= 9 && longest <= 7:
		return "huge"
	case all <= 24 && longest <= 11:
		return "large"
	case all <= 48 && longest <= 16:
		return "middle"
	}
	return "small"
}

// cells is how wide a character is: two for those of East Asia, none for a mark on another.
func cells(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// tileHues are the colours of tiles, from one corner to the other, as the style sheet has them. White is
// read well on all.
var tileHues = [...][2]color.RGBA{
	{{0xbb, 0x1f, 0x54, 0xff}, {0x5a, 0x21, 0x00, 0xff}},
	{{0xbe, 0x21, 0x30, 0xff}, {0x51, 0x2a, 0x00, 0xff}},
	{{0xb5, 0x37, 0x00, 0xff}, {0x4a, 0x2f, 0x00, 0xff}},
	{{0xa1, 0x4f, 0x05, 0xff}, {0x42, 0x34, 0x02, 0xff}},
	{{0x93, 0x5a, 0x00, 0xff}, {0x3a, 0x37, 0x00, 0xff}},
	{{0x86, 0x62, 0x03, 0xff}, {0x30, 0x3b, 0x01, 0xff}},
	{{0x79, 0x69, 0x05, 0xff}, {0x1b, 0x40, 0x00, 0xff}},
	{{0x6a, 0x6f, 0x06, 0xff}, {0x00, 0x42, 0x1b, 0xff}},
	{{0x52, 0x76, 0x05, 0xff}, {0x04, 0x40, 0x2d, 0xff}},
	{{0x00, 0x80, 0x0a, 0xff}, {0x03, 0x3f, 0x37, 0xff}},
	{{0x00, 0x7d, 0x4d, 0xff}, {0x04, 0x3e, 0x3e, 0xff}},
	{{0x08, 0x7b, 0x63, 0xff}, {0x00, 0x3d, 0x46, 0xff}},
	{{0x02, 0x79, 0x72, 0xff}, {0x02, 0x3b, 0x4e, 0xff}},
	{{0x0c, 0x77, 0x7f, 0xff}, {0x00, 0x39, 0x59, 0xff}},
	{{0x0f, 0x75, 0x8b, 0xff}, {0x00, 0x33, 0x6e, 0xff}},
	{{0x05, 0x72, 0x9c, 0xff}, {0x1d, 0x26, 0x80, 0xff}},
	{{0x05, 0x6c, 0xb3, 0xff}, {0x34, 0x1d, 0x7d, 0xff}},
	{{0x29, 0x5f, 0xd4, 0xff}, {0x44, 0x14, 0x74, 0xff}},
	{{0x55, 0x53, 0xd2, 0xff}, {0x51, 0x0a, 0x67, 0xff}},
	{{0x71, 0x49, 0xca, 0xff}, {0x5c, 0x00, 0x57, 0xff}},
	{{0x87, 0x3f, 0xbb, 0xff}, {0x62, 0x02, 0x44, 0xff}},
	{{0x9a, 0x35, 0xa6, 0xff}, {0x66, 0x00, 0x31, 0xff}},
	{{0xa8, 0x2c, 0x8e, 0xff}, {0x68, 0x02, 0x1d, 0xff}},
	{{0xb4, 0x24, 0x72, 0xff}, {0x68, 0x07, 0x00, 0xff}},
}
