package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sandlot/internal/publish"
)

// maxWarned bounds the unknown fields that get a warning of their own: a body
// may have a thousand.
const maxWarned = 20

// synonyms are names that clients make up, without case, hyphens and
// underscores, each with the fields that may be meant, best first. It never
// changes.
var synonyms = map[string][]string{
	"html": {"content"}, "htmlcontent": {"content"}, "body": {"content"}, "data": {"content"}, "code": {"content"},
	"source": {"content"}, "text": {"content"}, "payload": {"content"}, "base64": {"content"}, "contentbase64": {"content"},
	"filecontent": {"content"}, "bytes": {"content"}, "file": {"content", "filename"}, "path": {"filename"}, "filepath": {"filename"},
	"name": {"filename", "title"}, "projectname": {"title"}, "projecttitle": {"title"},
	"id": {"project_id"}, "project": {"project_id"}, "slug": {"project_id"}, "gameid": {"project_id"}, "game": {"project_id"},
	"url": {"project_id"}, "projecturl": {"project_id"},
	"user": {"handle"}, "username": {"handle"}, "nickname": {"handle"}, "account": {"handle"},
	"mail": {"email"}, "emailaddress": {"email"}, "language": {"lang"}, "locale": {"lang"},
	"encoding": {"content_encoding"}, "format": {"content_encoding"}, "upload": {"upload_id"}, "session": {"upload_id"},
	"partnumber": {"part"}, "chunk": {"part"}, "chunkindex": {"part"}, "index": {"part"}, "partscount": {"total_parts"}, "numparts": {"total_parts"},
	"final": {"last"}, "islast": {"last"}, "version": {"if_version"}, "expectedversion": {"if_version"}, "etag": {"if_version"},
	"hash": {"sha256"}, "checksum": {"sha256"}, "digest": {"sha256"}, "length": {"size"}, "filesize": {"size"},
}

// unknown lists the fields that the endpoint does not take, in the order sent.
func (f *fields) unknown() []string {
	var list []string
	for field := range f.form.All() {
		if !slices.Contains(f.set.names, field.Name) && (field.Name != "content_encoding" || !f.set.content) {
			list = append(list, field.Name)
		}
	}
	if f.form.HasContent && !f.set.content {
		list = append(list, "content")
	}
	return list
}

// warnings tells about each field that is ignored, and what was probably meant.
func (f *fields) warnings() []publish.Warning {
	var list []publish.Warning
	unknown := f.unknown()
	for i, name := range unknown {
		if i == maxWarned {
			more := fmt.Sprintf("%d further unknown fields were ignored.", len(unknown)-i)
			return append(list, publish.Warning{Code: "unknown_field", Message: more, Hint: f.set.listed()})
		}
		list = append(list, f.set.warning(name))
	}
	return list
}

func (s *fieldSet) warning(name string) publish.Warning {
	if w, ok := s.elsewhere[name]; ok {
		return w
	}
	w := publish.Warning{Code: "unknown_field", Message: "The field " + shown(name) + " is not known here and was ignored.", Hint: s.listed()}
	if meant := s.meant(name); meant != "" {
		w.Hint = "Probably " + meant + " was meant."
	}
	return w
}

func (s *fieldSet) listed() string { return "The fields are: " + strings.Join(s.all(), ", ") + "." }

func (s *fieldSet) all() []string {
	if !s.content {
		return s.names
	}
	return append([]string{"content", "content_encoding"}, s.names...)
}

// meant is the field that an unknown name was probably to be, or "".
func (s *fieldSet) meant(name string) string {
	all := s.all()
	plain := simplified(name)
	for _, field := range all {
		if simplified(field) == plain && field != name {
			return field
		}
	}
	for _, field := range synonyms[plain] {
		if slices.Contains(all, field) {
			return field
		}
	}
	best, most := "", 2 // one slip, or two in a longer name
	if len(plain) < 5 {
		most = 1
	}
	for _, field := range all {
		if len(field) < 4 || len(plain) < 3 || len(plain) > 40 {
			continue
		}
		if d := distance(plain, simplified(field)); d <= most && d > 0 {
			best, most = field, d-1
		}
	}
	return best
}

func simplified(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// distance counts the insertions, deletions and replacements between two short
// texts (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// shown quotes a short piece of what a client sent, without what could act in a
// terminal, and without a key.
func shown(s string) string {
	s = publish.Redact(s)
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "..."
	}
	return strconv.QuoteToGraphic(s)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
