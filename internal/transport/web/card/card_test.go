package card

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-text/typesetting/di"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// titles are in scripts whose fonts lie in testdata, cut to what these need.
var titles = []Card{
	{Title: "لعبة الشطرنج", Lang: "ar"},
	{Title: "משחק שחמט"},
	{Title: "अंतरिक्ष यात्री", Lang: "hi"},
	{Title: "মহাকাশ যাত্রী"},
	{Title: "விண்வெளி பயணம்"},
	{Title: "เกมหมากรุกไทย"},
	{Title: "ჭადრაკი"},
	{Title: "ቼዝ ጨዋታ"},
	{Title: "អុកខ្មែរ"},
	{Title: "麻雀の日々", Lang: "ja"},
	{Title: "우주여행"},
	{Title: "国际象棋大师", Lang: "zh"},
}

// european are titles that the own fonts write.
var european = []string{"Pong", "Größe, œuvre, ação — “100 %”", "Шахматы", "Σκάκι", "🎮 Game 👨‍👩‍👧 on ❤️", "e\u0301", "game-abc123", strings.Repeat("\u202e<", 50)}

var violet = [2]color.RGBA{{0x55, 0x53, 0xd2, 0xff}, {0x51, 0x0a, 0x67, 0xff}}

func press(folders ...string) *Press { return New(Find(folders...), slog.New(slog.DiscardHandler)) }

func noto() *Press { return press("testdata/truetype", "testdata/opentype", "testdata/none") }

// drawn draws a card, and reads it again.
func drawn(t *testing.T, p *Press, c Card) *image.RGBA {
	t.Helper()
	c.Handle, c.Tile = "@kim", violet
	body, err := p.Draw(c)
	expect.OK(t, err, "draw")
	img, err := jpeg.Decode(bytes.NewReader(body))
	expect.OK(t, err, "read it")
	if img.Bounds() != image.Rect(0, 0, Width, Height) {
		t.Fatalf("it is %v", img.Bounds())
	}
	plain := image.NewRGBA(img.Bounds())
	draw.Draw(plain, plain.Bounds(), img, image.Point{}, draw.Src)
	return plain
}

// ink is how many pixels of a part of a card are white.
func ink(img *image.RGBA, part image.Rectangle) (n int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if at := img.PixOffset(x, y); min(img.Pix[at], img.Pix[at+1], img.Pix[at+2]) > 0xf0 {
				n++
			}
		}
	}
	return n
}

var whole = image.Rect(0, 0, Width, Height)

func TestTitlesInAnyScriptAreWrittenWithTheFontsOfTheSystem(t *testing.T) {
	t.Parallel()
	with, without := noto(), press()
	for _, c := range titles {
		if _, ok := with.guarded(with.newSetting(c.Lang), c.Title, 1000); !ok {
			t.Errorf("%s is not written", c.Title)
		}
		if _, ok := without.guarded(without.newSetting(c.Lang), c.Title, 1000); ok {
			t.Errorf("without fonts %s is", c.Title)
		}
	}
	for _, title := range european {
		if _, ok := without.guarded(without.newSetting(""), title, 1000); !ok {
			t.Errorf("%q is not written", title)
		}
	}
}

func TestACardIsNeverEmpty(t *testing.T) {
	testenv.Unraced(t)
	handle := ink(drawn(t, press(), Card{Title: "🎮"}), whole)
	for name, p := range map[string]*Press{"with fonts": noto(), "without": press()} {
		for _, c := range []Card{titles[0], {}, {Title: "\u202e\u200d\x00"}, {Title: "麻雀 \U00012000", Picture: []byte("<svg>")}} {
			if n := ink(drawn(t, p, c), whole); n < handle/3 || handle < 2000 {
				t.Errorf("%s %q has %d white pixels, a handle %d", name, c.Title, n, handle)
			}
		}
	}
}

func TestACardIsSmallWhateverItsPictureIs(t *testing.T) {
	testenv.Unraced(t)
	noise := image.NewRGBA(image.Rect(0, 0, 1280, 720))
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise.Pix) // never fails
	var picture bytes.Buffer
	expect.OK(t, jpeg.Encode(&picture, noise, nil), "encode")
	c := Card{Title: "Pong", Handle: "@kim", Picture: picture.Bytes()}
	body, err := press().Draw(c)
	if err != nil || len(body) > mostBytes {
		t.Errorf("it takes %d bytes, %v", len(body), err)
	}
	if n := ink(drawn(t, press(), c), image.Rect(0, 440, Width, Height)); n < 2000 {
		t.Errorf("%d pixels are white", n)
	}
}

func TestTitlesTakeThreeLinesAtMostAndStayWithinTheCard(t *testing.T) {
	t.Parallel()
	p := noto()
	const wide = Width - 2*margin
	for _, title := range []string{
		"Pong", "The long way home through the old forest", strings.Repeat("W", 120), strings.Repeat("many words ", 11)[:120],
		strings.Repeat("many words ", 100), strings.Repeat("麻雀", 60), strings.Repeat("لعبة ", 24), strings.Repeat("เกมหมากรุก", 12),
	} {
		b, ok := p.newSetting("").set(title, titleSizes, mostLines, wide)
		if !ok || len(b.lines) > mostLines {
			t.Errorf("%.20s… has %d lines", title, len(b.lines))
		}
		for _, l := range b.lines {
			if l.width.Ceil() > wide || l.width == 0 {
				t.Errorf("%.20s… has a line of %d pixels", title, l.width.Ceil())
			}
		}
		if tall := b.above + b.below + b.step()*(len(b.lines)-1); tall > baseline-margin {
			t.Errorf("%.20s… is %d pixels tall", title, tall)
		}
	}
}

func TestDirectionsAreMixedAsTheyAreRead(t *testing.T) {
	for title, want := range map[string]struct {
		rtl   bool
		order string // of the words, from the left
	}{
		"Chess لعبة":         {false, "Chess لعبة"},
		"لعبة Chess":         {true, "Chess لعبة"},
		"لعبة Chess משחק":    {true, "משחק Chess لعبة"},
		"משחק 12  ":          {true, "12 משחק"},
		"Chess שחמט 12 משחק": {false, "Chess משחק 12 שחמט"},
		"12 משחק":            {true, "משחק 12"},
		"Chess 12 משחק":      {false, "Chess 12 משחק"},
	} {
		s := noto().newSetting("")
		runes, ok := s.prepare(title)
		rtl := fromTheRight(runes)
		if !ok || rtl != want.rtl {
			t.Errorf("%s is read from the right: %v", title, rtl)
		}
		towards := map[bool]di.Direction{false: di.DirectionLTR, true: di.DirectionRTL}[rtl]
		lines, _ := s.wrap(runes, towards, 54, 1, 2000, false)
		var words []string
		for _, run := range inOrder(lines[0], runes, rtl) {
			if word := strings.TrimSpace(string(runes[run.Runes.Offset : run.Runes.Offset+run.Runes.Count])); word != "" {
				words = append(words, strings.Fields(word)...)
			}
		}
		expect.Equal(t, title, strings.Join(words, " "), want.order)
	}
}

func TestWhatIsNotThereToBeSeenIsLeftOut(t *testing.T) {
	for title, want := range map[string]string{
		"🎮 Game 👨‍👩‍👧 on": "Game on", "a\u202eb": "ab", "1\ufe0f\u20e3 up": "1 up", "  two\n\tlines ": "two lines", "e\u0301": "é", "x\xff": "x",
		"می\u200cشود": "", "a\u200db": "a\u200db", "🎮\u200d🎮": "",
		"\u0301\u0302": "", "🎮\u0301": "", "x \u0301y": "x y",
	} {
		s := press().newSetting("")
		got, ok := s.prepare(title)
		if string(got) != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", title, string(got), ok)
		}
	}
}

func TestEastAsianCharactersAreWrittenAsTheirLanguageDoes(t *testing.T) {
	for title, want := range map[[2]string]string{
		{"麻雀", "ja"}: "JP", {"麻雀", "zh"}: "SC", {"麻雀", "zh-Hant"}: "TC", {"麻雀", "zh-TW"}: "TC", {"麻雀", "zh-HK"}: "HK", {"麻雀", ""}: "SC", {"の", ""}: "JP", {"우주", "en"}: "KR",
	} {
		expect.Equal(t, fmt.Sprint(title), press().newSetting(title[1]).eastern(title[0]), "Noto Sans CJK "+want)
	}
}

func TestADamagedFontCostsTheTitleAtMost(t *testing.T) {
	t.Parallel()
	sound, err := os.ReadFile("testdata/truetype/NotoSansArabic-Bold.ttf")
	expect.OK(t, err, "read the font")
	for i := range 24 {
		folder := t.TempDir()
		damaged := bytes.Clone(sound)
		switch from := i * len(sound) / 24; i % 3 {
		case 0:
			damaged = damaged[:from]
		case 1:
			copy(damaged[from:], bytes.Repeat([]byte{0xff}, 16))
		case 2:
			copy(damaged[from:], make([]byte, 300))
		}
		expect.OK(t, os.WriteFile(filepath.Join(folder, "NotoSansArabic-Bold.ttf"), damaged, 0o600), "write")
		p := press(folder)
		title, _ := p.words(Card{Title: "لعبة الشطرنج", Handle: "@kim"})
		if len(title.lines) == 0 {
			t.Errorf("with the %d. there are no words", i)
		}
	}
}

func TestFontsAreFoundWithoutBeingOpened(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"NotoSans-Bold.ttf", "NotoSansThai-Bold.otf", "Comic.ttf"} {
		expect.OK(t, os.WriteFile(filepath.Join(folder, name), nil, 0), "write")
	}
	expect.OK(t, os.Mkdir(filepath.Join(folder, "NotoSansLao-Bold.ttf"), 0o700), "make a folder")
	expect.Equal(t, "found", Find(folder, folder, "testdata/none").Names(), "NotoSans-Bold NotoSansThai-Bold")
}

func TestFontsAreKeptUpToABound(t *testing.T) {
	t.Parallel()
	p := New(Find("testdata/truetype", "testdata/opentype").Keep(20_000), slog.New(slog.DiscardHandler))
	for _, step := range []struct {
		title string
		kept  int
	}{{"משחק", 1}, {"เกม", 2}, {"משחק", 2}, {"لعبة", 3}, {"অ", 1}, {"麻雀", 1}} { // the last is larger than all that may be kept
		p.words(Card{Title: step.title, Handle: "@kim"})
		if len(p.shelf.kept) != step.kept || p.shelf.bytes > 20_000 {
			t.Errorf("after %s %d are kept, of %d bytes", step.title, len(p.shelf.kept), p.shelf.bytes)
		}
	}
}

func TestSoakACardTakesLittleTimeAndMemory(t *testing.T) {
	testenv.Unraced(t)
	var picture bytes.Buffer
	expect.OK(t, jpeg.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 1280, 720)), nil), "encode")
	p := noto()
	c := Card{Title: strings.Repeat("麻雀 لعبة Many ", 10), Handle: "@kim", Picture: picture.Bytes()}
	most := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			_, err := p.Draw(c)
			expect.OK(b, err, "draw")
		}
	})
	if took, bytes := time.Duration(most.NsPerOp()), most.AllocedBytesPerOp(); took > 2*time.Second || bytes > 24<<20 {
		t.Errorf("a card takes %v and %d bytes", took, bytes)
	}
}
