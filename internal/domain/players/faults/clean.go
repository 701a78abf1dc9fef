package faults

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// Limits of the parts of an error, in characters, and of the read part of a text, in bytes.
const (
	mostMessage = 300
	mostStack   = 1500
	mostPlace   = 200
	looked      = 4 << 10
)

// A cleaner removes secrets and personal data from the errors of a project.
type cleaner struct{ project sandlot.Project }

var (
	address = regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>()]+`)
	dataURL = regexp.MustCompile(`\b(data|blob|javascript):[^\s"'<>()]+`)
	query   = regexp.MustCompile(`[?#&][\w.~%\[\]-]+=[^\s"'<>()]*`)
	frame   = regexp.MustCompile(`^\s*([^@\s]*)@(\S+:\d+)\s*$`) // of Firefox and Safari
	email   = regexp.MustCompile(`[^\s"'<>()@:,;/\\]+@[^\s"'<>()@:,;/\\]+\.[^\s"'<>()@:,;/\\.]{2,}`)
	bearer  = regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[^\s"',;<>()]{6,}`)
	named   = regexp.MustCompile(`(?i)(token|secret|passw(?:or)?d|key|authorization|cookie|session)(["']?\s*[:=]\s*["']?)[^\s"',;<>()]{3,}`)
	jwt     = regexp.MustCompile(`\beyJ[\w-]+(?:\.[\w-]*)+`)
	word    = regexp.MustCompile(`[\w+=~-]{20,}`)
	ip      = regexp.MustCompile(`[0-9a-fA-F]*(?:[.:][0-9a-fA-F]*){2,}`)
)

// line returns a text as one line of at most that many characters, without secrets.
func (c cleaner) line(text string, most int) string {
	return cut(strings.Join(strings.Fields(c.text(plain(head(text)))), " "), most)
}

// stack returns a stack as line does, line by line.
func (c cleaner) stack(text string) string {
	var lines []string
	for line := range strings.Lines(head(text)) {
		if line = c.line(frame.ReplaceAllString(line, "at $1 ($2)"), mostMessage); line != "" {
			lines = append(lines, line)
		}
	}
	return cut(strings.Join(lines, "\n"), mostStack)
}

// place returns the place of an error: file:line:column, or the file alone.
func (c cleaner) place(r Report) string {
	file := c.line(r.Source, mostPlace)
	if file == "" || r.Line <= 0 {
		return file
	}
	file += ":" + strconv.Itoa(min(r.Line, 1<<30))
	if r.Column > 0 {
		file += ":" + strconv.Itoa(min(r.Column, 1<<30))
	}
	return file
}

// text removes addresses of people and machines, keys, and the parts of URLs that carry data.
func (c cleaner) text(s string) string {
	s = address.ReplaceAllStringFunc(s, c.url)
	s = dataURL.ReplaceAllString(s, "$1:")
	s = query.ReplaceAllString(s, "")
	s = inspect.Redact(s)
	s = bearer.ReplaceAllString(s, "$1$2<key>")
	s = named.ReplaceAllString(s, "$1$2<key>")
	s = jwt.ReplaceAllString(s, "<key>")
	s = email.ReplaceAllStringFunc(s, mailbox)
	s = word.ReplaceAllStringFunc(s, random)
	return ip.ReplaceAllStringFunc(s, machine)
}

// lineInFile matches the line and the column that browsers add to a URL in a stack.
var lineInFile = regexp.MustCompile(`(?::\d+){1,2}$`)

// url returns a URL without its user, query and fragment; for a URL of the project it returns the name of the file.
func (c cleaner) url(s string) string {
	at := lineInFile.FindString(s)
	u, err := url.Parse(strings.TrimSuffix(s, at))
	if err != nil || u.Host == "" {
		before, _, _ := strings.Cut(s, "?")
		before, _, _ = strings.Cut(before, "#")
		return before
	}
	label, _, _ := strings.Cut(u.Host, ".")
	id := string(c.project.ID)
	if inPath, ok := strings.CutPrefix(u.Path, "/~/"+id); ok {
		return c.file(inPath) + at
	}
	if label == id || strings.HasPrefix(label, id+"--") {
		return c.file(u.Path) + at
	}
	return u.Scheme + "://" + u.Host + u.Path + at
}

// file returns the name of a file of the project by its path.
func (c cleaner) file(path string) string {
	if name := strings.TrimPrefix(path, "/"); name != "" {
		return name
	}
	return c.project.Primary
}

// ofFile ends names such as hero@2x.png, which look like an e-mail address.
var ofFile = regexp.MustCompile(`\.(png|jpe?g|webp|avif|gif|svg|m?js|ts|json|css|html?|wasm|mp3|mp4|ogg|wav|webm|glb|gltf|ttf|woff2?|atlas|xml|txt)$`)

// mailbox replaces an e-mail address.
func mailbox(s string) string {
	if ofFile.MatchString(s) {
		return s
	}
	return "<e-mail>"
}

// random replaces a long word of letters and digits, as keys are.
func random(s string) string {
	if strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, unicode.IsLetter) {
		return "<key>"
	}
	return s
}

// machine replaces the address of a machine, with its port.
func machine(s string) string {
	text := strings.TrimRight(s, ".:")
	host, _, _ := strings.Cut(text, ":")
	for _, address := range []string{text, host} {
		if _, err := netip.ParseAddr(address); err == nil && address != "::" {
			return "<address>" + s[len(text):]
		}
	}
	return s
}

// plain replaces control characters and characters that change the direction of a text by blanks, and drops invisible
// characters.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		if names.Hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

func head(s string) string { return s[:min(len(s), looked)] }

// cut returns at most that many characters of a text.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// ofExtension reports whether an extension of the browser threw an error.
func ofExtension(r Report) bool {
	return strings.Contains(head(r.Source), "-extension://") || strings.Contains(head(r.Stack), "-extension://")
}
