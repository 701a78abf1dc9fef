package corpus

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// hidden are the methods that keep the texts and fields of a page out of its source.
var hidden = []trick{
	{"unescape", all, false, false, hide("unescape", func(s *scene, page string) { s.A = escape(page) })},
	{"unescape", all, false, false, hide("unescape-late", func(s *scene, page string) { s.A = strings.ReplaceAll(escape(page), "%", "~") })},
	{"atob", all, false, false, hide("atob", func(s *scene, page string) { s.A = encode(page) })},
	{"atob-pieces", all, false, false, hide("atob-pieces", func(s *scene, page string) {
		s.A = pieces(split(encode(page), 40+s.rng.IntN(60)))
	})},
	{"shuffled", all, false, false, hide("shuffled", shuffled)},
	{"codes", all, false, false, hide("codes", func(s *scene, page string) { s.A, s.B = codes(page, 5), "5" })},
	{"xor", all, false, false, hide("xor", xored)},
	{"aes", all, false, false, hide("aes", sealed)},
	{"gzip", all, false, false, hide("gzip", zipped)},
	{"blob", all, false, false, hide("blob", func(s *scene, page string) { s.A = encode(page) })},
	{"reverse", all, false, false, hide("reverse", func(s *scene, page string) { s.A = encode(reversed(page)) })},
	{"twice", all, false, false, hide("twice", func(s *scene, page string) {
		s.A = escape(page)
		s.A = encode(s.render("unescape"))
	})},
	{"packer", all, false, false, hide("packer", packer)},
	{"shadow", noWallet, true, false, hide("shadow", func(s *scene, page string) { s.A, s.B = percent(page), s.hex(5) })},
	{"data-frame", all, false, false, around("data-frame", encode)},
	{"srcdoc", all, false, false, around("srcdoc", html.EscapeString)},
	{"foreign-object", noWallet, true, false, around("foreign-object", strings.TrimSpace)},
	{"spaces", all, false, false, around("spaces", spaces)},
	{"fetched", all, false, false, func(s *scene) map[string][]byte {
		files := single(s.render("fetched"))
		files["config.json"] = []byte(`{"v":3,"t":"` + percent(s.page()) + `"}`)
		return files
	}},
	{"entities", noWallet, true, false, func(s *scene) map[string][]byte {
		s.Brand, s.Head, s.Lead = entities(s.Brand), entities(s.Head), entities(s.Lead)
		for i, f := range s.Fields {
			s.Fields[i].Label, s.Fields[i].Type, s.Fields[i].Name = entities(f.Label), entities(f.Type), s.letters(9)
		}
		return single(s.page())
	}},
	{"noise", noWallet, true, false, noise},
}

// hide returns a function that makes pages of nothing but a script: its result shows the page. The script is a template whose data is
// set by a function.
func hide(name string, set func(s *scene, page string)) func(*scene) map[string][]byte {
	return func(s *scene) map[string][]byte {
		titles := []string{"", "<title>Loading...</title>", "<title>" + s.Title + "</title>", "<title>&#8203;</title>"}
		s.Markup = pick(s.rng, titles)
		set(s, s.page())
		s.Inner = s.render(name)
		return single(s.render("script"))
	}
}

// around returns a function that makes pages of a template, which has the page in an encoding.
func around(name string, code func(string) string) func(*scene) map[string][]byte {
	return func(s *scene) map[string][]byte {
		s.A = code(s.page())
		return single(s.render(name))
	}
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// escape returns the text as the function escape of JavaScript writes it, with every unit escaped.
func escape(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 256 {
			fmt.Fprintf(&out, "%%%02X", unit)
		} else {
			fmt.Fprintf(&out, "%%u%04X", unit)
		}
	}
	return out.String()
}

// percent returns the bytes of the text as a component of an address.
func percent(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&out, "%%%02x", b)
	}
	return out.String()
}

// codes returns the bytes of the text as numbers, each one greater by an offset.
func codes(text string, by int) string {
	out := make([]string, len(text))
	for i := range len(text) {
		out[i] = strconv.Itoa(int(text[i]) + by)
	}
	return strings.Join(out, ",")
}

// entities returns the text with each character as a number of HTML.
func entities(text string) string {
	var out strings.Builder
	for _, r := range text {
		fmt.Fprintf(&out, "&#%d;", r)
	}
	return out.String()
}

// split returns the text in parts of a size.
func split(text string, size int) (parts []string) {
	for len(text) > size {
		parts, text = append(parts, text[:size]), text[size:]
	}
	return append(parts, text)
}

// pieces returns parts as an array of strings of JavaScript.
func pieces(parts []string) string { return `["` + strings.Join(parts, `","`) + `"]` }

// shuffled keeps the pieces of the page in another order, with an array of their places.
func shuffled(s *scene, page string) {
	parts := split(encode(page), 64)
	mixed, places := make([]string, len(parts)), make([]string, len(parts))
	for i, at := range s.rng.Perm(len(parts)) {
		mixed[i], places[i] = parts[at], fmt.Sprintf("0x%x", at)
	}
	s.A, s.B = pieces(mixed), strings.Join(places, ",")
}

func xored(s *scene, page string) {
	s.B = s.letters(6)
	out := []byte(page)
	for i := range out {
		out[i] ^= s.B[i%len(s.B)]
	}
	s.A = hex.EncodeToString(out)
}

// sealed encrypts the page; the page has the key.
func sealed(s *scene, page string) {
	s.A, s.B = s.letters(16), s.letters(12)
	block, err := aes.NewCipher([]byte(s.A))
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	s.D = encode(string(gcm.Seal(nil, []byte(s.B), []byte(page), nil))) // #nosec G407 -- nothing is secret, and a seed gives the same page
}

func zipped(s *scene, page string) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(page)) // a bytes.Buffer takes all
	_ = w.Close()
	s.A = encode(out.String())
}

// word matches the words that a packer replaces.
var word = regexp.MustCompile(`\w+`)

// packer replaces the words of the script by numbers, as a known packer of scripts does.
func packer(s *scene, page string) {
	quoted := strings.NewReplacer("</", `<\/`, "'", `\x27`).Replace(strconv.QuoteToASCII(page))
	var words []string
	place := map[string]string{}
	packed := word.ReplaceAllStringFunc("document.write("+quoted+")", func(found string) string {
		if place[found] == "" {
			place[found] = strconv.FormatInt(int64(len(words)), 36)
			words = append(words, found)
		}
		return place[found]
	})
	s.A, s.B, s.D = strings.ReplaceAll(packed, `\`, `\\`), strings.Join(words, "|"), strconv.Itoa(len(words))
}

// spaces returns the bits of the text as characters without width.
func spaces(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		for bit := 7; bit >= 0; bit-- {
			out.WriteRune([]rune{'\u200b', '\u200c'}[b>>bit&1])
		}
	}
	return out.String()
}

// noise writes the texts with invisible letters between the visible ones, and makes the fields secret by a script.
func noise(s *scene) map[string][]byte {
	s.Brand, s.Head, s.Lead, s.Form, s.Layout, s.Title = s.noisy(s.Brand), s.noisy(s.Head), s.noisy(s.Lead), 2, 1+s.rng.IntN(4), ""
	for i := range s.Fields {
		s.Fields[i].Label, s.Fields[i].Name = s.noisy(s.Fields[i].Label), s.letters(7)
	}
	s.A = strings.ReplaceAll(s.page(), `type="password"`, `type="text" data-p`)
	return single(s.render("noise"))
}

// noisy returns the text with invisible letters.
func (s *scene) noisy(text string) string {
	var out strings.Builder
	for _, r := range text {
		out.WriteRune(r)
		out.WriteString(pick(s.rng, []string{"", "", "&shy;", `<span style="font-size:0">` + s.letters(3) + `</span>`}))
	}
	return out.String()
}
