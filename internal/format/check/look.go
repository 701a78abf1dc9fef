package check

import (
	"bytes"
	"path"
	"strings"
)

const (
	// Sample is how much of one file is looked at: it takes a few milliseconds at most.
	Sample = 512 << 10
	// SampleAll is how much of all files of one version is looked at. Real games have less code than that; libraries that
	// are larger are seldom written by hand.
	SampleAll = 8 << 20
	// Tail is how much of the end of a page that has more than Sample is looked at: a page has more than a tag in that.
	Tail = 64 << 10
	// mostRefs is how many references of one file are kept. Pages have tens.
	mostRefs = 1000
	// longestRef is as long as a reference may be: a filename has at most 512 bytes, which may be percent-encoded.
	longestRef = 1600
)

// A Look is what was seen in one file. It keeps nothing of the text but its references.
type Look struct {
	name     string
	kind     kind
	whole    bool // whether all of the file was looked at
	refs     []ref
	base     string   // what <base href> says, empty without one
	maps     []mapped // names that import maps of the page define
	facts    fact
	document bool // a whole HTML document, by its beginning
	active   bool // more than plain text: it has a script, a style or a canvas
	viewport bool
	title    bool
	early    place // where a sound or video starts by itself
	threads  place // where shared memory is made
	elided   place // where a comment stands for code
	off      place // where a feature is asked for that no project has
	offWhat  string
	cut      string
	cutAt    place
	faults   []fault  // of its scripts
	body     bool     // a head was ended and a body begun
	prefixes []string // folders that a script gives to its loaders
	rooted   bool     // for all scripts
	lists    []list
	cached   []string // the variables whose files a service worker caches
	classics []ref    // scripts that are loaded as no modules
	module   place    // of its first import or export
	tiled    bool     // a map of Tiled
}

// The kinds of files that are looked at.
type kind uint8

const (
	other kind = iota
	page
	script
	style
	manifest
	data
)

// A mapped name is defined by a page's import map, which gives its address.
type mapped struct {
	name string
	page *Look
	ref
}

// A place is a line and a column in bytes, both counted from 1; the zero place is nowhere.
type place struct{ line, col int }

// A ref is what a file asks for.
type ref struct {
	to string
	place
	how how
}

// how tells what a reference is relative to, and what it is for.
type how uint8

const (
	loads     how = iota // an element or a style: relative to the file
	opens                // a link that people follow
	imports              // a module: relative to the file, and a bare name needs an import map
	asks                 // a running script: relative to the page
	registers            // a service worker, likewise
	fetches              // a library that may be given a folder for its files
	listed               // nothing yet: a name among others, which a script goes through
	caches               // a service worker, of all that it keeps: one that is missing is the end of it
	defines              // an import map, which asks for nothing by itself
)

// kindOf tells from its name how a file is read.
func kindOf(name string) kind {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".html", ".htm":
		return page
	case ".js", ".mjs":
		return script
	case ".css":
		return style
	case ".webmanifest":
		return manifest
	case ".gltf", ".tmj", ".tsj", ".tmx", ".tsx":
		return data
	case ".json":
		if strings.EqualFold(path.Base(name), "manifest.json") {
			return manifest
		}
		return data
	}
	return other
}

// Reads reports whether a file of that name is looked at, beside those of ReadsLast.
func Reads(name string) bool { kind := kindOf(name); return kind != other && kind != data }

// At looks at a file that begins with text; whole says whether that is all of it. More than Sample of it is left out. It
// is nil for a file that is not looked at.
func At(name string, text []byte, whole bool) *Look { return lookAt(name, text, whole, new(int)) }

// Look looks at a file as At does, and keeps that among the Looks. All files of a Version share what the parser may do.
func (v *Version) Look(name string, text []byte, whole bool) *Look {
	l := lookAt(name, text, whole, &v.steps)
	if l != nil {
		v.Looks = append(v.Looks, l)
	}
	return l
}

// WithoutParser has Look parse no script.
func (v *Version) WithoutParser() { v.steps = mostSteps }

func lookAt(name string, text []byte, whole bool, steps *int) *Look {
	kind := kindOf(name)
	if kind == other {
		return nil
	}
	if len(text) > Sample {
		text, whole = text[:Sample], false
	}
	l := &Look{name: name, kind: kind, whole: whole}
	s := scanner{Look: l, text: bytes.TrimPrefix(text, []byte("\ufeff")), line: 1, steps: steps}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) || bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return l // UTF-16, or packed: nothing here reads that
	}
	switch kind {
	case page:
		s.page()
	case script:
		s.scriptFile()
	case style:
		s.styleFile()
	case manifest:
		s.manifest()
	case data:
		s.data()
	}
	if kind == page || kind == script {
		s.words(s.worded, len(s.text))
	}
	return l
}

// A scanner passes over the text of one file.
type scanner struct {
	*Look
	text []byte

	line, lineAt, upTo int // how many lines begin before upTo, counted from 1, and where the last does

	worded int // up to where words were looked for

	steps *int // that the parser has taken

	elisions int // comments that were looked at
	settings int // settings of folders, likewise

	svg  bool // inside of an <svg>
	read int  // bytes of import maps
}

// spot is the place of an offset. Offsets never go back, so that all of them together cost one pass.
func (s *scanner) spot(at int) place {
	if at > s.upTo {
		between := s.text[s.upTo:at]
		if n := bytes.Count(between, newline); n > 0 {
			s.line += n
			s.lineAt = s.upTo + bytes.LastIndexByte(between, '\n') + 1
		}
		s.upTo = at
	}
	return place{s.line, max(at-s.lineAt, 0) + 1}
}

var newline = []byte("\n")

// anywhere is spot for an offset that may lie before others. It costs a pass, so it is for what is asked once in a file.
func (s *scanner) anywhere(at int) place {
	before := s.text[:at]
	return place{bytes.Count(before, newline) + 1, at - bytes.LastIndexByte(before, '\n')}
}

// ref keeps a reference that may be to a file or to another host.
func (s *scanner) ref(how how, value []byte, at int) {
	if value = bytes.TrimSpace(value); len(value) == 0 || len(value) > longestRef || len(s.refs) >= mostRefs || unreadable(value) {
		return
	}
	if n := len(s.refs); n > 0 && s.refs[n-1].to == string(value) && s.refs[n-1].how == how {
		return
	}
	s.refs = append(s.refs, ref{string(value), s.spot(at), how})
}

// unreadable reports whether a reference leads to no file, or cannot be told from what a program makes of it.
func unreadable(value []byte) bool {
	switch value[0] {
	case '#', '?', '$', '{', '<', '@':
		return true
	case 'd', 'D', 'b', 'B', 'j', 'J', 'm', 'M', 'a', 'A', 't', 'T':
		for _, scheme := range []string{"data:", "blob:", "javascript:", "mailto:", "about:", "tel:"} {
			if len(value) >= len(scheme) && strings.EqualFold(string(value[:len(scheme)]), scheme) {
				return true
			}
		}
	}
	for _, c := range value {
		switch c {
		case '\\':
			return !onDisk(value)
		case '{', '}', '$', '<', '>', '\n', '\r', '\t', '"', '`', '*', '|', 0:
			return true
		}
	}
	return false
}

// onDisk reports whether a reference is a place on a disk, as Windows writes it.
func onDisk(value []byte) bool { return len(value) > 3 && value[1] == ':' && value[2] == '\\' }

// cutOff says that the file ends too early, if all of it was seen. The first reason counts.
func (s *scanner) cutOff(where string) {
	if s.whole && s.cut == "" {
		s.cut, s.cutAt = where, s.anywhere(len(s.text))
	}
}
