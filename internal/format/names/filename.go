package names

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The limits of a filename. 255 bytes is the limit of common file systems for one part (NAME_MAX on Linux); the whole
// and the depth are the contract's, so that an export unpacks under any folder that a person is likely to choose.
const (
	maxFilename = 512 // bytes
	maxSegment  = 255 // bytes
	maxDepth    = 16  // parts between slashes, the file's own included
)

// forbidden are the printable characters that no filename has: Windows accepts none of them, and "%" would make a name
// and its form in an address two different things.
const forbidden = `<>:"|?*%`

const (
	emojiStyle = '\uFE0F' // selects the coloured form of the symbol before it
	joiner     = '\u034F' // inserted by normalization after 30 combining marks in a row
)

// A FilenameError says why a name cannot be a filename.
type FilenameError struct {
	Reason     string // one sentence about this name, safe to show: the name in it is quoted and cut
	Suggestion string // a similar name, which Filename accepts unchanged
	Root       string // the folder taken for the project's, in a path of the sender's machine; else ""
}

func (e *FilenameError) Error() string { return e.Reason }

// Filename returns s in Unicode NFC if a file may have that name, or else a *FilenameError. An accepted name can be
// unpacked on Linux, macOS and Windows and be part of an address: UTF-8 without control or invisible characters, at
// most 512 bytes, 16 parts of at most 255 bytes between slashes, none of them empty, ".", "..", a device of Windows, a
// spelling of ".git", or ending in a dot or blank; and outside the folders ".sandlot/" and
// ".well-known/acme-challenge/", which the service answers itself. Names are not decoded. Filename(Filename(s)) is
// Filename(s).
func Filename(s string) (string, error) {
	name := norm.NFC.String(s)
	if reason := refusal(s, name); reason != "" {
		return "", &FilenameError{
			Reason:     fmt.Sprintf("The filename %s %s.", quoted(s), reason),
			Suggestion: suggest(s),
		}
	}
	return name, nil
}

// Requested returns a decoded path in the form in which it names files: in NFC, and with one slash for several in a
// row.
func Requested(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return norm.NFC.String(path)
}

// Fold returns the form in which two filenames conflict: names that differ only in case, by Unicode's full case
// folding, or in composition have the same fold. It is for comparing, not for showing.
func Fold(filename string) string {
	if isASCII(filename) {
		return strings.ToLower(filename)
	}
	// A Caser may hold state, so each call takes its own. Folding the decomposed form is what Unicode calls a canonical
	// caseless match (Unicode 15, D145).
	return norm.NFC.String(cases.Fold().String(strings.Map(oneCherokee, norm.NFD.String(filename))))
}

// oneCherokee gives both cases of a Cherokee letter one form, since cases.Fold of x/text v0.43 only swaps them.
func oneCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToUpper(r)
	}
	return r
}

// refusal returns why name, the NFC form of sent, cannot be a filename, as the end of a sentence; "" if it can.
func refusal(sent, name string) string {
	switch {
	case !utf8.ValidString(sent):
		return "is not valid UTF-8"
	case name == "":
		return "is empty"
	case len(name) > maxFilename:
		return fmt.Sprintf("has %d bytes, and at most %d are allowed", len(name), maxFilename)
	case strings.HasPrefix(name, "/"):
		return "begins with a slash; names are relative to the project folder"
	case strings.HasSuffix(name, "/"):
		return "ends with a slash, and only files have names"
	case strings.ContainsRune(name, joiner) && !strings.ContainsRune(sent, joiner):
		return "has more than 30 combining marks on one letter"
	}
	if reason := refusedRune(name); reason != "" {
		return reason
	}
	segments := strings.Split(name, "/")
	if len(segments) > maxDepth {
		return fmt.Sprintf("has %d parts between slashes, and at most %d are allowed", len(segments), maxDepth)
	}
	if ownFolder(segments) {
		return "is in a folder where the service itself answers"
	}
	for _, segment := range segments {
		if reason := refusedSegment(segment); reason != "" {
			return reason
		}
	}
	return ""
}

// refusedRune finds the first character that no filename has.
func refusedRune(name string) string {
	var before rune
	for _, r := range name {
		switch {
		case r == '\\':
			return "contains a backslash, and folders are separated by /"
		case strings.ContainsRune(forbidden, r):
			return fmt.Sprintf("contains the character %c, which cannot be in a name", r)
		case unicode.IsControl(r):
			return fmt.Sprintf("contains the control character U+%04X", r)
		case r == emojiStyle && stylable(before):
		case invisible(r):
			return fmt.Sprintf("contains the invisible character U+%04X", r)
		}
		before = r
	}
	return ""
}

// stylable reports whether an emojiStyle after a character changes the picture. Elsewhere it would make two names that
// look the same.
func stylable(before rune) bool {
	return before > unicode.MaxASCII && !unicode.IsLetter(before) && !unicode.IsMark(before)
}

// invisible reports whether r has no glyph of its own: formatting and bidirectional controls, joiners, fillers,
// variation selectors, tags, line separators and code points that are no characters.
func invisible(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// refusedSegment returns the fault of a part between two slashes.
func refusedSegment(segment string) string {
	last, _ := utf8.DecodeLastRuneInString(segment)
	switch {
	case segment == "":
		return "has nothing between two slashes"
	case segment == "." || segment == "..":
		return fmt.Sprintf("has the part %q; names can't point to other folders", segment)
	case len(segment) > maxSegment:
		return fmt.Sprintf("has a part of %d bytes between slashes, and at most %d are allowed", len(segment), maxSegment)
	case last == '.' || unicode.IsSpace(last):
		return "has a part that ends with a dot or a blank, which Windows drops"
	case device(segment):
		return fmt.Sprintf("has the part %s, which is a device on Windows", quoted(segment))
	case dotGit(segment):
		return fmt.Sprintf("has the part %s, which some file systems take for the folder .git", quoted(segment))
	}
	return ""
}

// device reports whether Windows treats segment as a device, with any extension: CON, PRN, AUX, NUL, CONIN$, CONOUT$,
// and COM or LPT with one digit, superscripts included ("Naming Files, Paths, and Namespaces", Microsoft).
func device(segment string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(segment), ".")
	stem = strings.TrimSpace(stem)
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	port, ok := strings.CutPrefix(stem, "com")
	if !ok {
		port, ok = strings.CutPrefix(stem, "lpt")
	}
	return ok && utf8.RuneCountInString(port) == 1 && strings.Contains(digits+"¹²³", port)
}

// dotGit reports whether a file system may treat segment as ".git": in another case, or as its short name on Windows.
// Its spellings with invisible characters, trailing dots or "::" are refused for these.
func dotGit(segment string) bool {
	folded := Fold(segment)
	number, short := strings.CutPrefix(folded, "git~")
	return folded == ".git" || short && number != "" && onlyOf(number, digits)
}

// ownFolder reports whether a name lies in a folder that the service itself answers on a project's origin.
func ownFolder(segments []string) bool {
	switch Fold(segments[0]) {
	case ".sandlot":
		return true
	case ".well-known":
		return len(segments) > 1 && Fold(segments[1]) == "acme-challenge"
	}
	return false
}

// quoted returns s in quotes with everything unprintable or invisible escaped, cut at 60 characters: enough to
// recognize a name by.
func quoted(s string) string {
	const most = 60
	var b strings.Builder
	count := 0
	for _, r := range strconv.Quote(s[:min(len(s), most*utf8.UTFMax)]) {
		if count++; count > most {
			return b.String() + `..."`
		}
		if invisible(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}
