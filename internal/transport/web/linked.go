package web

import (
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"sandlot/internal/format/names"
)

const (
	mostLinks = 5  // of one text: a text with more is a list of links
	mostPath  = 32 // characters of an address shown after its host
)

// address matches a possible address in a text. Blanks, quotes, marks of other scripts and invisible characters end it.
var address = regexp.MustCompile(`(?i)\bhttps://[\p{L}\p{M}\p{N}\-._~:/?#\[\]@!$&'()*+,;=%]+`)

// linked returns a text of an owner with its first https addresses as links. A link shows its target's host, whole and
// in ASCII; an address whose host looks like another stays text, and so does all else.
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
		out.WriteString(esc(text[done:at[0]]))
		const link = `<a href="%s" target="_blank" rel="ugc nofollow noopener" dir="ltr">%s</a>`
		fmt.Fprintf(&out, link, esc(to.String()), esc(shownLink(to, written)))
		done = at[0] + len(written)
	}
	out.WriteString(esc(text[done:]))
	return template.HTML(out.String())
}

// trimmed returns an address without the punctuation of the sentence around it.
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

// linkOf returns the target of an address, or nil if a page may not link to it. A host name never ends in a number or
// in a dot.
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

// shownLink returns the text of a link: the host in ASCII, and the beginning of the rest as it was written.
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
