package unpack

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxName is the longest path of Linux. A project's is shorter; files that are left out may lie deeper.
	maxName = 4096
	// maxNames bounds the memory for all names: five times that of 10,000 files with names of 160 bytes.
	maxNames = 8 << 20
)

// A list counts the entries of an archive and remembers the names of its files.
type list struct {
	lim     Limits
	entries int
	bytes   int
	files   map[string]bool
	total   int64
}

func newList(lim Limits) *list { return &list{lim: lim, files: map[string]bool{}} }

// entry counts an entry of any kind.
func (l *list) entry() error {
	if l.entries++; l.entries > l.lim.Entries {
		return bad("", TooMany, "the archive has more than %d entries", l.lim.Entries)
	}
	return nil
}

// leavesOut reports whether the caller leaves out a file.
func (l *list) leavesOut(name string) bool { return l.lim.LeftOut != nil && l.lim.LeftOut(name) }

// keep takes n bytes of the memory for names.
func (l *list) keep(n int) error {
	if l.bytes += n; l.bytes > maxNames {
		return bad("", TooMany, "the names in the archive take more than %d bytes", maxNames)
	}
	return nil
}

// file records a file of size bytes.
func (l *list) file(name string, size int64) error {
	if err := l.keep(len(name)); err != nil {
		return err
	}
	if l.files[name] {
		return bad(name, Duplicate, "the archive has two entries of this name")
	}
	l.files[name] = true
	if size < 0 || size > l.lim.Total-l.total {
		return bad(name, TotalLarge, "with this entry the files of the archive take more than %d bytes", l.lim.Total)
	}
	l.total += size
	return nil
}

// readName normalizes a name. A folder's ends with a slash.
func readName(raw string) (name string, folder bool, err error) {
	name = strings.ReplaceAll(raw, `\`, "/")
	switch {
	case !utf8.ValidString(name):
		return "", false, bad(strings.ToValidUTF8(name, "\ufffd"), BadName,
			"the name is not UTF-8, so nobody can tell its letters for certain")
	case len(name) > maxName:
		return "", false, bad(name[:64]+"...", BadName, "the name is longer than %d bytes", maxName)
	case strings.Contains(name, "\x00"):
		return "", false, bad(name, BadName, "the name holds a zero byte, at which some programs end it")
	case name == "":
		return "", false, bad("", BadName, "an entry of the archive has no name")
	}
	return name, strings.HasSuffix(name, "/"), nil
}
