package names

import (
	"strconv"
	"strings"
)

const (
	maxProjectID = 40 // characters, from the contract
	tailLength   = 6  // random characters of a project id: 2^30 for each slug, and the store refuses one used before
	secretLength = 10 // random characters of a version's label: 2^50, practically unguessable over a network
	maxSlug      = maxProjectID - tailLength - len("-")
)

// maxVersion is the highest version whose label fits in the 63 characters of a DNS label (RFC 1035) together with a
// project id of 40: 40 + len("--v") + 9 + len("-") + 10 is 63.
const maxVersion = 999_999_999

// ProjectID returns the id of a new project: a slug of its title and six random characters, or, if the title has no
// usable letters, an adjective, a noun and six random characters. The result is a DNS label of at most 40 characters
// that ValidProjectID accepts: it has no "--", so it is neither a punycode label nor a version's. The caller checks
// that it was never used before, and else calls again.
func ProjectID(title string, r Rand) string {
	slug := slugged(title)
	if slug == "" {
		slug = phrase(r)
	}
	return slug + "-" + Random(tailLength, r)
}

// PlainID returns the id of a new project as ProjectID does for one without a title: its host name says nothing that its
// maker chose.
func PlainID(r Rand) string { return ProjectID("", r) }

// ValidProjectID reports whether ProjectID could have made s. An id of another form belongs to no project.
func ValidProjectID(s string) bool {
	at := strings.LastIndexByte(s, '-')
	return at > 0 && len(s) <= maxProjectID && s[0] != '-' && !strings.Contains(s, "--") &&
		onlyOf(s, slugAlphabet) && IsRandom(s[at+1:], tailLength)
}

// VersionLabel returns the label of a host, under the content host: the project id itself for version 0, which stands
// for the newest, or else "{project id}--v{n}-{suffix}" with the version's suffix of ten random characters. It returns
// "" if ParseLabel would not return the arguments, so for a version above 999,999,999.
func VersionLabel(projectID string, n int, suffix string) string {
	label := projectID
	if n != 0 || suffix != "" {
		label += "--v" + strconv.Itoa(n) + "-" + suffix
	}
	if id, version, secret, ok := ParseLabel(label); !ok || id != projectID || version != n || secret != suffix {
		return ""
	}
	return label
}

// ParseLabel splits a label that VersionLabel made, and no other: it returns false for upper case, a version with a
// leading zero, or a suffix of another length. Hosts are compared without case, so the caller lowers them first.
func ParseLabel(label string) (projectID string, version int, suffix string, ok bool) {
	projectID, rest, versioned := strings.Cut(label, "--v")
	if !ValidProjectID(projectID) {
		return "", 0, "", false
	}
	if !versioned {
		return projectID, 0, "", true
	}
	n, suffix, _ := strings.Cut(rest, "-")
	version, err := strconv.Atoi(n)
	if err != nil || version < 1 || version > maxVersion || strconv.Itoa(version) != n || !IsRandom(suffix, secretLength) {
		return "", 0, "", false
	}
	return projectID, version, suffix, true
}

// slugged returns the part of a title that a host name can show, at most maxSlug characters, cut between words if that
// keeps half of it; "" if there is none.
func slugged(title string) string {
	title = strings.NewReplacer("'", "", "’", "").Replace(title[:min(len(title), maxFolded)])
	words := strings.FieldsFunc(folded(title, slugAlphabet), func(r rune) bool { return r == '-' })
	slug := strings.Join(words, "-")
	if len(slug) <= maxSlug {
		return slug
	}
	end := strings.LastIndexByte(slug[:maxSlug+1], '-')
	if end < maxSlug/2 {
		end = maxSlug
	}
	return slug[:end]
}
