package corpus

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// A trick is a method to publish a page of phishing.
type trick struct {
	name string
	// kinds are the kinds for which the method works, by their first letters: l, c, s, p, t and w.
	kinds string
	// still reports that the scripts of the page do not run in the way it is shown.
	still bool
	// leads reports that the page asks for nothing itself, and leads elsewhere.
	leads bool
	make  func(*scene) map[string][]byte
}

// all are the letters of all kinds, as often as crews publish them.
const all = "lllllcsppptw"

// noWallet are the kinds whose pages work without a script.
const noWallet = "lllllcsppptt"

// ways has the methods of each way.
var ways = map[string][]trick{
	"clear": {
		{"page", all, false, false, func(s *scene) map[string][]byte { return single(s.page()) }},
		{"page", noWallet, true, false, func(s *scene) map[string][]byte { return single(s.page()) }},
		{"page", all, false, false, func(s *scene) map[string][]byte { return single(s.page()) }},
		{"kit", all, false, false, kit},
	},
	"obfuscated": hidden,
	"picture":    pictures,
	"click": {
		{"robot", all, false, false, gate("robot")},
		{"build", noWallet, false, false, gate("build")},
		{"timer", all, false, false, gate("timer")},
		{"mouse", all, false, false, gate("mouse")},
		{"steps", "l", false, false, gate("steps")},
		{"dialog", "l", false, false, gate("dialog")},
		{"file", all, false, false, gate("file")},
		{"slide", noWallet, true, false, gate("slide")},
		{"link", all, false, true, gate("link")},
		{"late-link", all, false, true, gate("late-link")},
	},
	"other": {
		{"security", "l", false, false, gate("security")},
		{"editable", "l", false, false, gate("editable")},
		{"drawn", "l", false, false, gate("drawn")},
		{"keyboard", "lc", false, false, gate("keyboard")},
		{"window", "l", false, false, gate("window")},
		{"refresh", all, false, true, gate("refresh")},
		{"location", all, false, true, gate("location")},
		{"frame", all, false, true, gate("frame")},
		{"late-frame", all, false, true, gate("late-frame")},
		{"giveaway", "w", false, true, gate("giveaway")},
		{"boxes", "s", false, false, gate("boxes")},
		{"call", "l", false, true, gate("call")},
		{"drainer", "w", false, false, func(s *scene) map[string][]byte { return single(s.page()) }},
	},
}

// kindOf has the kinds by their letters.
var kindOf = map[byte]string{'l': "login", 'c': "card", 's': "seed", 'p': "parcel", 't': "tax", 'w': "wallet"}

// page returns a page made by the trick.
func (t trick) page(rng *rand.Rand, way string) Page {
	s := newScene(rng, kindOf[t.kinds[rng.IntN(len(t.kinds))]], t.still)
	brand, title := s.Brand, s.Title
	if title == "" || rng.IntN(3) == 0 {
		title = lure(rng, brand)
	}
	files := t.make(s)
	return Page{Kind: s.Kind, Way: way, Trick: t.name, Title: title, Lang: s.Lang, Files: files, Collects: !t.leads}
}

// single returns the files of a project with one page.
func single(page string) map[string][]byte { return map[string][]byte{"index.html": []byte(page)} }

// gate returns a function that makes pages of a template: the secret is asked for only after an act of the visitor, or elsewhere.
func gate(name string) func(*scene) map[string][]byte {
	return func(s *scene) map[string][]byte {
		page := s.page()
		s.Packed = base64.StdEncoding.EncodeToString([]byte(page))
		s.PackedSink = base64.StdEncoding.EncodeToString([]byte("https://" + s.Host + "/?" + s.Number))
		s.Escaped, s.Codes = escape(page), codes(page, 7)
		s.Inner = s.render("body")
		s.Part = pick(s.rng, []string{"content.txt", "data.bin", "a/1.dat", "lang.json"})
		files := single(s.render(name))
		if name == "file" {
			files["app.js"], files[s.Part] = []byte(s.render("filejs")), []byte(reversed(page))
		}
		return files
	}
}

// kit splits the page into files, as a kit that is bought has them.
func kit(s *scene) map[string][]byte {
	page, style := cut(s.page(), "<style>", "</style>", `<link rel="stylesheet" href="css/style.css">`)
	page, script := cut(page, "<script>", "</script>", `<script src="js/main.js"></script>`)
	body := strings.Index(strings.ToLower(page), "<body")
	end := body + strings.Index(page[body:], ">") + 1
	files := single(page[:end] + `<img src="img/logo.png" alt="" height="34">` + page[end:])
	files["css/style.css"], files["js/main.js"], files["img/logo.png"] = []byte(style), []byte(script), logo(s)
	files["img/bg.png"], files["robots.txt"] = logo(s), []byte("User-agent: *\nDisallow: /\n")
	return files
}

// cut replaces the first part of the page between two marks, and returns the part.
func cut(page, from, to, with string) (rest, part string) {
	before, after, ok := strings.Cut(page, from)
	part, after, closed := strings.Cut(after, to)
	if !ok || !closed {
		return page, ""
	}
	return before + with + after, part
}

// reversed returns the text from its end to its start.
func reversed(text string) string {
	runes := []rune(text)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}
