package card

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"golang.org/x/text/unicode/norm"
)

const (
	maxTitle = 200 // characters of a title that are considered; three lines hold fewer
	mostOpen = 8   // system fonts for one title: some take 20 MB

	mostMarks   = 8 // on one character: Burmese and Tibetan need six
	mostAccents = 3 // of the marks shared by all scripts: Vietnamese needs two
)

// A choice chooses the face for each character of one text. It opens fonts on demand.
type choice struct {
	fonts  Fonts
	shelf  *shelf
	own    ownFaces
	family string // of the East Asian font, which has regional forms of the same character
	latin  *font.Face
	script language.Script
	opened map[string]*font.Face // nil: cannot be opened
	order  []*font.Face
}

// SetScript sets the script of the next characters to resolve.
func (c *choice) SetScript(s language.Script) { c.script = s }

// ResolveFace returns a face that has the character, or the Latin face if there is none.
func (c *choice) ResolveFace(r rune) *font.Face {
	if f := c.find(c.script, r); f != nil {
		return f
	}
	return c.latin
}

func (c *choice) find(s language.Script, r rune) *font.Face {
	if name := scripts[s]; name != "" {
		if f := c.open(name); has(f, r) {
			return f
		}
	}
	for _, f := range append([]*font.Face{c.latin, c.own[0], c.own[1]}, c.order...) {
		if has(f, r) {
			return f
		}
	}
	for _, name := range append([]string{general}, symbols...) {
		if f := c.open(name); has(f, r) {
			return f
		}
	}
	return nil
}

func has(f *font.Face, r rune) bool {
	if f == nil {
		return false
	}
	_, ok := f.NominalGlyph(r)
	return ok
}

func (c *choice) open(name string) *font.Face {
	f, known := c.opened[name]
	if known || c.fonts.files[name] == "" || len(c.opened) == mostOpen {
		return f
	}
	c.opened[name] = nil // also if opening it panics
	if f, err := c.shelf.get(c.fonts, name, c.family); err == nil {
		c.opened[name], c.order = f, append(c.order, f)
	}
	return c.opened[name]
}

// prepare returns the writable form of a text, without emoji and invisible characters. It reports whether every other
// character has a face.
func (c *choice) prepare(text string) ([]rune, bool) {
	all := []rune(norm.NFC.String(strings.ToValidUTF8(text, "")))
	all = all[:min(len(all), maxTitle)]
	c.latin = c.european(all)
	var out []rune
	for i, r := range all {
		switch {
		case unicode.Is(unicode.M, r) && !carried(out, r):
		case unicode.IsSpace(r):
			if len(out) > 0 && out[len(out)-1] != ' ' {
				out = append(out, ' ')
			}
		case joiner(r):
			if len(out) > 0 && i+1 < len(all) && written(all[i-1]) && written(all[i+1]) {
				out = append(out, r)
			}
		case unseen(r) || pictorial(r):
		case c.find(language.LookupScript(r), r) != nil:
			out = append(out, r)
		case written(r):
			return nil, false
		}
	}
	for len(out) > 0 && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return out, slices.ContainsFunc(out, func(r rune) bool { return r != ' ' })
}

// carried reports whether a mark has a base character, with few enough marks on it: some texts pile them up.
func carried(before []rune, mark rune) bool {
	most := mostMarks
	if unicode.Is(unicode.Inherited, mark) {
		most = mostAccents
	}
	for i, r := range slices.Backward(before) {
		if !unicode.Is(unicode.M, r) && !joiner(r) {
			return written(r) && len(before)-1-i < most
		}
	}
	return false
}

// european returns the first face that has all Latin, Greek and Cyrillic letters of a text: one word in two faces looks
// like a mistake.
func (c *choice) european(text []rune) *font.Face {
	letters := func(r rune) bool { return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) }
	for _, f := range c.own {
		if !slices.ContainsFunc(text, func(r rune) bool { return letters(r) && !has(f, r) }) {
			return f
		}
	}
	if f := c.open(general); f != nil {
		return f
	}
	return c.own[1]
}

// written reports whether a character is a letter, a mark or a digit, which a text cannot lose.
func written(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\u20e3' }

// joiner reports whether a character is one of the two that are invisible, but change the shapes beside them.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// unseen reports whether a character is a control, such as one of direction, or a variation selector.
func unseen(r rune) bool {
	return unicode.In(r, unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// pictorial reports whether a character is an emoji, or part of one.
func pictorial(r rune) bool { return r >= 0x1f000 && r <= 0x1faff || r == '\u20e3' }
