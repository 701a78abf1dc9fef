package publish

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// primaryFile is the filename that publish gives to the content.
const primaryFile = "index.html"

// checkContent refuses content that the caller cannot have meant.
func checkContent(c Content, filename string, primary bool, d Declared) error {
	if c.Missing {
		return sandlot.Refuse(sandlot.CodeMissingField,
			"The field content is missing: it holds the file's bytes in base64.").In("content").With(sandlot.OpEncode)
	}
	if err := checkDeclared(c.Blob, d); err != nil {
		return err
	}
	if c.Size == 0 && primary {
		return sandlot.Refuse(sandlot.CodeInvalidField,
			"The field content is empty, and %s must not be: it is what players open.", filename).In("content").
			With(sandlot.OpSame).Note("The file that was sent has no bytes: " +
			"write the page into it, and send it again.")
	}
	if inspect.IsHTML(filename) && (c.Gzip || c.Base64) {
		return doubleEncoded(c, filename)
	}
	if c.Text && c.KeyAt >= 0 {
		return sandlot.Refuse(sandlot.CodeKeyInContent,
			"The file %s holds one of this service's keys, at byte %d. Everything published is public.", filename,
			c.KeyAt+1).
			In("content").With(sandlot.OpSame).
			Note("Take the key out of the file and send it again. " +
				"If the file was ever public, replace the key at /account.")
	}
	return nil
}

// equal reports whether both declare the same size and hash.
func (d Declared) equal(other Declared) bool {
	if (d.Size == nil) != (other.Size == nil) || d.Size != nil && *d.Size != *other.Size {
		return false
	}
	return strings.EqualFold(d.SHA256, other.SHA256)
}

// checkDeclared compares the received content with the size and hash that the client declared. This is how an agent
// learns that its content was cut or changed on the way, which is common where a model types base64 itself.
func checkDeclared(b sandlot.Blob, d Declared) error {
	if d.Size != nil && *d.Size != b.Size {
		return sandlot.Refuse(sandlot.CodeDigestMismatch, "The field size says %d bytes, but %d arrived.", *d.Size, b.Size).In("size").
			Detail("declared_size", *d.Size).Detail("received_size", b.Size).
			Detail("received_sha256", b.SHA256.String()).
			With(sandlot.OpEncode, sandlot.Set("size", "<size of the file>")).
			Note("The content was cut or changed in transit. Encode the file with a command instead of typing it.")
	}
	if d.SHA256 != "" && !strings.EqualFold(d.SHA256, b.SHA256.String()) {
		return sandlot.Refuse(sandlot.CodeDigestMismatch,
			"The field sha256 says %s, but the %d bytes that arrived have %s.", strings.ToLower(d.SHA256), b.Size,
			b.SHA256).In("sha256").
			Detail("declared_sha256", strings.ToLower(d.SHA256)).Detail("received_sha256", b.SHA256.String()).
			Detail("received_size", b.Size).With(sandlot.OpEncode, sandlot.Set("sha256", "<sha256 of the file>")).
			Note("The content was cut or changed in transit. Encode the file with a command instead of typing it.")
	}
	return nil
}

// doubleEncoded refuses a page that is still packed or encoded: no browser would show it. Other files only get a
// warning, because some are meant to be so.
func doubleEncoded(c Content, filename string) error {
	if c.Gzip {
		return sandlot.Refuse(sandlot.CodeDoubleEncoded, "The bytes of %s are still gzipped after decoding.", filename).In("content").
			With(sandlot.OpSame, sandlot.Set("content_encoding", "gzip+base64"), sandlot.Set("content", "<base64 of the gzipped file>")).
			Note("Say so with content_encoding, or send the file itself.")
	}
	return sandlot.Refuse(sandlot.CodeDoubleEncoded,
		"The bytes of %s are still base64 text after decoding: it was encoded twice.", filename).In("content").
		With(sandlot.OpEncode).
		Note("Encode the file once.")
}

// checkWhole refuses a file of an update that looks damaged on its way, such as a list of changes: the version before
// it was good. With nf.Force it is taken.
func checkWhole(c Content, nf newFile) error {
	seems, damaged := c.Damage.Damaged(nf.Filename)
	if !damaged || nf.Force {
		return nil
	}
	return sandlot.Refuse(sandlot.CodeLooksDamaged, "The file %s looks like %s. Nothing was changed.", nf.Filename,
		seems.What).In("content").
		With(sandlot.OpSame, sandlot.Set("force", true)).Note("%s If it is meant as it is, send it with force: true.", seems.Instead)
}

// checkWhole is checkWhole for many files.
func (s *fileSet) checkWhole(nf newFile) error {
	for _, sent := range s.files {
		if sent.about == nil {
			continue
		}
		f := s.sent(sent)
		nf.Filename = f.Name
		if err := checkWhole(f.Content, nf); err != nil {
			return s.about(f, err, f.Name)
		}
	}
	return nil
}

// ReadAs returns the warning about a field that was read as the only value that it can mean.
func ReadAs(field, as string) sandlot.Warning {
	return sandlot.Warn("read_as", fmt.Sprintf("The field %s was read as %s.", field, as), fmt.Sprintf("Send %s.", as))
}

// cleanFilename normalizes a filename, with a warning if the name was sent in another form.
func cleanFilename(name string) (string, []sandlot.Warning, error) {
	if name == "" {
		return "", nil, sandlot.Refuse(sandlot.CodeInvalidFilename, "The field filename is empty.").In("filename").
			With(sandlot.OpSame).Note("Name exactly one file.")
	}
	clean, read, err := names.ReadFilename(name)
	var bad *names.FilenameError
	switch {
	case errors.As(err, &bad):
		return "", nil, badFilename(name, bad)
	case read:
		return clean, []sandlot.Warning{ReadAs("filename", inspect.Quoted(clean))}, nil
	}
	return clean, nil, err
}

// badFilename refuses a name, and suggests one that would work. The name sent may be a path of the client's machine:
// then it names the part that was taken for the project's folder.
func badFilename(sent string, bad *names.FilenameError) error {
	e := sandlot.Refuse(sandlot.CodeInvalidFilename, "The field filename cannot be used. %s", bad.Reason).In("filename")
	if strings.HasSuffix(sent, "/") {
		return e.With(sandlot.OpSame).Note("That is a folder. The filename is the path of one file, with the file's own name at its end.")
	}
	e.With(sandlot.OpSame, sandlot.Set("filename", bad.Suggestion)).Note("A name that works: %s", bad.Suggestion)
	if bad.Root != "" {
		e.Note("Which folder is the root of the project? The filename is the path from there. "+
			"The likely root is %s. A name that works: %s", inspect.Quoted(bad.Root), bad.Suggestion)
	}
	return e
}

// A badName is a name that no file can have, as it was sent.
type badName struct {
	*names.FilenameError
	sent string
}

// mostBadNames bounds the names that a refusal lists.
const mostBadNames = 20

// kept returns the part of a name to remember behind n others: nothing beyond the names that are listed.
func (b badName) kept(n int) badName {
	if n < mostBadNames {
		return b
	}
	return badName{}
}

// misnamed refuses all names that no file can have at once, each with one that would work.
func (t *Tree) misnamed() error {
	if len(t.bad) == 0 {
		return nil
	}
	first := t.bad[0]
	if len(t.bad) > 1 {
		return t.badNames()
	}
	e := sandlot.Refuse(sandlot.CodeInvalidFilename, "One of the files has a name that cannot be used. %s",
		first.Reason).In(t.field()).With(t.again()).LeavingOut(first.sent)
	if first.Root != "" {
		return e.Note("Names begin at the folder of the page; the likely one is %s. A name that works: %s",
			inspect.Quoted(first.Root), first.Suggestion)
	}
	return e.Note("Rename that file and send all of them again. A name that works: %s", first.Suggestion)
}

// badNames refuses several names.
func (t *Tree) badNames() error {
	var why, instead, mended []string
	paths, listed := true, t.bad[:min(len(t.bad), mostBadNames)]
	for _, b := range listed {
		why, mended, paths = append(why, b.Reason), append(mended, path.Join(b.Root, b.Suggestion)), paths && b.Root != ""
	}
	if paths { // paths of the sender's machine: the project's folder is their common one
		mended = names.Relative(mended)
	}
	for i, b := range listed {
		if !paths {
			mended[i] = b.Suggestion
		}
		instead = append(instead, inspect.Quoted(b.sent)+" as "+mended[i])
	}
	more := ""
	if n := len(t.bad) - mostBadNames; n > 0 {
		more = fmt.Sprintf(" And %d more.", n)
	}
	return sandlot.Refuse(sandlot.CodeInvalidFilename, "%d files have names that cannot be used. %s%s", len(t.bad),
		strings.Join(why, " "), more).In(t.field()).With(t.again()).LeavingOut(t.bad[0].sent).
		Note("Rename them and send all files again. Names that work: %s.%s", strings.Join(instead, ", "), more)
}

// cleanTitle normalizes a title and never fails: a title is no reason to refuse a project. A change comes with a
// warning.
func cleanTitle(title string) (string, []sandlot.Warning) {
	clean, cut, cleaned := names.Title(title)
	var w []sandlot.Warning
	if cut {
		w = append(w, sandlot.Warn("title_cut", "The title was cut to 200 characters.", "Send a shorter title."))
	}
	if cleaned {
		w = append(w, sandlot.Warn("title_cleaned",
			"What cannot be shown was taken out of the title: "+
				"control characters, bidirectional marks, bytes that are no UTF-8, "+
				"or all of it where nothing could be seen.", "Send plain text in one line."))
	}
	return clean, w
}

// readEmail returns CleanEmail of an address without the blanks around it, with a warning about them. On a public
// instance it also refuses a placeholder address: a message to it reaches nobody, and the account would stay in
// quarantine.
func (c Config) readEmail(email string) (string, []sandlot.Warning, error) {
	plain := strings.TrimSpace(email)
	clean, err := sandlot.CleanEmail(plain)
	if err == nil && c.Public && names.PlaceholderEmail(clean) {
		err = sandlot.RefusePlaceholderEmail()
	}
	if err != nil || plain == email || plain == "" {
		return clean, nil, err
	}
	return clean, []sandlot.Warning{sandlot.Warn("read_as", "The field email was read without the blanks around it.",
		"Send the address alone.")}, nil
}

// Quota bounds the projects and bytes of an account. A zero is no bound. A bound below the present use takes nothing
// away: it refuses every addition.
type Quota struct {
	Projects int   // that are not deleted
	Bytes    int64 // of the files of all their versions and the parts of open uploads, each as often as it was sent
}

// Of returns the quota of an account, which may have a lower limit of projects of its own.
func (q Quota) Of(a sandlot.Account) Quota {
	if a.MostProjects > 0 && (q.Projects == 0 || a.MostProjects < q.Projects) {
		q.Projects = a.MostProjects
	}
	return q
}

// admitNew decides whether a new project, or an account for nobody, may be made.
func (s Config) admitNew(by sandlot.Caller) error {
	switch {
	case s.Opening == sandlot.Closed:
		return sandlot.Refuse(sandlot.CodePublishClosed, "This instance accepts no new projects or accounts.").With(sandlot.OpWait).
			Note("Projects that are there can still be changed with update and their key. " +
				"For a new one use another instance, or ask the operator.")
	case s.Opening == sandlot.OpenToKeys && by.Nobody():
		return sandlot.Refuse(sandlot.CodePublishClosed,
			"Publishing here needs a key; this instance has no open signup.").With(sandlot.OpPresentKey).
			Note("The operator gives accounts out.")
	}
	return nil
}

// exceeded is Quota.exceeded for a step in an account.
func (s *Service) exceeded(ctx context.Context, id sandlot.AccountID, err error) error {
	if !errors.Is(err, sandlot.ErrTooManyProjects) {
		return s.Quota.exceeded(err)
	}
	a, _ := s.store.Account(ctx, id) // without it the limit is that of the instance
	return s.Quota.Of(a).exceeded(err)
}

// exceeded explains which quota of an account a step exceeds.
func (q Quota) exceeded(err error) error {
	var e *sandlot.Error
	switch {
	case errors.Is(err, sandlot.ErrTooManyProjects):
		e = sandlot.Refuse(sandlot.CodeQuotaExceeded, "The account has %d projects, which is the limit.", q.Projects).
			Detail("limit", q.Projects).With(sandlot.OpWhoami).
			Note("Change a project that is there with update instead of publishing a new one.")
	case errors.Is(err, sandlot.ErrTooManyBytes):
		e = sandlot.Refuse(sandlot.CodeQuotaExceeded,
			"The account's files would have more than %d bytes together, which is the limit. "+
				"Earlier versions count, and so do the parts of unfinished uploads, "+
				"and deleted projects until they are gone for good.", q.Bytes).
			Detail("limit", q.Bytes).With(sandlot.OpWait).
			Note("Make the file smaller, delete projects for good on the page of the account, " +
				"finish uploads that are open or wait until they expire, or ask the operator for more room.")
	default:
		return err
	}
	// Nothing frees a quota by itself; this is for clients that wait without reading.
	return e.Because(err).After(time.Hour)
}

// A Network is one of the networks that an address belongs to. Its Share is the multiple of the narrowest network's
// limits that it may use.
type Network struct {
	Prefix netip.Prefix
	Share  int
}

// widerShares are the Shares of a /56 and a /48.
var widerShares = [2]int{4, 16}

// Networks returns the networks of an address that have limits, narrowest first: an IPv4 address, or the /64 of an IPv6
// address, and its /56 and /48, because one customer may have all of it. An IPv4 address inside an IPv6 one counts as
// itself.
func Networks(a netip.Addr) []Network {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return []Network{{netip.PrefixFrom(a, a.BitLen()), 1}}
	}
	list := []Network{{Share: 1}, {Share: widerShares[0]}, {Share: widerShares[1]}}
	for i, bits := range [...]int{64, 56, 48} {
		list[i].Prefix = netip.PrefixFrom(a, bits).Masked()
	}
	return list
}
