package inbox

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/htmlindex"
)

// Limits of a message. A report with a forwarded message in it has about ten parts, four deep.
const (
	MaxMessage = 1 << 20 // bytes
	maxParts   = 100
	maxDepth   = 8
)

// A letter holds the sender and the text of a message.
type letter struct {
	from      string // one plain address; empty if there is none
	automatic bool
	bounce    bool   // whether it reports a message that was not delivered
	feedback  string // the Feedback-Type of RFC 5965; empty in other messages
	text      strings.Builder
	parts     int
}

// readLetter reads a message of at most MaxMessage bytes. Parts that cannot be decoded count as far as they can.
func readLetter(raw []byte) (*letter, error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	l := &letter{}
	if list, err := m.Header.AddressList("From"); err == nil && len(list) == 1 {
		l.from = list[0].Address
	}
	l.automatic, l.bounce = automatic(m.Header), bounce(m.Header, l.from)
	l.write(decoded(m.Header.Get("Subject")))
	l.part(textproto.MIMEHeader(m.Header), m.Body, 0)
	return l, nil
}

// automatic reports whether a program sent a message (RFC 3834), or a list.
func automatic(h mail.Header) bool {
	auto := strings.ToLower(strings.TrimSpace(h.Get("Auto-Submitted")))
	_, precedes := h["Precedence"]
	_, listed := h["List-Id"]
	path, returns := h["Return-Path"]
	return auto != "" && auto != "no" || precedes || listed || returns && strings.Trim(path[0], "<> \t") == ""
}

// bounce reports whether a message is a mail server's notice of a failed delivery (RFC 3464).
func bounce(h mail.Header, from string) bool {
	_, params, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return strings.EqualFold(params["report-type"], "delivery-status") || strings.HasPrefix(strings.ToLower(from), "mailer-daemon@")
}

func decoded(header string) string {
	text, err := (&mime.WordDecoder{}).DecodeHeader(header)
	if err != nil {
		return header
	}
	return text
}

// write adds a paragraph.
func (l *letter) write(text string) {
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")); text != "" {
		l.text.WriteString(text + "\n\n")
	}
}

// part reads one part, with those within it.
func (l *letter) part(h textproto.MIMEHeader, body io.Reader, depth int) {
	if l.parts++; l.parts > maxParts || depth > maxDepth {
		return
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || kind == "" {
		kind = "text/plain"
	}
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		l.each(multipart.NewReader(body, params["boundary"]), depth)
		return
	case kind != "message/rfc822" && kind != "message/feedback-report" && !strings.HasPrefix(kind, "text/"):
		return // files are not searched
	}
	text, _ := io.ReadAll(io.LimitReader(plain(h, body), MaxMessage)) // a part that is cut counts as far as it goes
	switch {
	case kind == "message/rfc822":
		l.forwarded(text, depth)
	case kind == "message/feedback-report":
		l.report(text)
	case kind == "text/html":
		l.write(fromHTML(asUTF8(text, params["charset"])))
	default:
		l.write(asUTF8(text, params["charset"]))
	}
}

// each reads the parts of a multipart message. NextRawPart leaves their encoding to plain.
func (l *letter) each(r *multipart.Reader, depth int) {
	for l.parts < maxParts {
		p, err := r.NextRawPart()
		if err != nil {
			return
		}
		l.part(p.Header, p, depth+1)
	}
}

// forwarded reads a message that is attached to another, such as a phishing mail.
func (l *letter) forwarded(text []byte, depth int) {
	m, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		l.write(string(text))
		return
	}
	l.write(decoded(m.Header.Get("Subject")))
	l.part(textproto.MIMEHeader(m.Header), m.Body, depth+1)
}

// report reads the fields of a feedback report (RFC 5965), which name addresses, too.
func (l *letter) report(text []byte) {
	l.write(string(text))
	if m, err := mail.ReadMessage(io.MultiReader(bytes.NewReader(text), strings.NewReader("\r\n\r\n"))); err == nil {
		l.feedback = strings.ToLower(strings.TrimSpace(m.Header.Get("Feedback-Type")))
	}
}

// plain returns the bytes of a part without its transfer encoding.
func plain(h textproto.MIMEHeader, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	}
	return body
}

// asUTF8 returns a text in UTF-8. An unknown charset is taken for it.
func asUTF8(text []byte, charset string) string {
	if of, err := htmlindex.Get(charset); err == nil {
		if out, err := of.NewDecoder().Bytes(text); err == nil {
			return string(out)
		}
	}
	return string(text)
}

// fromHTML returns the words of a page, and the addresses of its links.
func fromHTML(page string) string {
	var out strings.Builder
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return out.String()
		case html.TextToken:
			out.Write(z.Text())
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := z.TagName(); string(name) != "b" && string(name) != "i" && string(name) != "span" && string(name) != "wbr" {
				out.WriteByte(' ') // a tag within a word does not end it
			}
			for more := true; more; {
				var key, value []byte
				if key, value, more = z.TagAttr(); string(key) == "href" || string(key) == "src" {
					out.WriteString(" " + string(value) + " ")
				}
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "p" || string(name) == "div" || string(name) == "td" || string(name) == "li" {
				out.WriteByte('\n')
			}
		}
	}
}
