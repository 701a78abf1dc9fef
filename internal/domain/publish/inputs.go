package publish

import (
	"io"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
)

// Content holds the staged bytes of a file, with the findings of their inspection: they are kept, but no record refers
// to them yet. Its holder hands it to one call of a Service, which uses or discards it, or discards it with
// Contents.Discard.
type Content struct {
	sandlot.Blob
	inspect.Findings
	Missing bool // there was no content in the request
}

// Declared holds the hash and size of a file as a client declared them. A zero value was not declared. A declared value
// must be true of the whole file, or the call is CodeDigestMismatch.
type Declared struct {
	SHA256 string // hex, any case
	Size   *int64
}

// About holds the details of a project in a publish or an update, besides the title; a nil field was not sent.
type About struct {
	Description     *string  `json:",omitzero"`
	Listed, Threads *bool    `json:",omitzero"`
	Tags            []string `json:",omitzero"`
}

// Empty reports whether no field was sent.
func (a About) Empty() bool {
	return a.Description == nil && a.Listed == nil && a.Threads == nil && a.Tags == nil
}

// change normalizes the fields, or refuses them.
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

// or returns the value that v points to, or the zero of its type.
func or[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// PublishInput requests a new project. All fields are as the client sent them: Publish normalizes or refuses them.
type PublishInput struct {
	Title    string
	Handle   string
	Email    string
	Lang     string
	Content  Content
	Declared Declared
	Tree     *Tree // set if the call brings many files; then Content and Declared are ignored
	About
	Primary     string     // of many files, the one that is served for "/"; empty: Publish finds it
	Archive     string     // in an upload's part 1: the format of the archive that the assembled bytes are
	Part        *PartInput // set if this is a call of a chunked upload
	Idempotency string     // the idempotency key; empty: every call makes a project of its own
	DryRun      bool       // only check the call
	Early       bool       // with DryRun: the owner is not known yet, so no e-mail address is required
	Tool        bool       // a tool calls: it gets an edit_token and no key, and need not give an address
}

// UpdateInput requests a new version in which one file, or all those of a Tree, are new or changed. Fields are as the
// client sent them; a nil one was not sent.
type UpdateInput struct {
	Project  string // a project id or one of its addresses; empty for the most recently updated
	Named    bool   // the client sent a project, so an empty one is a mistake and is refused
	Filename string
	Title    *string
	About
	Email     string
	Lang      string
	IfVersion *int
	Content   Content
	Declared  Declared
	Force     bool // accept files that look damaged, and files whose names suggest secrets
	Many
	Part        *PartInput
	Idempotency string // the idempotency key, if any
	FormToken   string // the token of a form of the website, in place of an idempotency key
	DryRun      bool   // only check the call
}

// Many holds the files of an update that brings many, and their places in the project.
type Many struct {
	Tree    *Tree  // set if the call brings many files; then Filename, Content and Declared are ignored
	Replace bool   // they are all that the project has afterwards
	Unwrap  bool   // take off one folder that wraps all of them, if it holds their page; Replace does so, too
	Folder  string // where in the project they go; empty: to its top
	Primary string // the one that is served for "/"; empty: as before, or, with Replace, the one that Update finds
	Archive string // in an upload's part 1: the format of the archive that the assembled bytes are
}

// Intended is a call whose bytes are still to come: an update if Update is set, or else a publish.
type Intended struct {
	Publish PublishInput
	Update  *UpdateInput
}

// PartInput places a call in a chunked upload. Parts may come in any order after part 1, again, and concurrently; one
// of Total and Last gives their number.
type PartInput struct {
	UploadID string
	N        *int // nil in a call that only sends the total
	Total    *int
	Last     bool
	Encoding string         // as declared: base64, base64url, gzip+base64, gzip+base64url or empty
	Charge   sandlot.Charge // takes the bytes of the assembled file
}

// charge returns the Charge of a call that may be part of an upload. The bytes of such a part are few compared with the
// file in its answer.
func (in *PartInput) charge() sandlot.Charge {
	if in == nil {
		return nil
	}
	return in.Charge
}

// DeleteInput requests a new version that lacks one file. Fields are as the client sent them.
type DeleteInput struct {
	Project     string
	Filename    string
	Email       string
	Lang        string
	IfVersion   *int
	Idempotency string // the idempotency key, if any
}

// RestoreInput requests a new version with the files of an earlier one.
type RestoreInput struct {
	Project     string // a project id or one of its addresses
	Version     int
	IfVersion   *int
	Idempotency string // the idempotency key, if any
}

// SignupInput requests an account. All fields may be empty; the handle is a wish, met as far as it is free.
type SignupInput struct {
	Handle      string
	Email       string
	Lang        string
	Invitation  string // the token of an invitation, which opens an account where nobody else gets one
	Idempotency string // the idempotency key, if any
}

// Published is the answer to a publish. Keys holds the minted keys, which only the same call under the same idempotency
// key returns again. The answer to a dry run has the project as it would be, without the values that are drawn or
// counted when it is made: no id, address, key or account.
type Published struct {
	Project     sandlot.Project
	Addresses   sandlot.Addresses
	File        sandlot.File   // the primary file
	Many        bool           // the call brought many files
	Files       []sandlot.File // the files of the call, if Many; none if the version was erased meanwhile
	DryRun      bool           // nothing was made
	Keys        Minted
	Account     *sandlot.Account // set if the account is new
	Mailed      bool             // whether a verification mail is on its way by SMTP
	Warnings    []sandlot.Warning
	Quarantined bool
	FromRecord  bool // the answer of an earlier call, from its idempotency record
}

// Minted holds keys in clear, for the answer of the call that made them. Account is empty if the caller has it already.
// A call of a tool has no keys, and Edit if it made an account.
type Minted struct {
	Account sandlot.Secret
	Project sandlot.Secret
	Edit    sandlot.Secret // the edit_token of the project
	Connect sandlot.Secret // the code that takes a new account's projects into another account
}

// Pending is the answer to a part of an upload that is not complete. The part is durable: it
// need not be sent again before ExpiresAt.
type Pending struct {
	UploadID string
	// the upload_token, which joins the upload from any network; empty if a key of the account is needed
	Token                       sandlot.Secret
	Total                       int   // 0 while unknown
	Received                    []int // the first 100, as of Missing
	Missing                     []int // below the total, or below the highest part received
	ReceivedCount, MissingCount int
	ExpiresAt                   time.Time
	Warnings                    []sandlot.Warning
}

// Updated is the answer to an update. For a dry run it has the project and the version as they would be, but for the
// version's address.
type Updated struct {
	Project     sandlot.Project
	Addresses   sandlot.Addresses
	Previous    int
	File        sandlot.File
	Created     bool           // the file is new
	Many        bool           // the call brought many files; then File and Created are not set
	Files       []sandlot.File // the new or changed files, if Many; none if versions were erased meanwhile
	Unchanged   int            // files of the call that the project had already
	Removed     int            // files that the project no longer has
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
	Connect    sandlot.Secret // the code that takes its projects into another account
	Mailed     bool
	Warnings   []sandlot.Warning
	FromRecord bool // the answer of an earlier call, from its idempotency record
	email      EmailOutcome
}

// ProjectView is a project as a caller may see it. Fields for its owner only are empty for everybody else.
type ProjectView struct {
	Project   sandlot.Project
	Addresses sandlot.Addresses // Version is set for the owner only
	Stats     sandlot.Stats
	Owner     bool
	Files     []sandlot.File // for the owner only
	About     *Details       // the owner's details; for the owner only, and not in lists
	LastHold  *EndedHold     // nil: there is none that has ended; for the owner only, and not in lists

	Quarantined bool              // see Service.Quarantined
	Warnings    []sandlot.Warning // for the owner only
}

// Identity is the account and the key of a caller, with a page of its projects. Account.Email is empty for a project
// key.
type Identity struct {
	Account  sandlot.Account
	Key      sandlot.Key
	Projects []ProjectView
	Warnings []sandlot.Warning
	Next     string // cursor of the next page, empty at the end
}

// Export is one consistent snapshot of the projects that a key covers, as they were at ExportedAt. Their versions never
// change, so their files can be read for as long as they are kept.
type Export struct {
	Account    sandlot.Account
	ExportedAt time.Time
	Projects   []ProjectView // without Files: these are read project by project
	History    bool          // whether it includes the earlier versions; for its reader to set
	Saves      bool          // whether it includes saves of players; for its reader to set
	Whole      bool          // whether it covers the whole account
	// Pictures holds the pictures of the account, by project; the portrait has no project. For its reader to set.
	Pictures map[sandlot.ProjectID]SentPicture
}

// Files returns the number of files in the export.
func (e Export) Files() (n int) {
	for _, p := range e.Projects {
		n += p.Project.FileCount
	}
	return n
}

// A SentPicture is a picture that an owner sent, as a project's cover or, without a project, as the account's portrait.
type SentPicture struct {
	Project sandlot.ProjectID
	ID      sandlot.PictureID
	Blob    sandlot.Blob // of its widest form
}

// A Brought picture comes with an import, which may state anything about it.
type Brought struct {
	Account  sandlot.AccountID // its owner, if the operator imports
	Project  sandlot.ProjectID // the project whose cover it becomes; none in a dry run
	Portrait bool              // whether it becomes the account's portrait
	Bytes    io.Reader
	DryRun   bool // only check whether it could be shown
}

// projectRead warns about an address that the service does not give for the project.
func (s Config) projectRead(ref string) []sandlot.Warning {
	id := s.Places.ProjectID(ref)
	at := s.Places.Project(id, 0, "")
	switch strings.TrimSpace(ref) {
	case "", string(id), at.URL, at.Path, at.Page:
		return nil
	}
	return []sandlot.Warning{ReadAs("project_id", inspect.Quoted(string(id)))}
}

// archiveFormats maps the usual names to formats. It never changes.
var archiveFormats = map[string]unpack.Format{
	"zip": unpack.ZIP, "tar": unpack.Tar, "tar.gz": unpack.TarGzip, "tgz": unpack.TarGzip, "tar.zst": unpack.TarZstd,
	"tzst": unpack.TarZstd, "tar.zstd": unpack.TarZstd,
}

// ReadArchiveFormat returns the format of that name, such as "tar.gz" for ".TGZ". Another is CodeInvalidField.
func ReadArchiveFormat(name string) (string, error) {
	f, ok := archiveFormats[strings.TrimPrefix(strings.ToLower(strings.TrimSpace(name)), ".")]
	if !ok {
		return "", sandlot.Refuse(sandlot.CodeInvalidField,
			"The field archive_format is %s, which is none of zip, tar, tar.gz and tar.zst.", inspect.Quoted(name)).
			In("archive_format").
			With(sandlot.OpSame, sandlot.Set("archive_format", "zip")).Note("Send zip, tar, tar.gz or tar.zst, as the archive is.")
	}
	return string(f), nil
}
