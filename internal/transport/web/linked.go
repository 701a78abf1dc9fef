package web

import (
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"sandlot/internal/format/names"
)

const (
	mostLinks = 5  // of one text: a text with more is a list of links
	mostPath  = 32 // characters of an address that are shown behind its host
)

// address matches a possible address in a text. Blanks, quotes, marks of other scripts and characters without a shape end it.
var address = regexp.MustCompile(`(?i)\bhttps://[\p{L}\p{M}\p{N}\-._~:/?#\[\]@!$&'()*+,;=%]+`)

// linked writes a text of an owner with its first https addresses as links. A link shows the host that it leads to, whole and in
// ASCII; an address whose host could be taken for another one stays text, and so does all else.
func linked(text string) template.HTML {
	var out strings.Builder
	done, links := 0, 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		written := trimmed(text[at[0]:at[1]])
		to := linkOf(written)
		if to == nil || links == mostLinks {
			continue
		}
		links++
		out.WriteString(template.HTMLEscapeString(text[done:at[0]]))
		out.WriteString(`<a href="` + template.HTMLEscapeString(to.String()) + `" target="_blank" rel="ugc nofollow noopener" dir="ltr">` + template.HTMLEscapeString(shownLink(to, written)) + `</a>`)
		done = at[0] + len(written)
	}
	out.WriteString(template.HTMLEscapeString(text[done:]))
	return template.HTML(out.String())
}

// trimmed is an address without the marks of the sentence around it.
func trimmed(s string) string {
	for {
		cut := strings.TrimRight(s, ".,:;!?'*_~")
		for _, pair := range []string{"()", "[]"} {
			if strings.HasSuffix(cut, pair[1:]) && strings.Count(cut, pair[1:]) > strings.Count(cut, pair[:1]) {
				cut = cut[:len(cut)-1]
			}
		}
		if cut == s {
			return s
		}
		s = cut
	}
}

// linkOf returns where an address leads, nil where a page may not lead there. No host of a name ends in a number or in a dot.
func linkOf(written string) *url.URL {
	link, err := names.Link(written)
	if err != nil {
		return nil
	}
	u, err := url.Parse(link)
	if err != nil {
		return nil
	}
	host := u.Hostname()
	if last := host[strings.LastIndexByte(host, '.')+1:]; last == "" || last[0] <= '9' {
		return nil
	}
	return u
}

// shownLink returns the text of a link: the host as a browser asks for it, and the beginning of the rest as it was written.
func shownLink(to *url.URL, written string) string {
	rest := written[len("https://"):]
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[i:]
	} else {
		rest = ""
	}
	if rest == "/" {
		rest = ""
	}
	if letters := []rune(rest); len(letters) > mostPath {
		rest = string(letters[:mostPath-1]) + "…"
	}
	return to.Host + rest
}
