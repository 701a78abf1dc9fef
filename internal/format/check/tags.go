package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// element keeps the references of a start tag, and reads its content if that has no tags.
func (p *pager) element(t *tag) {
	if style := t.attr("style"); strings.Contains(style, "url(") && len(p.refs) < mostRefs {
		p.inlineStyle([]byte(style), t.at)
	}
	switch t.Data {
	case "script":
		p.scriptElement(t)
	case "style":
		from, to, _ := p.content("style")
		p.words(p.worded, from)
		p.worded = to
		p.styles(from, to)
	case "textarea", "xmp", "noembed":
		p.content(t.Data)
	case "title":
		from, to, _ := p.content("title")
		p.title = p.title || !p.svg && len(bytes.TrimSpace(p.text[from:to])) > 0
	case "svg":
		p.svg = true
	case "meta":
		p.viewport = p.viewport || strings.EqualFold(strings.TrimSpace(t.attr("name")), "viewport")
	default:
		p.asksFor(t)
	}
}

// asksFor keeps the references of an element.
func (s *scanner) asksFor(t *tag) {
	load := func(how how, attribute string) { s.ref(how, []byte(t.attr(attribute)), t.at) }
	switch t.Data {
	case "base":
		if href := t.attr("href"); s.base == "" && len(href) <= longestRef {
			s.base = strings.TrimSpace(href)
		}
	case "link":
		if loadsFile(t.attr("rel")) {
			load(loads, "href")
		}
	case "a", "area":
		load(opens, "href")
	case "embed":
		s.embeds(t)
		load(loads, "src")
	case "img", "source", "track", "input", "iframe", "frame":
		load(loads, "src")
	case "audio", "video":
		load(loads, "src")
		_, autoplay := t.find("autoplay")
		if _, muted := t.find("muted"); autoplay && !muted && s.early.line == 0 {
			s.early = s.spot(t.at)
		}
	case "image", "use":
		load(loads, "href")
		load(loads, "xlink:href")
	case "object":
		s.embeds(t)
		load(loads, "data")
	}
	if strings.Contains(t.Data, "-") && namesFile([]byte(t.attr("src"))) { // of A-Frame, or a viewer of models
		load(loads, "src")
	}
	load(loads, "poster")
	s.set(t.attr("srcset"), t.at)
	s.set(t.attr("imagesrcset"), t.at)
}

// set keeps the candidates of a srcset.
func (s *scanner) set(srcset string, at int) {
	if strings.Contains(srcset, "data:") {
		return // it may hold commas and blanks
	}
	for candidate := range strings.SplitSeq(srcset, ",") {
		address, _, _ := strings.Cut(strings.TrimSpace(candidate), " ")
		s.ref(loads, []byte(address), at)
	}
}

// loadsFile reports whether a link of that rel loads its target.
func loadsFile(rel string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(rel)), func(word string) bool {
		return slices.Contains(loadingRels, word)
	})
}

var loadingRels = strings.Fields("stylesheet icon manifest preload modulepreload prefetch apple-touch-icon mask-icon")

// scriptElement scans a script element.
func (p *pager) scriptElement(t *tag) {
	src := t.attr("src")
	if p.svg && src == "" {
		src = cmp.Or(t.attr("href"), t.attr("xlink:href"))
	}
	p.loadsSDK(t, src)
	p.ref(loads, []byte(src), t.at)
	kept := len(p.refs)
	from, to, ended := p.content("script")
	p.active = p.active || !forwards(p.text[from:to])
	kind := strings.ToLower(strings.TrimSpace(t.attr("type")))
	_, defers := t.find("defer")
	p.scripted = p.scripted || isScript(kind) && (src == "" || !defers) // modules wait, too
	_, old := t.find("nomodule")
	switch {
	case src != "":
		if isScript(kind) && !old && kept > 0 && len(p.classics) < mostRefs && p.refs[kept-1].to == strings.TrimSpace(src) {
			p.classics = append(p.classics, p.refs[kept-1])
		}
		if strings.Contains(kind, "babel") || strings.Contains(kind, "jsx") || strings.Contains(kind, "typescript") {
			p.facts |= translates
		}
	case isScript(kind), kind == "module":
		p.script(from, to, ended, kind == "module")
	case kind == "importmap":
		p.importMap(p.text[from:to], t.at)
	}
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
