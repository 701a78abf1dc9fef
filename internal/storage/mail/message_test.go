package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/net/html"

	"sandlot/internal/base/catalog"
	"sandlot/internal/domain/account"
	"sandlot/internal/testkit/expect"
)

const (
	link  = "https://sandlot.example/verify?token=5fGk3XzQ7pLmN0aB&more=1&x=%E2%9C%93"
	notMe = "https://sandlot.example/not-me?token=c3RvcA"
)

func verify(lang string) account.Mail {
	return account.Mail{Kind: "verify", To: "ann@example.com", Lang: lang, Handle: "ann-42", Link: link, NotMe: notMe}
}

func login(lang string) account.Mail {
	return account.Mail{Kind: "login", To: "ann@example.com", Lang: lang, Link: link, Code: "012345", NotMe: notMe}
}

// parsed is a message as a mail program sees it.
type parsed struct {
	header     netmail.Header
	text, html string
}

func parse(t *testing.T, raw []byte) parsed {
	t.Helper()
	msg, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("not a message: %v\n%s", err, raw)
	}
	kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("type %q, %v", msg.Header.Get("Content-Type"), err)
	}
	p := parsed{header: msg.Header}
	parts := multipart.NewReader(msg.Body, params["boundary"])
	for _, want := range []struct {
		kind string
		into *string
	}{{"text/plain", &p.text}, {"text/html", &p.html}} {
		part, err := parts.NextPart()
		expect.OK(t, err)
		kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil || kind != want.kind || !strings.EqualFold(params["charset"], "utf-8") {
			t.Errorf("part of type %q, want %s in UTF-8", part.Header.Get("Content-Type"), want.kind)
		}
		body, err := io.ReadAll(part)
		expect.OK(t, err)
		*want.into = strings.ReplaceAll(string(body), "\r\n", "\n")
	}
	if _, err := parts.NextPart(); err != io.EOF {
		t.Errorf("more than two parts: %v", err)
	}
	return p
}

// subject decodes the subject.
func (p parsed) subject(t *testing.T) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(p.header.Get("Subject"))
	expect.OK(t, err)
	return s
}

// write makes a message and parses it.
func write(t *testing.T, w *writer, m account.Mail) parsed {
	t.Helper()
	msg, err := w.write(m)
	expect.OK(t, err)
	var buf bytes.Buffer
	_, err = msg.WriteTo(&buf)
	expect.OK(t, err)
	return parse(t, buf.Bytes())
}

func newTestWriter(t *testing.T) *writer {
	t.Helper()
	w, err := newWriter("Sandlot <sandlot@sandlot.example>", "")
	expect.OK(t, err)
	w.now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	return w
}

// links lists the targets of the links in HTML, and anything a mail program
// might fetch by itself.
func links(t *testing.T, source string) (targets, fetched []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(source))
	expect.OK(t, err)
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			switch {
			case n.Data == "a" && a.Key == "href":
				targets = append(targets, a.Val)
			case slices.Contains([]string{"src", "href", "background", "action", "srcset"}, a.Key), strings.Contains(a.Val, "url("):
				fetched = append(fetched, n.Data+" "+a.Key)
			}
		}
	}
	return targets, fetched
}

func TestAMessageHasTheNameOfTheInstance(t *testing.T) {
	t.Parallel()
	w := newTestWriter(t)
	w.site = "Ada & Friends"
	for _, lang := range w.book.Langs {
		p := write(t, w, verify(lang))
		if !strings.Contains(p.subject(t), w.site) || !strings.Contains(p.text, w.site) || !strings.Contains(p.html, "Ada &amp; Friends") ||
			strings.Contains(p.subject(t)+p.text+p.html, "Sandlot") {
			t.Errorf("in %s it is %s\n%s", lang, p.subject(t), p.text)
		}
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	w := newTestWriter(t)
	for _, lang := range w.book.Langs {
		t.Run("decodes back to the link in "+lang, func(t *testing.T) {
			p := write(t, w, verify(lang))
			words := w.book.ByLang[lang]["verify"]
			given := strings.NewReplacer("{handle}", "ann-42", "{site}", "Sandlot").Replace(words.Given)
			expect.Equal(t, "subject", p.subject(t), strings.ReplaceAll(words.Subject, "{site}", "Sandlot"))
			if lines := strings.Split(p.text, "\n"); !slices.Contains(lines, link) || !slices.Contains(lines, notMe) {
				t.Errorf("no line of the text is one of the links:\n%s", p.text)
			}
			targets, fetched := links(t, p.html)
			if !slices.Equal(targets, []string{link, notMe}) || len(fetched) > 0 {
				t.Errorf("links %v, fetched %v", targets, fetched)
			}
			for _, words := range []string{given, words.Open, words.Lasts, words.Ignore, words.NotMe} {
				if !strings.Contains(p.text, words) || !strings.Contains(p.html, words) {
					t.Errorf("%q is missing from\n%s\n%s", words, p.text, p.html)
				}
			}
			if !strings.Contains(p.html, words.Button) || !strings.Contains(p.html, `<html lang="`+lang+`">`) {
				t.Errorf("no button, or not in %s:\n%s", lang, p.html)
			}
		})
	}
	t.Run("has the headers of an automatic message, and no others", func(t *testing.T) {
		p := write(t, w, verify("en"))
		for name, want := range map[string]string{
			"From": `"Sandlot" <sandlot@sandlot.example>`, "To": "<ann@example.com>", "Auto-Submitted": "auto-generated",
			"Date": "Sun, 01 Mar 2026 12:00:00 +0000", "Mime-Version": "1.0",
		} {
			expect.Equal(t, name, p.header.Get(name), want)
		}
		id := p.header.Get("Message-Id")
		if !strings.HasPrefix(id, "<") || !strings.HasSuffix(id, "@sandlot.example>") || id == write(t, w, verify("en")).header.Get("Message-Id") {
			t.Errorf("Message-ID %s", id)
		}
		known := []string{"From", "To", "Auto-Submitted", "Date", "Mime-Version", "Message-Id", "Subject", "Content-Type"}
		for name := range p.header {
			if !slices.Contains(known, name) {
				t.Errorf("header %s: %v", name, p.header[name])
			}
		}
	})
	t.Run("keeps a handle in UTF-8, escaped and on its line", func(t *testing.T) {
		m := verify("de")
		m.Handle = "mañana-ゲーム<b>&\r\nBcc: x@y.z\u202e"
		p := write(t, w, m)
		if !strings.Contains(p.text, "Sandlot-Konto mañana-ゲーム<b>&Bcc: x@y.z angegeben.\n") {
			t.Errorf("text:\n%s", p.text)
		}
		if !strings.Contains(p.html, "mañana-ゲーム&lt;b&gt;&amp;Bcc: x@y.z angegeben") {
			t.Errorf("html:\n%s", p.html)
		}
		for name, values := range p.header {
			if strings.Contains(fmt.Sprint(values), "x@y.z") {
				t.Errorf("header %s: %v", name, values)
			}
		}
	})
	t.Run("in no kind of message gets what is given into a header", func(t *testing.T) {
		const attack = "evil\r\nBcc: evil@example.com\r\n\r\nevil =?utf-8?q?=0D=0ABcc:evil?="
		for kind, words := range w.book.ByLang[catalog.Fallback] {
			m := account.Mail{Kind: kind, To: "ann@example.com", Lang: "en" + attack, Handle: attack, Case: attack, Link: link}
			if words.Code != "" {
				m.Code = "012345"
			}
			if words.NotMe != "" {
				m.NotMe = notMe
			}
			p := write(t, w, m)
			for name, values := range p.header {
				if strings.Contains(fmt.Sprint(values), "evil") || len(values) != 1 {
					t.Errorf("%s has the header %s: %q", kind, name, values)
				}
			}
		}
	})
	t.Run("a handle is not read as a placeholder or a template", func(t *testing.T) {
		m := verify("en")
		m.Handle = "{handle}{{.Link}}"
		if p := write(t, w, m); !strings.Contains(p.text, "account {handle}{{.Link}}.") {
			t.Errorf("text:\n%s", p.text)
		}
	})
}

func TestALoginHasALinkAndACode(t *testing.T) {
	t.Parallel()
	w := newTestWriter(t)
	for _, lang := range w.book.Langs {
		p, words := write(t, w, login(lang)), w.book.ByLang[lang]["login"]
		lines := strings.Split(p.text, "\n")
		if !slices.Contains(lines, link) || !slices.Contains(lines, "012345") || !slices.Contains(lines, words.Code) {
			t.Errorf("in %s the text is\n%s", lang, p.text)
		}
		if targets, _ := links(t, p.html); !slices.Equal(targets, []string{link, notMe}) || !strings.Contains(p.html, ">012345<") || !strings.Contains(p.html, words.Code) {
			t.Errorf("in %s the HTML is\n%s", lang, p.html)
		}
		if p.header.Get("Auto-Submitted") != "auto-generated" || p.subject(t) != strings.ReplaceAll(words.Subject, "{site}", "Sandlot") {
			t.Errorf("in %s the header is %v", lang, p.header)
		}
	}
	if p := write(t, w, verify("en")); strings.Contains(p.html, "letter-spacing") {
		t.Error("a message without a code has a place for one")
	}
}

func TestRefusedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	w := newTestWriter(t)
	refused := func(t *testing.T, m account.Mail) {
		t.Helper()
		_, err := w.write(m)
		if !errors.Is(err, account.ErrRefused) {
			t.Errorf("got %v, want ErrRefused", err)
		}
		if err != nil && (strings.Contains(err.Error(), "example") || strings.Contains(err.Error(), "token")) {
			t.Errorf("the error tells too much: %v", err)
		}
	}
	for _, to := range badAddresses {
		t.Run(fmt.Sprintf("an address of %.40q", to), func(t *testing.T) {
			m := verify("en")
			m.To = to
			refused(t, m)
		})
	}
	for _, l := range []string{
		"", "verify?token=1", "javascript:alert(1)//example.com", "https://", "https://example.com/a b",
		"https://example.com/\r\nBcc: x@example.com", "https://example.com/<b>", "ftp://example.com/",
	} {
		t.Run(fmt.Sprintf("a link of %q", l), func(t *testing.T) {
			m := verify("en")
			m.Link = l
			refused(t, m)
			m = verify("en")
			m.NotMe = l
			refused(t, m)
		})
	}
	for _, code := range []string{"", "12 456", "12345\r\nBcc: x@example.com", "<b>"} {
		t.Run(fmt.Sprintf("a login with the code %q", code), func(t *testing.T) {
			m := login("en")
			m.Code = code
			refused(t, m)
		})
	}
	t.Run("a code in a message that has none", func(t *testing.T) {
		m := verify("en")
		m.Code = "012345"
		refused(t, m)
	})
	t.Run("a link for who did not ask, in a message that has none", func(t *testing.T) {
		refused(t, account.Mail{Kind: "report", To: "ann@example.com", Link: link, NotMe: notMe})
	})
	t.Run("a kind without texts", func(t *testing.T) {
		m := verify("en")
		m.Kind = "newsletter"
		refused(t, m)
	})
}

var badAddresses = []string{
	"", "a", "a@", "@example.com", "ann@example.com\r\nBcc: x@example.com", "ann@example.com>\r\nDATA",
	"ann@example.com\nRCPT TO:<x@example.com>", "ann\r@example.com", "ann@example.com\x00", "ann@example.com\u0085",
	"Ann <ann@example.com>", "<ann@example.com>", "ann@example.com,bob@example.com", "ann@example.com bob@example.com",
	"=?utf-8?q?ann?= <ann@example.com>", strings.Repeat("a", 250) + "@example.com",
}

func TestSender(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"sandlot@localhost", "sandlot@127.0.0.1", "Sandlot <s@example.com>", "Ümläut <s@example.com>"} {
		if _, err := newWriter(from, ""); err != nil {
			t.Errorf("%q: %v", from, err)
		}
	}
	for _, from := range []string{"", "sandlot", "a@example.com\r\nBcc: b@example.com", "a@example.com, b@example.com"} {
		if _, err := newWriter(from, ""); err == nil {
			t.Errorf("%q: no error", from)
		}
	}
}

// decided are the kinds of messages about decisions.
func decided(kind string) bool {
	return strings.HasPrefix(kind, "decision-") || strings.HasPrefix(kind, "outcome-")
}

// TestAMessageAboutADecisionSaysWhatItIs in every language: the reason, the moderator's words as quoted data, and one link.
func TestAMessageAboutADecisionSaysWhatItIs(t *testing.T) {
	t.Parallel()
	w := newTestWriter(t)
	for _, lang := range w.book.Langs {
		for kind := range w.book.ByLang[lang] {
			if !decided(kind) {
				continue
			}
			m := account.Mail{
				Kind: kind, To: "ann@example.com", Lang: lang, Link: link, Project: "Space <b>Cats (+2)", Reason: "deceptive", Case: "R-2F7K-9QXM",
				Words: "Not a\u202e game.\nBcc: x@y.z\x1b[2J",
			}
			p := write(t, w, m)
			want := []string{"> Not a game.\n> Bcc: x@y.z[2J\n", "Space <b>Cats (+2)\n"}
			switch {
			case strings.HasPrefix(kind, "outcome-"):
				want = append(want, m.Case)
			case kind != "decision-dismiss":
				want = append(want, w.reasons.ByLang[lang]["deceptive"])
			}
			for _, text := range want {
				if !strings.Contains(p.text, text) {
					t.Errorf("%q is not in the %s of %s:\n%s", text, kind, lang, p.text)
				}
			}
			if targets, fetched := links(t, p.html); !slices.Equal(targets, []string{link}) || len(fetched) > 0 || strings.Contains(p.html, "<b>Cats") {
				t.Errorf("the %s of %s is\n%s", kind, lang, p.html)
			}
		}
	}
}

func TestCatalogs(t *testing.T) {
	t.Parallel()
	b := openBook()
	if want := []string{"en", "de", "es", "fr", "ja", "pt", "zh-Hans"}; !slices.Equal(b.Langs, want) {
		t.Errorf("languages %v, want %v", b.Langs, want)
	}
	seen := map[string]string{}
	for _, lang := range b.Langs {
		if len(b.ByLang[lang]) != len(b.ByLang[catalog.Fallback]) {
			t.Errorf("%s has other kinds of messages than %s", lang, catalog.Fallback)
		}
		for kind := range b.ByLang[catalog.Fallback] {
			v := reflect.ValueOf(b.ByLang[lang][kind])
			for i := range v.NumField() {
				name, text := v.Type().Field(i).Name, v.Field(i).String()
				where := fmt.Sprintf("%s/%s/%s", lang, kind, name)
				if name == "Code" && kind != "login" || name == "NotMe" && (kind == "report" || decided(kind)) ||
					name == "Made" && kind != "verify" && kind != "login-unverified" && !decided(kind) {
					if text != "" {
						t.Errorf("%s is never said", where)
					}
					continue
				}
				if strings.TrimSpace(text) == "" {
					t.Errorf("%s is missing", where)
				}
				if n := strings.Count(text, "{handle}"); (n == 1) != (name == "Given" && kind != "login" && kind != "report" && !decided(kind)) {
					t.Errorf("%s has {handle} %d times", where, n)
				}
				if n := strings.Count(text, "{case}"); (n == 1) != ((name == "Given" || name == "Lasts") && kind == "report" || name == "Given" && strings.HasPrefix(kind, "outcome-")) {
					t.Errorf("%s has {case} %d times", where, n)
				}
				if n := strings.Count(text, "{reason}"); (n == 1) != (name == "Given" && strings.HasPrefix(kind, "decision-") && kind != "decision-dismiss") {
					t.Errorf("%s has {reason} %d times", where, n)
				}
				if strings.Count(text, "{")-strings.Count(text, "{reason}") != strings.Count(text, "{handle}")+strings.Count(text, "{case}")+strings.Count(text, "{site}") {
					t.Errorf("%s has an unknown placeholder: %s", where, text)
				}
				// Two kinds may say the same in the same place, in one language.
				if other, ok := seen[text]; ok && other != lang+"/"+name {
					t.Errorf("%s is the same as a %s: %s", where, other, text)
				}
				seen[text] = lang + "/" + name
			}
		}
	}
	t.Run("every text is used", func(t *testing.T) {
		w := newTestWriter(t)
		var marked texts
		v := reflect.ValueOf(&marked).Elem()
		for i := range v.NumField() {
			v.Field(i).SetString("mark-of-" + v.Type().Field(i).Name)
		}
		w.book.ByLang[catalog.Fallback]["marked"] = marked
		m := login("en")
		m.Kind, m.Project, m.Page = "marked", "Kite", link
		p := write(t, w, m)
		for i := range v.NumField() {
			if mark := v.Field(i).String(); !strings.Contains(p.text+p.html, mark) {
				t.Errorf("%s is nowhere in the message", mark)
			}
		}
	})
	t.Run("an unknown text is an error", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("no error")
			}
		}()
		catalog.Open[texts](fstest.MapFS{"en.json": {Data: []byte(`{"verify": {"greeting": "Hi"}}`)}}, "*.json")
	})
}
