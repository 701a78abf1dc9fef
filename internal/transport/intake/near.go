package intake

import (
	"fmt"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/content"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// MaxWarned limits the unknown fields that warnings name: a body may have a thousand.
const MaxWarned = 20

// synonyms maps names that clients make up, simplified, to the fields that they may stand for, best first. It never
// changes.
var synonyms = readSynonyms([][2]string{
	{"text", "html htmlcontent body data code source filecontent"},
	{"content", "htmlcontent body data source payload base64 contentbase64 filecontent bytes file"},
	{"filename", "file path filepath targetfile targetpath name"},
	{"project_id", "projectname id project slug projectslug gameid game gameslug app appid site siteid url projecturl " +
		"gameurl siteurl appurl pageurl pathurl versionurl address link uuid target"},
	{"title", "name projectname projecttitle"},
	{"handle", "user username nickname account"},
	{"email", "mail emailaddress useremail owneremail contactemail"},
	{"lang", "language locale"},
	{"content_encoding", "encoding format"},
	{"upload_id", "upload session"},
	{"part", "partnumber chunk chunkindex index"},
	{"total_parts", "partscount numparts"},
	{"last", "final islast"},
	{"version", "revision n to toversion targetversion restoreversion versionid versionnumber restoredfrom"},
	{"if_version", "version expectedversion etag ifmatch baseversion currentversion revision"},
	{"description", "desc about summary"},
	{"tags", "tag labels keywords topics category categories genre genres"},
	{"listed", "unlisted public private hidden visible islisted"},
	{"primary_file", "main mainfile primary entry entrypoint startfile"},
	{"threads", "crossoriginisolated sharedarraybuffer sharedmemory"},
	{"sha256", "hash checksum digest"},
	{"size", "length filesize"},
	{"edits", "edit changes replacements patch patches"},
	{"delete", "deleted deletes deletefiles remove removed removes deletions"},
})

func readSynonyms(rows [][2]string) map[string][]string {
	of := map[string][]string{}
	for _, row := range rows {
		for name := range strings.FieldsSeq(row[1]) {
			of[name] = append(of[name], row[0])
		}
	}
	return of
}

// guesses are names that most likely stand for project_id, but could be anything else: they count only if it is absent.
// It never changes.
var guesses = strings.Fields("uri href permalink host hostname domain subdomain pid proj projid projects projectkey " +
	"projectuuid idproject identifier projectidentifier targetproject currentproject existingproject slugs gamename " +
	"appname sitename")

// guessed returns the field that a longer or vaguer name may stand for, such as target_project_id for project_id; "" if
// none.
func guessed(name string) string {
	plain := names.Letters(name)
	if slices.Contains(guesses, plain) {
		return "project_id"
	}
	for _, field := range choosing {
		if strings.Contains(plain, names.Letters(field)) {
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
			strange = append(strange, inspect.Quoted(name))
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
	message := "The field " + inspect.Quoted(name) + " is not known here and was ignored."
	return sandlot.Warn("unknown_field", message, "Probably "+meant+" was meant."), meant != ""
}

// near reports whether a name is that of a field, or of a probable near miss.
func (s *FieldSet) near(name string) bool {
	meant := s.Meant(name)
	known := slices.Contains(s.Names, name) || s.elsewhere[name].Code != ""
	return known || meant != "" && meant != "content" && meant != "text"
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

// Candidates returns the fields that another name surely stands for, best first: another spelling, a synonym, or one
// typing error.
func (s *FieldSet) Candidates(name string) (found []string) {
	all := s.All()
	plain := names.Letters(name)
	for _, field := range all {
		if names.Letters(field) == plain && field != name {
			return []string{field}
		}
	}
	for _, field := range synonyms[plain] {
		if slices.Contains(all, field) {
			found = append(found, field)
		}
	}
	if near := s.mistyped(name); len(found) == 0 && near != "" && names.Edits(plain, names.Letters(near)) == 1 {
		found = append(found, near)
	}
	return found
}

// mistyped returns the field nearest to a name, within one typing error, or two in a longer name.
func (s *FieldSet) mistyped(name string) string {
	all, plain := s.All(), names.Letters(name)
	best, most := "", 2
	if len(plain) < 5 {
		most = 1
	}
	for _, field := range all {
		if len(field) < 4 || len(plain) < 3 || len(plain) > 40 {
			continue
		}
		if d := names.Edits(plain, names.Letters(field)); d <= most && d > 0 {
			best, most = field, d-1
		}
	}
	return best
}
