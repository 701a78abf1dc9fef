package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"strings"
)

// ReadsLast reports whether a file of that name is checked only if room is left: it can only be broken by itself.
func ReadsLast(name string) bool { return kindOf(name) == data }

// forTools reports whether a JSON file belongs to the tools of a project: theirs may have comments.
func forTools(name string) bool {
	base := path.Base(name)
	return strings.Contains("/"+name, "/.") || strings.Contains(base, "config") || strings.Contains(base, "lint")
}

// data checks that a JSON file is an object or a list. Several of them one after another are taken as intended.
func (s *scanner) data() {
	text := bytes.TrimSpace(s.text)
	if bytes.HasPrefix(text, []byte("<")) && s.whole {
		s.mapXML()
		return
	}
	if !s.whole || len(text) == 0 || text[0] != '{' && text[0] != '[' || forTools(s.name) {
		return
	}
	var files named
	err := json.Unmarshal(s.text, &files)
	s.naming(&files)
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return
	}
	off := min(max(int(wrong.Offset)-1, 0), len(s.text))
	switch {
	case strings.HasPrefix(wrong.Error(), "unexpected end"):
		s.cutOff("in the middle of its JSON")
	case !strings.Contains(wrong.Error(), "after top-level value"):
		s.faults = append(s.faults, fault{place: s.anywhere(off), says: wrong.Error()})
	}
}
