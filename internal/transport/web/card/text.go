package card

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
)

// A setting breaks texts of one language into lines.
type setting struct {
	choice
	lang   language.Language
	shaper shaping.HarfbuzzShaper
}

func (p *Press) newSetting(lang string) *setting {
	c := choice{fonts: p.fonts, shelf: &p.shelf, own: p.own, opened: map[string]*font.Face{}}
	return &setting{choice: c, lang: language.NewLanguage(lang)}
}

// used returns the names of the opened fonts.
func (s *setting) used() []string { return slices.Sorted(maps.Keys(s.opened)) }

// set sets a text in the largest of the sizes that needs at most most lines. In the smallest size it cuts the text with
// an ellipsis. It reports whether the whole prepared text has glyphs.
func (s *setting) set(text string, sizes []int, most, wide int) (block, bool) {
	s.family = s.eastern(text)
	runes, ok := s.prepare(text)
	if !ok {
		return block{}, false
	}
	b, towards := block{rtl: fromTheRight(runes)}, di.DirectionLTR
	if b.rtl {
		towards = di.DirectionRTL
	}
	for i, size := range sizes {
		lines, fits := s.wrap(runes, towards, size, most, wide, i == len(sizes)-1)
		if !fits {
			continue
		}
		b.size, b.lines = size, nil
		for _, l := range lines {
			drawn, whole := outline(inOrder(l, runes, b.rtl))
			if !whole {
				return block{}, false
			}
			b.lines = append(b.lines, drawn)
		}
		b.measure()
		if b.above+b.below+b.step()*(len(b.lines)-1) <= mostTall {
			break
		}
	}
	return b, len(b.lines) > 0
}

// wrap breaks a text where its script allows it, and in the last size wherever it must.
func (s *setting) wrap(text []rune, towards di.Direction, size, most, wide int, last bool) ([]shaping.Line, bool) {
	in := shaping.Input{Text: text, RunEnd: len(text), Direction: towards, Size: fixed.I(size), Language: s.lang}
	var runs []shaping.Output
	for _, run := range new(shaping.Segmenter).Split(in, &s.choice) {
		runs = append(runs, s.shaper.Shape(run))
	}
	how := shaping.WrapConfig{Direction: towards, TruncateAfterLines: most, BreakPolicy: shaping.Never}
	if last {
		how.BreakPolicy = shaping.WhenNecessary
		how = how.WithTruncator(&s.shaper, shaping.Input{
			Text: []rune("…"), RunEnd: 1, Direction: towards, Face: s.latin, Size: in.Size, Script: language.Latin, Language: s.lang,
		})
	}
	lines, cut := new(shaping.LineWrapper).WrapParagraph(how, wide, text, shaping.NewSliceIterator(runs))
	wider := func(l shaping.Line) bool { return width(l) > fixed.I(wide) }
	return lines, last || cut == 0 && !slices.ContainsFunc(lines, wider)
}

func width(l shaping.Line) (sum fixed.Int26_6) {
	for _, run := range l {
		sum += run.Advance
	}
	return sum
}

// outline returns the shapes of a line from left to right. It reports whether each character has a glyph.
func outline(l shaping.Line) (line, bool) {
	out := line{width: width(l)}
	var x fixed.Int26_6
	for _, run := range l {
		var strokes []stroke
		at := x
		for _, g := range run.Glyphs {
			if g.GlyphID == 0 {
				return line{}, false
			}
			strokes = append(strokes, strokesOf(run, g, at)...)
			at += g.Advance
		}
		out.runs = append(out.runs, strokes)
		x += run.Advance
	}
	return out, true
}

// A stroke is one segment of an outline, in pixels, with y downwards.
type stroke struct {
	op     opentype.SegmentOp
	points [3][2]float32
}

func strokesOf(run shaping.Output, g shaping.Glyph, x fixed.Int26_6) []stroke {
	shape, ok := run.Face.GlyphDataOutline(g.GlyphID)
	if !ok {
		return nil // a space
	}
	scale := float32(run.Size) / 64 / float32(run.Face.Upem())
	dx, dy := float32(x+g.XOffset)/64, float32(-g.YOffset)/64
	out := make([]stroke, len(shape.Segments))
	for i, s := range shape.Segments {
		out[i].op = s.Op
		for j, p := range s.Args {
			out[i].points[j] = [2]float32{dx + p.X*scale, dy - p.Y*scale}
		}
	}
	return out
}

// inOrder puts the runs of a line into visual order, as rule L2 of Unicode's bidirectional algorithm does. The wrapper
// knows directions alone: it separates a number from the words around it.
func inOrder(l shaping.Line, text []rune, rtl bool) shaping.Line {
	out, levels := slices.Clone(l), make([]int, len(l))
	for i, run := range l {
		switch own := text[run.Runes.Offset : run.Runes.Offset+run.Runes.Count]; {
		case run.Direction == di.DirectionRTL:
			levels[i] = 1
		case rtl, !slices.ContainsFunc(own, fromLeft) && endsFromTheRight(text[:run.Runes.Offset]):
			levels[i] = 2
		}
	}
	for level := 2; level > 0; level-- {
		for from := 0; from < len(out); from++ {
			to := from
			for to < len(out) && levels[to] >= level {
				to++
			}
			slices.Reverse(out[from:to])
			slices.Reverse(levels[from:to])
			from = max(from, to)
		}
	}
	return out
}

func classOf(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	return p.Class()
}

func fromLeft(r rune) bool { return classOf(r) == bidi.L }

// fromTheRight reports whether the first letter of a text is read from right to left.
func fromTheRight(text []rune) bool { return firstFromTheRight(slices.All(text)) }

// endsFromTheRight reports whether the last letter of a text is read from right to left.
func endsFromTheRight(text []rune) bool { return firstFromTheRight(slices.Backward(text)) }

func firstFromTheRight(text iter.Seq2[int, rune]) bool {
	for _, r := range text {
		switch classOf(r) {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
	}
	return false
}

// eastern returns the East Asian font family for a text, by its language or else by its letters.
func (s *setting) eastern(text string) string {
	lang := strings.ToLower(string(s.lang))
	in := func(tables ...*unicode.RangeTable) bool {
		return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, tables...) })
	}
	traditional := strings.Contains(lang, "hant") || strings.HasSuffix(lang, "-tw")
	switch {
	case strings.HasSuffix(lang, "-hk"):
		return "Noto Sans CJK HK"
	case traditional, in(unicode.Bopomofo):
		return "Noto Sans CJK TC"
	case strings.HasPrefix(lang, "zh"):
		return "Noto Sans CJK SC"
	case strings.HasPrefix(lang, "ja"), in(unicode.Hiragana, unicode.Katakana):
		return "Noto Sans CJK JP"
	case strings.HasPrefix(lang, "ko"), in(unicode.Hangul):
		return "Noto Sans CJK KR"
	}
	return "Noto Sans CJK SC"
}
