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
	maxTitle = 200 // characters that are looked at; three lines hold fewer
	mostOpen = 8   // fonts of the system for one title: some take 20 MB

	mostMarks   = 8 // upon one character: Burmese and Tibetan need six
	mostAccents = 3 // of those that any script may use: Vietnamese needs two
)

// A choice chooses the face for each character of one text. It opens fonts as they are needed.
type choice struct {
	fonts  Fonts
	shelf  *shelf
	own    ownFaces
	family string // of the fonts of East Asia, which write the same character in several ways
	latin  *font.Face
	script language.Script
	opened map[string]*font.Face // nil: cannot be had
	order  []*font.Face
}

// SetScript tells the script of the characters that are asked for next.
func (c *choice) SetScript(s language.Script) { c.script = s }

// ResolveFace returns a face with a character, or if there is none any.
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
	c.opened[name] = nil // also where it panics
	if f, err := c.shelf.get(c.fonts, name, c.family); err == nil {
		c.opened[name], c.order = f, append(c.order, f)
	}
	return c.opened[name]
}

// prepare makes a text one that can be written: emoji, and what is not there to be seen, are left out. It reports whether
// there is a face for all the rest.
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

// carried tells whether a mark has a character to stand on, and not too many marks beside it: some pile them up.
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

// european is the first face with all letters of the alphabets of Europe that a text has: one word in two faces looks
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

// written tells what a text cannot be without.
func written(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\u20e3' }

// joiner tells the two characters that are not seen, but change the shapes beside them.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// unseen tells controls, also those that turn the direction, and what chooses between looks of a character.
func unseen(r rune) bool {
	return unicode.In(r, unicode.C, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// pictorial tells what is an emoji, or part of one.
func pictorial(r rune) bool { return r >= 0x1f000 && r <= 0x1faff || r == '\u20e3' }
