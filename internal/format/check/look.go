package check

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

const (
	// Sample is how many bytes of one file are read: they take a few milliseconds at most.
	Sample = 512 << 10
	// SampleAll is how many bytes of all files of one version are read. Real games have less code than that; larger
	// libraries are seldom written by hand.
	SampleAll = 8 << 20
	// mostRefs is how many references of one file are kept. Pages have tens.
	mostRefs = 1000
	// longestRef is the most bytes of a reference: a filename has at most 512 bytes, which may be percent-encoded.
	longestRef = 1600
)

// A Look holds the facts and references found in one file. It keeps no other text.
type Look struct {
	name     string
	kind     kind
	whole    bool // whether all of the file was read
	refs     []ref
	base     string   // the value of <base href>, empty without one
	maps     []mapped // names that import maps of the page define
	facts    fact
	document bool // a whole HTML document, by its beginning
	active   bool // more than plain text: it has a script, a style or a canvas
	viewport bool
	title    bool
	early    place // the place of a sound or video that starts by itself
	threads  place // the place that makes shared memory
	elided   place // the place of a comment instead of code
	off      place // the place of a feature that no project has
	offWhat  string
	sdk      sdk
	lost     place // the use of window.storage
	best     place // the place that sets a best score
	cut      string
	cutAt    place
	faults   []fault  // of its scripts
	prefixes []string // folders that a script gives to its loaders
	rooted   bool     // its folders apply to all scripts
	lists    []list
	cached   []string // the variables whose files a service worker caches
	classics []ref    // scripts that are not loaded as modules
	module   place    // its first import or export
	tiled    bool     // a map of Tiled
}

// The kinds of files that are checked.
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

// A ref is a reference of a file.
type ref struct {
	to string
	place
	how how
}

// how describes the base of a reference, and its purpose.
type how uint8

const (
	loads     how = iota // an element or a style: relative to the file
	opens                // a link that people follow
	imports              // a module: relative to the file, and a bare name needs an import map
	asks                 // a running script: relative to the page
	registers            // a service worker, likewise
	fetches              // a library that may have a folder for its files
	listed               // no load yet: a name in a list, which a script goes through
	caches               // a service worker, with a list for its cache: one missing file makes it fail
	defines              // an import map, which loads nothing by itself
)

// kindOf returns the kind of a file by its name.
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

// Reads reports whether a file of that name is checked, beside those of ReadsLast.
func Reads(name string) bool { kind := kindOf(name); return kind != other && kind != data }

// At checks a file that begins with text; whole reports whether that is all of it. It reads at most Sample bytes. It
// returns nil for a file that is not checked.
func At(name string, text []byte, whole bool) *Look { return new(Version).Look(name, text, whole) }

// WithoutParser makes Look parse no script.
func (v *Version) WithoutParser() { v.steps = mostSteps }

// Look checks a file as At does, and adds the result to the Looks. All files of a Version share the limit of the
// parser.
func (v *Version) Look(name string, text []byte, whole bool) *Look {
	kind := kindOf(name)
	if kind == other {
		return nil
	}
	if len(text) > Sample {
		text, whole = text[:Sample], false
	}
	l := &Look{name: name, kind: kind, whole: whole}
	v.Looks = append(v.Looks, l)
	s := scanner{Look: l, text: bytes.TrimPrefix(text, []byte("\ufeff")), line: 1, steps: &v.steps}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) || bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return l // UTF-16, or compressed: no reader here handles that
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

// A scanner reads the text of one file.
type scanner struct {
	*Look
	text []byte

	line, lineAt, upTo int // the number of lines that begin before upTo, counted from 1, and the offset of the last

	worded int // the offset up to which words were searched

	steps *int // taken by the parser

	elisions int // comments that were checked
	settings int // settings of folders that were checked

	svg      bool // inside of an <svg>
	scripted bool // behind a script that runs
	read     int  // bytes of import maps
}

// spot returns the place of an offset. Offsets never go back, so that all of them together cost one pass.
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

// anywhere is spot for an offset that may lie before others. It costs a pass, so it is for one call in a file.
func (s *scanner) anywhere(at int) place {
	before := s.text[:at]
	return place{bytes.Count(before, newline) + 1, at - bytes.LastIndexByte(before, '\n')}
}

// ref keeps a reference that may be to a file or to another host.
func (s *scanner) ref(how how, value []byte, at int) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || len(value) > longestRef || len(s.refs) >= mostRefs || unreadable(value) {
		return
	}
	if n := len(s.refs); n > 0 && s.refs[n-1].to == string(value) && s.refs[n-1].how == how {
		return
	}
	s.refs = append(s.refs, ref{string(value), s.spot(at), how})
}

// noFile matches the schemes of addresses that lead to no file.
var noFile = regexp.MustCompile("^(?i:data|blob|javascript|mailto|about|tel):")

// unreadable reports whether a reference leads to no file, or may be changed by a program.
func unreadable(value []byte) bool {
	if bytes.IndexByte([]byte("#?${<@"), value[0]) >= 0 || noFile.Match(value) {
		return true
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

// onDisk reports whether a reference is a Windows path on a disk.
func onDisk(value []byte) bool { return len(value) > 3 && value[1] == ':' && value[2] == '\\' }

// cutOff records that the file ends too early, if all of it was read. The first reason counts.
func (s *scanner) cutOff(where string) {
	if s.whole && s.cut == "" {
		s.cut, s.cutAt = where, s.anywhere(len(s.text))
	}
}
