package check

import (
	"bytes"
	"encoding/json"
	"html"
	"maps"
	"slices"
	"strings"
)

// element keeps the references of a start tag, and skips its content if that has no tags.
func (s *scanner) element(t *tag, next int) int {
	if len(t.style) > 0 && bytes.Contains(t.style, []byte("url(")) {
		s.inlineStyle([]byte(html.UnescapeString(string(t.style))), t.at)
	}
	switch string(t.name[:t.n]) {
	case "script":
		return s.scriptElement(t, next)
	case "style":
		end, after := s.raw("style", next)
		s.words(s.worded, next)
		s.worded = end
		s.styles(next, end)
		return after
	case "textarea", "xmp", "noembed":
		_, after := s.raw(string(t.name[:t.n]), next)
		return after
	case "title":
		if s.svg {
			return next
		}
		end, after := s.raw("title", next)
		s.title = s.title || len(bytes.TrimSpace(s.text[next:end])) > 0
		return after
	case "svg":
		s.svg = true
	case "meta":
		s.viewport = s.viewport || bytes.EqualFold(bytes.TrimSpace(t.meta), []byte("viewport"))
	default:
		s.asksFor(t)
	}
	return next
}

// asksFor keeps the references of an element.
func (s *scanner) asksFor(t *tag) {
	switch string(t.name[:t.n]) {
	case "base":
		if s.base == "" && len(t.href) <= longestRef {
			s.base = strings.TrimSpace(string(t.href))
		}
	case "link":
		if loadsFile(t.rel) {
			s.ref(loads, t.href, t.at)
		}
	case "a", "area":
		s.ref(opens, t.href, t.at)
	case "embed":
		s.embeds(t)
		s.ref(loads, t.src, t.at)
	case "img", "source", "track", "input", "iframe", "frame":
		s.ref(loads, t.src, t.at)
	case "audio", "video":
		s.ref(loads, t.src, t.at)
		if t.autoplay && !t.muted && s.early.line == 0 {
			s.early = s.spot(t.at)
		}
	case "image", "use":
		s.ref(loads, t.href, t.at)
	case "object":
		s.embeds(t)
		s.ref(loads, t.data, t.at)
	}
	if bytes.IndexByte(t.name[:t.n], '-') > 0 && namesFile(t.src) { // of A-Frame, or a viewer of models
		s.ref(loads, t.src, t.at)
	}
	s.ref(loads, t.poster, t.at)
	s.set(t.srcset, t.at)
}

// set keeps the candidates of a srcset.
func (s *scanner) set(srcset []byte, at int) {
	for len(srcset) > 0 && len(s.refs) < mostRefs {
		srcset = bytes.TrimLeft(srcset, " \t\r\n,")
		n := bytes.IndexAny(srcset, " \t\r\n")
		if n < 0 {
			n = len(srcset)
		}
		if bytes.HasPrefix(srcset, []byte("data:")) {
			return // it may hold commas and blanks
		}
		s.ref(loads, bytes.TrimRight(srcset[:n], ","), at)
		if n > 0 && srcset[n-1] != ',' {
			if comma := bytes.IndexByte(srcset[n:], ','); comma >= 0 {
				n += comma
			} else {
				n = len(srcset)
			}
		}
		srcset = srcset[n:]
	}
}

// loadsFile reports whether a link of that rel loads its target.
func loadsFile(rel []byte) bool {
	if len(rel) > 100 {
		return false
	}
	for _, word := range strings.Fields(strings.ToLower(string(rel))) {
		switch word {
		case "stylesheet", "icon", "manifest", "preload", "modulepreload", "prefetch", "apple-touch-icon", "mask-icon":
			return true
		}
	}
	return false
}

// scriptElement scans a script element.
func (s *scanner) scriptElement(t *tag, next int) int {
	if s.svg && len(t.src) == 0 {
		t.src = t.href
	}
	s.ref(loads, t.src, t.at)
	end, after := s.raw("script", next)
	s.active = s.active || !forwards(s.text[next:end])
	kind := strings.ToLower(string(bytes.TrimSpace(t.kind[:min(len(t.kind), 40)])))
	if len(t.src) > 0 {
		if n := len(s.refs); isScript(kind) && !t.nomodule && n > 0 && len(s.classics) < mostRefs && s.refs[n-1].to == string(bytes.TrimSpace(t.src)) {
			s.classics = append(s.classics, s.refs[n-1])
		}
		if strings.Contains(kind, "babel") || strings.Contains(kind, "jsx") || strings.Contains(kind, "typescript") {
			s.facts |= translates
		}
		return after
	}
	switch {
	case isScript(kind), kind == "module":
		s.script(next, end, after >= 0, kind == "module")
	case kind == "importmap":
		s.importMap(s.text[next:end], t.at)
	}
	return after
}

// forwards reports whether a script does little but lead to another page.
func forwards(script []byte) bool {
	return len(script) < 200 && bytes.Contains(script, []byte("location"))
}

// isScript reports whether an element of that type is a classic script.
func isScript(kind string) bool {
	return kind == "" || kind == "text/javascript" || kind == "application/javascript"
}

// mostJSON bounds the import maps and manifests of a file that are read, in bytes.
const mostJSON = 64 << 10

// importMap keeps the names that an import map defines, with their addresses.
func (s *scanner) importMap(text []byte, at int) {
	var m struct {
		Imports map[string]string            `json:"imports"`
		Scopes  map[string]map[string]string `json:"scopes"`
	}
	if s.read += len(text); s.read > mostJSON || json.Unmarshal(text, &m) != nil {
		s.maps = append(s.maps, mapped{}) // its definitions are not known
		return
	}
	if len(s.maps) > mostRefs {
		return
	}
	defined := slices.Sorted(maps.Keys(m.Imports))
	for _, name := range defined {
		to := m.Imports[name]
		s.maps = append(s.maps, mapped{name, s.Look, ref{to, s.spot(at), loads}})
		s.ref(defines, []byte(to), at)
	}
	for _, scope := range m.Scopes {
		for name := range scope {
			s.maps = append(s.maps, mapped{name: name})
		}
	}
}

// manifest keeps the references of a web app's manifest.
func (s *scanner) manifest() {
	type pictures []struct {
		Src string `json:"src"`
	}
	var m struct {
		Icons       pictures `json:"icons"`
		Screenshots pictures `json:"screenshots"`
	}
	if len(s.text) > mostJSON || json.Unmarshal(s.text, &m) != nil {
		return
	}
	at := 0
	for _, p := range append(m.Icons, m.Screenshots...) {
		if n := bytes.Index(s.text[at:], []byte(`"`+p.Src+`"`)); n >= 0 {
			at += n
		}
		s.ref(loads, []byte(p.Src), at)
	}
}
