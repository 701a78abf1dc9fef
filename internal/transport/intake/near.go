package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sandlot"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// MaxWarned limits the unknown fields that warnings name: a body may have a thousand.
const MaxWarned = 20

// synonyms maps names that clients make up, without case, hyphens and underscores, to the fields that they may stand
// for, best first. It never changes.
var synonyms = map[string][]string{
	"html": {"text"}, "htmlcontent": {"text", "content"}, "body": {"text", "content"}, "data": {"text", "content"}, "code": {"text"},
	"source": {"text", "content"}, "payload": {"content"}, "base64": {"content"}, "contentbase64": {"content"},
	"filecontent": {"text", "content"}, "bytes": {"content"}, "file": {"content", "filename"}, "path": {"filename"}, "filepath": {"filename"},
	"targetfile": {"filename"}, "targetpath": {"filename"}, "filepathname": {"filename"},
	"name": {"filename", "title"}, "projectname": {"project_id", "title"}, "projecttitle": {"title"},
	"id": {"project_id"}, "project": {"project_id"}, "slug": {"project_id"}, "projectslug": {"project_id"}, "projectref": {"project_id"},
	"gameid": {"project_id"}, "game": {"project_id"}, "gameslug": {"project_id"}, "app": {"project_id"}, "appid": {"project_id"}, "site": {"project_id"}, "siteid": {"project_id"},
	"url": {"project_id"}, "projecturl": {"project_id"}, "gameurl": {"project_id"}, "siteurl": {"project_id"}, "appurl": {"project_id"},
	"pageurl": {"project_id"}, "pathurl": {"project_id"}, "versionurl": {"project_id"}, "address": {"project_id"}, "link": {"project_id"}, "uuid": {"project_id"}, "target": {"project_id"},
	"user": {"handle"}, "username": {"handle"}, "nickname": {"handle"}, "account": {"handle"},
	"mail": {"email"}, "emailaddress": {"email"}, "useremail": {"email"}, "owneremail": {"email"}, "contactemail": {"email"}, "language": {"lang"}, "locale": {"lang"},
	"encoding": {"content_encoding"}, "format": {"content_encoding"}, "upload": {"upload_id"}, "session": {"upload_id"},
	"partnumber": {"part"}, "chunk": {"part"}, "chunkindex": {"part"}, "index": {"part"}, "partscount": {"total_parts"}, "numparts": {"total_parts"},
	"final": {"last"}, "islast": {"last"}, "version": {"if_version"}, "expectedversion": {"if_version"}, "etag": {"if_version"},
	"ifmatch": {"if_version"}, "baseversion": {"if_version"}, "currentversion": {"if_version"}, "revision": {"version", "if_version"},
	"n": {"version"}, "to": {"version"}, "toversion": {"version"}, "targetversion": {"version"}, "restoreversion": {"version"}, "versionid": {"version"}, "versionnumber": {"version"}, "restoredfrom": {"version"},
	"desc": {"description"}, "about": {"description"}, "summary": {"description"}, "tag": {"tags"}, "labels": {"tags"}, "keywords": {"tags"}, "topics": {"tags"}, "category": {"tags"}, "categories": {"tags"}, "genre": {"tags"}, "genres": {"tags"}, "unlisted": {"listed"}, "public": {"listed"}, "private": {"listed"}, "hidden": {"listed"}, "visible": {"listed"}, "islisted": {"listed"},
	"main": {"primary_file"}, "mainfile": {"primary_file"}, "primary": {"primary_file"}, "entry": {"primary_file"}, "entrypoint": {"primary_file"}, "startfile": {"primary_file"},
	"crossoriginisolated": {"threads"}, "sharedarraybuffer": {"threads"}, "sharedmemory": {"threads"},
	"hash": {"sha256"}, "checksum": {"sha256"}, "digest": {"sha256"}, "length": {"size"}, "filesize": {"size"},
}

// guesses maps names that most likely stand for a field, but could be anything else, to that field: they count only if
// the field is absent. It never changes.
var guesses = map[string]string{
	"uri": "project_id", "href": "project_id", "permalink": "project_id", "host": "project_id", "hostname": "project_id", "domain": "project_id", "subdomain": "project_id",
	"pid": "project_id", "proj": "project_id", "projid": "project_id", "projects": "project_id", "projectkey": "project_id", "projectuuid": "project_id", "idproject": "project_id",
	"identifier": "project_id", "projectidentifier": "project_id", "targetproject": "project_id", "currentproject": "project_id", "existingproject": "project_id",
	"slugs": "project_id", "gamename": "project_id", "appname": "project_id", "sitename": "project_id",
}

// guessed returns the field that a longer or vaguer name may stand for, such as target_project_id for project_id; "" if
// none.
func guessed(name string) string {
	plain := Simplified(name)
	if field, ok := guesses[plain]; ok {
		return field
	}
	for _, field := range choosing {
		if strings.Contains(plain, Simplified(field)) {
			return field
		}
	}
	return ""
}

// unknown lists the fields that the endpoint does not take, in the order sent.
func (f *Fields) unknown() []string {
	var list []string
	for field := range f.Form.All() {
		known := slices.Contains(f.Set.Names, field.Name) || (field.Name == "content_encoding" || field.Name == "files") && f.Set.content
		if !known && field.Kind != content.Null {
			list = append(list, field.Name)
		}
	}
	if f.Form.HasContent && !f.Set.content {
		list = append(list, "content")
	}
	return list
}

// warnings returns a warning for each ignored field that most likely stands for another, and one for all others.
func (f *Fields) warnings() []sandlot.Warning {
	var list []sandlot.Warning
	var strange []string
	for _, name := range f.unknown() {
		if w, ok := f.Set.warning(name); ok && len(list) < MaxWarned {
			list = append(list, w)
		} else {
			strange = append(strange, Shown(name))
		}
	}
	if len(strange) == 0 {
		return list
	}
	message := "The field " + strange[0] + " is not known here and was ignored."
	if n := len(strange); n > 1 {
		message = fmt.Sprintf("%d fields are not known here and were ignored: %s.", n, strings.Join(strange[:min(n, MaxWarned)], ", "))
	}
	return append(list, sandlot.Warning{Code: "unknown_field", Message: message, Hint: f.Set.listed()})
}

// warning returns the warning about an ignored field that belongs elsewhere or most likely stands for another.
func (s *FieldSet) warning(name string) (sandlot.Warning, bool) {
	if w, ok := s.elsewhere[name]; ok {
		return w, true
	}
	meant := s.Meant(name)
	return sandlot.Warning{
		Code: "unknown_field", Message: "The field " + Shown(name) + " is not known here and was ignored.", Hint: "Probably " + meant + " was meant.",
	}, meant != ""
}

// near reports whether a name is that of a field, or of a probable near miss.
func (s *FieldSet) near(name string) bool {
	return slices.Contains(s.Names, name) || s.elsewhere[name].Code != "" || s.Meant(name) != "" && s.Meant(name) != "content" && s.Meant(name) != "text"
}

func (s *FieldSet) listed() string { return "The fields are: " + strings.Join(s.All(), ", ") + "." }

func (s *FieldSet) All() []string {
	if !s.content {
		return s.Names
	}
	all := append([]string{"content", "content_encoding", "text", "files", "archive"}, s.Names...)
	if s.html {
		all = append(all, "html")
	}
	return all
}

// Meant returns the field that an unknown name probably stands for, or "".
func (s *FieldSet) Meant(name string) string {
	if all := s.Candidates(name); len(all) > 0 {
		return all[0]
	}
	return s.mistyped(name)
}

// Candidates returns the fields that another name may surely stand for, best first: a different spelling, a synonym, or
// one typing error.
func (s *FieldSet) Candidates(name string) (found []string) {
	all := s.All()
	plain := Simplified(name)
	for _, field := range all {
		if Simplified(field) == plain && field != name {
			return []string{field}
		}
	}
	for _, field := range synonyms[plain] {
		if slices.Contains(all, field) {
			found = append(found, field)
		}
	}
	if near := s.mistyped(name); len(found) == 0 && near != "" && names.Edits(plain, Simplified(near)) == 1 {
		found = append(found, near)
	}
	return found
}

// mistyped returns the field nearest to a name, within one typing error, or two in a longer name.
func (s *FieldSet) mistyped(name string) string {
	all, plain := s.All(), Simplified(name)
	best, most := "", 2
	if len(plain) < 5 {
		most = 1
	}
	for _, field := range all {
		if len(field) < 4 || len(plain) < 3 || len(plain) > 40 {
			continue
		}
		if d := names.Edits(plain, Simplified(field)); d <= most && d > 0 {
			best, most = field, d-1
		}
	}
	return best
}

func Simplified(name string) string { return names.Letters(name) }

// Shown quotes a short piece of a client's text, without characters that act in a terminal, and without a key.
func Shown(s string) string {
	s = inspect.Redact(s)
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
