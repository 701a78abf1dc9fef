package check

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// mostSettings is how many settings of folders are checked in one file.
const mostSettings = 50

// mostPrefixes bounds the folders of one script.
const mostPrefixes = 8

// aFolder is the text after the name of a setting for a folder or a host: a call's only argument, or a value.
var aFolder = regexp.MustCompile("^(?:\\w*\\(|\\w*\\s*[:=])\\s*[\"'`]([^\"'`\\\\$\n]*)[\"'`]\\s*[),;}\n]")

// folderSet keeps the folder that a script sets for its files. If it is no plain text, these files cannot be judged.
func (s *scanner) folderSet(at int) {
	s.settings++
	found := aFolder.FindSubmatchIndex(s.text[at:min(len(s.text), at+300)])
	if s.settings > mostSettings || found == nil || len(s.prefixes) == mostPrefixes {
		s.facts |= elsewhere
		return
	}
	folder := string(s.text[at+found[2] : at+found[3]])
	switch t := read(folder); {
	case t.host != "" || t.scheme != "":
		s.facts |= elsewhere
		if bytes.IndexByte(s.text[at:at+found[2]], '(') >= 0 && len(s.refs) < mostRefs {
			s.refs = append(s.refs, ref{folder, s.anywhere(at), asks})
		}
	case folder != "":
		s.prefixes = append(s.prefixes, strings.TrimSuffix(folder, "/")+"/")
		s.rooted = s.rooted || foldedIs(s.text[at:at+len("loadroot")], "loadroot")
	}
}

// folders returns the possible folders of a referenced file, since the right one is not known: the one that its script
// set last, one that is set for all scripts, the page's own, and all others.
func (v *Version) folders(l *Look, r ref) []string {
	if r.how != fetches || strings.HasPrefix(r.to, "/") {
		return []string{""}
	}
	list := slices.Clone(l.prefixes)
	slices.Reverse(list)
	for _, other := range v.Looks {
		if other.rooted {
			list = append(list, other.prefixes...)
		}
	}
	list = append(list, "")
	if v.set == nil {
		v.set = v.allFolders()
	}
	return append(list, v.set...)
}

// allFolders returns the folders that any script sets, and each joined to each other.
func (v *Version) allFolders() []string {
	all := []string{}
	for _, l := range v.Looks {
		all = append(all, l.prefixes...)
	}
	all = all[:min(len(all), mostPrefixes)]
	for _, a := range all[:len(all):len(all)] {
		for _, b := range all[:min(len(all), mostPrefixes)] {
			if a != b && !strings.HasPrefix(b, "/") {
				all = append(all, a+b)
			}
		}
	}
	return all
}
