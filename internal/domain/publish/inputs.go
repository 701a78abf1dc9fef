package publish

import (
	"io"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// Content is a file's bytes, staged, with what was seen in them: they are kept, but nothing
// refers to them yet. Whoever staged it hands it to one call of a Service, which uses or
// discards it, or discards it with Contents.Discard.
type Content struct {
	sandlot.Blob
	inspect.Findings
	Missing bool // there was no content in the request
}

// Declared is what a client said about the file's bytes. Zero values mean that it said nothing.
// What it said must be true of the whole file, or the call is CodeDigestMismatch.
type Declared struct {
	SHA256 string // hex, any case
	Size   *int64
}

// About is what a publish or an update says of its project besides the title; what is nil was not sent.
type About struct {
	Description     *string  `json:",omitzero"`
	Listed, Threads *bool    `json:",omitzero"`
	Tags            []string `json:",omitzero"`
}

// Empty reports whether nothing was sent.
func (a About) Empty() bool {
	return a.Description == nil && a.Listed == nil && a.Threads == nil && a.Tags == nil
}

// change brings it into form, or refuses it.
func (a About) change() (c DetailsChange, err error) {
	c = DetailsChange{Threads: a.Threads}
	if a.Description != nil {
		text := *a.Description
		c.Description = &text
	}
	if a.Listed != nil {
		unlisted := !*a.Listed
		c.Unlisted = &unlisted
	}
	if a.Tags != nil {
		tags, err := ReadTags(a.Tags)
		if err != nil {
			return c, err
		}
		c.Tags = &tags
	}
	_, err = c.clean()
	return c, err
}

// names are those of its fields that were sent.
func (a About) names() (list []string) {
	for name, sent := range map[string]bool{"description": a.Description != nil, "listed": a.Listed != nil, "threads": a.Threads != nil, "tags": a.Tags != nil} {
		if sent {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// or is the value that v has, or the zero of its type.
func or[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// PublishInput asks for a new project. All fields are as the client sent them: Publish brings
// them into form or refuses them.
type PublishInput struct {
	Title    string
	Handle   string
	Email    string
	Lang     string
	Content  Content
	Declared Declared
	Tree     *Tree // set if the call brings many files; then Content and Declared say nothing
	About
	Primary     string     // of many files, the one that is served for "/"; empty: the one that is found
	Archive     string     // in an upload's part 1: the format of the archive that the assembled bytes are
	Part        *PartInput // set if this is a call of a chunked upload
	Idempotency string     // the idempotency key; empty: every call makes a project of its own
	DryRun      bool       // only look whether it would be done
	Early       bool       // with DryRun: whose it will be is not known yet, so no e-mail address is asked for
}

// UpdateInput asks for a new version in which one file, or all those of a Tree, are new or
// other. Fields are as the client sent them; a nil one was not sent.
type UpdateInput struct {
	Project  string // a project id or one of its addresses; empty for the most recently updated
	Named    bool   // the client sent a project, so an empty one is a mistake and is refused
	Filename string
	Title    *string
	About
	Email       string
	Lang        string
	IfVersion   *int
	Content     Content
	Declared    Declared
	Tree        *Tree  // set if the call brings many files; then Filename, Content and Declared say nothing
	Replace     bool   // the files of Tree are all that the project has afterwards
	Force       bool   // files that look damaged, and files that by their name hold secrets, are taken
	Unwrap      bool   // one folder that wraps all files of Tree is taken off, if it holds their page; so it is with Replace
	Folder      string // where in the project the files of Tree go; empty: to its top
	Primary     string // with many files, the one that is served for "/"; empty: as before, or, with Replace, the one that is found
	Archive     string // in an upload's part 1: the format of the archive that the assembled bytes are
	Part        *PartInput
	Idempotency string // the idempotency key, if one came
	FormToken   string // that of a form of the website, in place of an idempotency key
	DryRun      bool   // only look whether it would be done
}

// Intended is a call whose bytes are still to come: an update if Update is set, or else a publish.
type Intended struct {
	Publish PublishInput
	Update  *UpdateInput
}

// PartInput places a call in a chunked upload. Parts may come in any order after part 1, again,
// and concurrently; one of Total and Last tells how many there are.
type PartInput struct {
	UploadID string
	N        *int // nil in a call that only tells the total
	Total    *int
	Last     bool
	Encoding string         // as declared: base64, base64url, gzip+base64, gzip+base64url or empty
	Charge   sandlot.Charge // asked for the bytes of the assembled file
}

// charge is that of a call that may be part of an upload. What such a part brings is
// little compared with the file that its answer speaks of.
func (in *PartInput) charge() sandlot.Charge {
	if in == nil {
		return nil
	}
	return in.Charge
}

// DeleteInput asks for a new version that lacks one file. Fields are as the client sent them.
type DeleteInput struct {
	Project     string
	Filename    string
	Email       string
	Lang        string
	IfVersion   *int
	Idempotency string // the idempotency key, if one came
}

// RestoreInput asks for a new version with the files of an earlier one.
type RestoreInput struct {
	Project     string // a project id or one of its addresses
	Version     int
	IfVersion   *int
	Idempotency string // the idempotency key, if one came
}

// SignupInput asks for an account. All fields may be empty; the handle is a wish, which is met
// as far as it is free.
type SignupInput struct {
	Handle      string
	Email       string
	Lang        string
	Idempotency string // the idempotency key, if one came
}

// Published is the answer to a publish. Keys is what was minted, and cannot be had again but by
// the same call under the same idempotency key. The answer to a dry run has the project as it
// would be, but for what is drawn or counted when it is made: no id, address, key or account.
type Published struct {
	Project     sandlot.Project
	Addresses   sandlot.Addresses
	File        sandlot.File   // the primary file
	Many        bool           // the call brought many files
	Files       []sandlot.File // these, if Many; none where the version was erased meanwhile
	DryRun      bool           // nothing was made
	Keys        Minted
	Account     *sandlot.Account // set if the account is new
	Mailed      bool             // whether a verification is on its way by SMTP
	Warnings    []sandlot.Warning
	Quarantined bool
	FromRecord  bool // the answer of an earlier call, from its idempotency record
}

// Minted are keys in clear, for the answer of the call that made them. Account is empty where
// the caller has it already.
type Minted struct {
	Account sandlot.Secret
	Project sandlot.Secret
}

// Pending is the answer to a part of an upload that is not complete. The part is durable: it
// need not be sent again before ExpiresAt.
type Pending struct {
	UploadID                    string
	Token                       sandlot.Secret // with which the upload can be joined from any network; empty where a key is needed
	Total                       int            // 0 while unknown
	Received                    []int          // the first 100, as of Missing
	Missing                     []int          // below the total, or below the highest part received
	ReceivedCount, MissingCount int
	ExpiresAt                   time.Time
	Warnings                    []sandlot.Warning
}

// Updated is the answer to an update. To a dry run it has the project and the version as they
// would be, but for the version's address.
type Updated struct {
	Project     sandlot.Project
	Addresses   sandlot.Addresses
	Previous    int
	File        sandlot.File
	Created     bool           // the file is new
	Many        bool           // the call brought many files; then File and Created are not set
	Files       []sandlot.File // those that are new or other, if Many; none where versions were erased meanwhile
	Unchanged   int            // files of the call that the project had already
	Removed     int            // files that the project has no more
	DryRun      bool           // nothing was made
	Warnings    []sandlot.Warning
	Quarantined bool
	FromRecord  bool // the answer of an earlier call, from its idempotency record
}

// Deleted is the answer to a deletion.
type Deleted struct {
	Project    sandlot.Project
	Addresses  sandlot.Addresses
	Previous   int
	Filename   string
	Warnings   []sandlot.Warning
	FromRecord bool // the answer of an earlier call, from its idempotency record
}

// Restored is the answer to a restore.
type Restored struct {
	Project     sandlot.Project
	Addresses   sandlot.Addresses
	Previous    int
	From        int // the version that has the same files
	Warnings    []sandlot.Warning
	Quarantined bool
	FromRecord  bool // the answer of an earlier call, from its idempotency record
}

// SignedUp is the answer to a signup.
type SignedUp struct {
	Account    sandlot.Account
	Key        sandlot.Secret
	Mailed     bool
	Warnings   []sandlot.Warning
	FromRecord bool // the answer of an earlier call, from its idempotency record
	email      EmailOutcome
}

// ProjectView is a project as a caller may see it. What is for its owner only is empty for
// everybody else.
type ProjectView struct {
	Project   sandlot.Project
	Addresses sandlot.Addresses // Version is set for the owner only
	Stats     sandlot.Stats
	Owner     bool
	Files     []sandlot.File // for the owner only
	About     *Details       // what its owner says about it; for the owner only, and not in lists

	Quarantined bool              // see Service.Quarantined
	Warnings    []sandlot.Warning // for the owner only
}

// Identity is what a key stands for, with a page of its projects. Account.Email is empty for a
// project key.
type Identity struct {
	Account  sandlot.Account
	Key      sandlot.Key
	Projects []ProjectView
	Warnings []sandlot.Warning
	Next     string // cursor of the next page, empty at the end
}

// Export is one consistent snapshot of what a key covers: the projects as they were at
// ExportedAt. Their versions never change, so their files can be read for as long as they are
// kept.
type Export struct {
	Account    sandlot.Account
	ExportedAt time.Time
	Projects   []ProjectView // without Files: they are read one project after another
	History    bool          // whether the earlier versions belong to it; for its reader to set
	Whole      bool          // whether it is of all that the account has
	// Pictures are those of the account, by project; the portrait is that of no project. For its reader to set.
	Pictures map[sandlot.ProjectID]SentPicture
}

// Files returns how many files the export has.
func (e Export) Files() (n int) {
	for _, p := range e.Projects {
		n += p.Project.FileCount
	}
	return n
}

// A SentPicture is one that an owner sent, as a project's cover or, without a project, as the account's portrait.
type SentPicture struct {
	Project sandlot.ProjectID
	ID      sandlot.PictureID
	Blob    sandlot.Blob // of its widest form
}

// A Brought picture is one that an import brings, of which nothing is believed.
type Brought struct {
	Account  sandlot.AccountID // whose it is to be, where the operator asks
	Project  sandlot.ProjectID // whose cover it is to be; none to a dry run
	Portrait bool              // it is to be the account's portrait
	Bytes    io.Reader
	DryRun   bool // only look whether it could be shown
}

// projectRead warns about an address that is none of those which the service
// gives for the project.
func (s *Service) projectRead(ref string) []sandlot.Warning {
	id := s.Places.ProjectID(ref)
	at := s.Places.Project(id, 0, "")
	switch strings.TrimSpace(ref) {
	case "", string(id), at.URL, at.Path, at.Page:
		return nil
	}
	return []sandlot.Warning{ReadAs("project_id", inspect.Quoted(string(id)))}
}
