// Package mail writes the service's messages and delivers them: [SMTP] to a mail server, [Folder] to a folder of .eml
// files, which needs no set-up.
//
// A message is made of the kind and the few values in an account.Mail, with the texts of the embedded catalog for its
// language. No user's text gets into a header, except the recipient's address, which is checked here again. Neither
// link nor address is ever logged or put into an error: a reader of logs must not be able to verify somebody else's
// address.
package mail

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"sandlot/internal/base/catalog"
	"sandlot/internal/domain/account"
)

//go:embed message.html
var htmlSource string

// catalogs holds one file for each language, named after it.
//
//go:embed messages/*.json
var catalogs embed.FS

func openBook() *catalog.Texts[texts] { return catalog.Open[texts](catalogs, "messages/*.json") }

// reasonCatalogs holds the reasons of reports, a file for each language.
//
//go:embed reasons/*.json
var reasonCatalogs embed.FS

func openReasons() *catalog.Texts[string] {
	return catalog.Open[string](reasonCatalogs, "reasons/*.json")
}

// texts are the texts of one kind of message. In each of them {case} stands for the number of a report and {site} for the
// name of the instance, and in all but the subject {handle} for the account's handle, {reason} for that of a report, and
// {reports} and {networks} for the counts of a project's open reports.
type texts struct {
	Subject string `json:"subject"`
	Given   string `json:"given"`  // the event
	Made    string `json:"made"`   // before a project; empty in a kind that names none
	Open    string `json:"open"`   // before the link
	Button  string `json:"button"` // on the link
	Code    string `json:"code"`   // before the code; empty in a kind that has none
	Lasts   string `json:"lasts"`  // how long the link works
	Ignore  string `json:"ignore"` // advice if it was somebody else
	NotMe   string `json:"not-me"` // on the second link; empty in a kind that has none
}

// fill inserts the arguments into the texts. A handle is a user's own text, which never gets into a header. reason is that
// of a report, in the language of the texts.
func (t *texts) fill(site, reason string, m account.Mail) {
	number := plain(m.Case)
	t.Subject = strings.NewReplacer("{site}", site, "{case}", number).Replace(t.Subject)
	words := strings.NewReplacer("{site}", site, "{handle}", plain(m.Handle), "{case}", number,
		"{reason}", reason, "{reports}", strconv.Itoa(m.Reports), "{networks}", strconv.Itoa(m.Networks))
	for _, text := range []*string{&t.Given, &t.Made, &t.Open, &t.Button, &t.Code, &t.Lasts, &t.Ignore, &t.NotMe} {
		*text = words.Replace(*text)
	}
}

// maxAddress is the longest address that SMTP can carry (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

// writer makes messages.
type writer struct {
	from    *netmail.Address
	site    string // the name of the instance
	book    *catalog.Texts[texts]
	reasons *catalog.Texts[string]
	html    *template.Template
	now     func() time.Time
}

// newWriter returns a writer for a sender: an address, or a name with an address in angle brackets. site is the name of
// the instance, "Sandlot" if it is empty.
func newWriter(from, site string) (*writer, error) {
	sender, err := parseSender(from)
	if err != nil {
		return nil, err
	}
	html, err := template.New("message").Parse(htmlSource)
	if err != nil {
		return nil, err
	}
	return &writer{from: sender, site: cmp.Or(site, "Sandlot"), book: openBook(), reasons: openReasons(), html: html, now: time.Now}, nil
}

// CheckSender refuses a text that cannot be the sender of messages.
func CheckSender(from string) error {
	_, err := parseSender(from)
	return err
}

func parseSender(from string) (*netmail.Address, error) {
	sender, err := netmail.ParseAddress(from)
	if err != nil || hasControl(from) {
		return nil, fmt.Errorf("the sender %q is not a mail address", from)
	}
	return sender, nil
}

// page holds the values of both forms of a message.
type page struct {
	texts
	Site       string
	Lang, Link string
	Words      string // of a moderator, quoted
	Digits     string // the code, if there is one
	NotMeLink  string // the second link, if there is one
	Title      string // of the project, its id, or its address that is no link; empty for none
	Address    string // of the project's page; empty for none
}

// write makes the whole message, as multipart/alternative of text and HTML. All its errors are final: the same Mail
// would fail again.
func (w *writer) write(m account.Mail) (*gomail.Msg, error) {
	p, err := w.page(m)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", account.ErrRefused, err)
	}
	var html bytes.Buffer
	if err := w.html.Execute(&html, p); err != nil {
		return nil, fmt.Errorf("%w: write HTML: %w", account.ErrRefused, err)
	}
	msg := w.envelope(m.To, p.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, p.text())
	msg.AddAlternativeString(gomail.TypeTextHTML, html.String())
	return msg, nil
}

// envelope returns a message without a body.
func (w *writer) envelope(to, subject string) *gomail.Msg {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithEncoding(gomail.EncodingQP))
	msg.FromMailAddress(w.from)
	msg.ToMailAddress(&netmail.Address{Address: to})
	msg.Subject(subject)
	msg.SetDateWithValue(w.now())
	msg.SetMessageIDWithValue(rand.Text() + w.from.Address[strings.LastIndexByte(w.from.Address, '@'):])
	// So that no holiday notice comes back (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	return msg
}

func (w *writer) page(m account.Mail) (page, error) {
	if err := checkAddress(m.To); err != nil {
		return page{}, err
	}
	for _, link := range []string{m.Link, cmp.Or(m.NotMe, m.Link)} {
		if err := checkLink(link); err != nil {
			return page{}, err
		}
	}
	lang, _ := w.book.Nearest(m.Lang)
	t, ok := w.book.ByLang[lang][m.Kind]
	if !ok {
		return page{}, fmt.Errorf("no texts for a message of kind %q", m.Kind)
	}
	t.fill(w.site, w.reasons.ByLang[lang][m.Reason], m)
	codes := (t.Code != "") == (m.Code != "") && strings.Trim(m.Code, "0123456789") == ""
	projects := m.Project == "" || t.Made != "" && (m.Page == "" || checkLink(m.Page) == nil)
	if !codes || !projects || (t.NotMe != "") != (m.NotMe != "") {
		return page{}, fmt.Errorf("a message of kind %q has no such code, project or second link", m.Kind)
	}
	return page{t, w.site, lang, m.Link, quotable(m.Words), m.Code, m.NotMe, plain(m.Project), m.Page}, nil
}

// text returns the message for readers without HTML. The link has a line to itself, for mail programs that find links
// by guessing.
func (p page) text() string {
	made, code, notMe := "", "", ""
	if p.Title != "" {
		made = strings.TrimSuffix(p.Made+" "+p.Title+"\n"+p.Address, "\n") + "\n\n"
	}
	if p.Digits != "" {
		code = p.Code + "\n\n" + p.Digits + "\n\n"
	}
	if p.NotMeLink != "" {
		notMe = "\n" + p.NotMe + "\n\n" + p.NotMeLink + "\n"
	}
	given := p.Given
	if p.Words != "" {
		given += "\n\n> " + strings.ReplaceAll(p.Words, "\n", "\n> ")
	}
	return given + "\n\n" + p.Open + "\n\n" + p.Link + "\n\n" + made + code + p.Lasts + "\n" + p.Ignore + "\n" + notMe
}

// checkAddress is the last check before sending: one bare address, nothing that could end a line or a command. It does
// not quote the address.
func checkAddress(address string) error {
	a, err := netmail.ParseAddress(address)
	if err != nil || a.Address != address || len(address) > maxAddress || hasControl(address) {
		return errors.New("the recipient is not one plain address")
	}
	return nil
}

// checkLink checks that the link stays whole in any mail program. It does not quote it.
func checkLink(link string) error {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		hasControl(link) || strings.ContainsAny(link, " <>\"") {
		return errors.New("the link is not an http address")
	}
	return nil
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// plain removes characters from a name that could break out of its line or change its direction.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
}

// quotable is plain for a text of several lines.
func quotable(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = plain(line)
	}
	return strings.Join(lines, "\n")
}
