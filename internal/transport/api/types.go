package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/format/mediatype"
)

// The types of this file are the answers in their wire format. Names are snake_case, times RFC 3339 in UTC, sizes
// bytes, hashes lower-case hex.

type notes struct {
	Warnings []sandlot.Warning `json:"warnings,omitempty"`
}

// addresses holds the public addresses of a project.
type addresses struct {
	URL     string `json:"url"`
	PathURL text   `json:"path_url"`
	PageURL string `json:"page_url"`
}

func newAddresses(at sandlot.Addresses) addresses { return addresses{at.URL, text(at.Path), at.Page} }

// A text is a string that is null when it is empty.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	// The package's own encoder, for a plain Marshal would escape markup.
	out, err := encode(string(t))
	return bytes.TrimSuffix(out, []byte("\n")), err
}

// A moment is a time that is null when it is zero.
type moment time.Time

func (m moment) MarshalJSON() ([]byte, error) {
	if time.Time(m).IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(time.Time(m).UTC())
}

type dryFile struct {
	Filename    string `json:"filename"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	ContentType string `json:"content_type"`
}

func newDryFile(f sandlot.File) dryFile {
	return dryFile{f.Name, f.Blob.Size, f.Blob.SHA256.String(), mediatype.Of(f.Name, f.Blob.Text)}
}

type fileInfo struct {
	dryFile
	URL string `json:"url"`
}

func newFile(f sandlot.File, at sandlot.Addresses) fileInfo {
	path := url.URL{Path: "/" + f.Name}
	return fileInfo{newDryFile(f), at.URL + path.EscapedPath()[1:]}
}

// mostNamed is the number of files that the answer of a change lists: some 8,000 tokens.
const mostNamed = 100

// manyFiles holds the new and changed files of a version, and the number of all its files.
type manyFiles struct {
	Files []any `json:"files"`
	Count int   `json:"file_count"`
}

// newFiles lists the first hundred new and changed files of p.
func newFiles(p sandlot.Project, list []sandlot.File, info func(sandlot.File) any) manyFiles {
	out := manyFiles{make([]any, min(len(list), mostNamed)), p.FileCount}
	for i := range out.Files {
		out.Files[i] = info(list[i])
	}
	return out
}

// placed returns a function that describes a file at an address.
func placed(at sandlot.Addresses) func(sandlot.File) any {
	return func(f sandlot.File) any { return newFile(f, at) }
}

type publishedAnswer struct {
	ProjectID string `json:"project_id"`
	addresses
	VersionURL    text   `json:"version_url"`
	Title         text   `json:"title"`
	Version       int    `json:"version"`
	Handle        string `json:"handle"`
	APIKey        string `json:"api_key,omitempty"` // not for a call with a ticket
	ProjectAPIKey string `json:"project_api_key,omitempty"`
	EditToken     string `json:"edit_token,omitempty"` // for a tool, in place of both
	ConnectURL    string `json:"connect_url,omitempty"`
	manyFiles
	keptBack
	Checks    *checksInfo `json:"checks,omitempty"`
	CreatedAt moment      `json:"created_at"`
	*accountInfo
	notes
}

type accountInfo struct {
	Email            text `json:"email"`
	EmailVerified    bool `json:"email_verified"`
	VerificationSent bool `json:"verification_sent"`
}

// versionAnswer holds the members of every answer about a new version of an existing project.
type versionAnswer struct {
	ProjectID string `json:"project_id"`
	Title     text   `json:"title"`
	addresses
	VersionURL text `json:"version_url"`
	Version    int  `json:"version"`
	Previous   int  `json:"previous_version"`
	keptBack
	UpdatedAt moment      `json:"updated_at"`
	Checks    *checksInfo `json:"checks,omitempty"`
}

func newVersion(p sandlot.Project, at sandlot.Addresses, previous int, quarantined bool, c *checksInfo) versionAnswer {
	return versionAnswer{
		string(p.ID), text(p.Title), newAddresses(at), text(at.Version), p.Version, previous, newKeptBack(p, at, quarantined), moment(p.UpdatedAt), c,
	}
}

// manyAnswer is the answer to an update with many files.
type manyAnswer struct {
	versionAnswer
	manyFiles
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed"`
	notes
}

func newMany(u publish.Updated, c *checksInfo, n notes) *manyAnswer {
	version := newVersion(u.Project, u.Addresses, u.Previous, u.Quarantined, c)
	return &manyAnswer{version, newFiles(u.Project, u.Files, placed(u.Addresses)), u.Unchanged, u.Removed, n}
}

// dryAnswer is the answer to a dry run: the project and files that the call would make.
type dryAnswer struct {
	DryRun      bool `json:"dry_run"`
	ProjectID   text `json:"project_id"`
	Title       text `json:"title"`
	PrimaryFile text `json:"primary_file"`
	Version     int  `json:"version"`
	Previous    int  `json:"previous_version"`
	manyFiles
	Unchanged int    `json:"unchanged"`
	Removed   int    `json:"removed"`
	Next      string `json:"next,omitempty"` // how to have the version played
	notes
}

func newDry(p sandlot.Project, files []sandlot.File, next string, n notes) *dryAnswer {
	return &dryAnswer{
		Next:   next,
		DryRun: true, ProjectID: text(p.ID), Title: text(p.Title), PrimaryFile: text(p.Primary), Version: p.Version,
		manyFiles: newFiles(p, files, func(f sandlot.File) any { return newDryFile(f) }), notes: n,
	}
}

func newDryUpdate(u publish.Updated, next string, n notes) *dryAnswer {
	out := newDry(u.Project, changed(u.Many, u.Files, u.File), next, n)
	out.Previous, out.Unchanged, out.Removed = u.Previous, u.Unchanged, u.Removed
	return out
}

func newPublished(p publish.Published, connect string, c *checksInfo, n notes) *publishedAnswer {
	a, at := p.Project, p.Addresses
	out := &publishedAnswer{
		string(a.ID), newAddresses(at), text(at.Version), text(a.Title), a.Version, a.Handle, p.Keys.Account.Reveal(),
		p.Keys.Project.Reveal(), p.Keys.Edit.Reveal(), connect,
		newFiles(a, changed(p.Many, p.Files, p.File), placed(at)), newKeptBack(a, at, p.Quarantined), c, moment(a.CreatedAt), nil, n,
	}
	if p.Account != nil {
		out.accountInfo = &accountInfo{text(p.Account.Email), p.Account.EmailVerified, p.Mailed}
	}
	return out
}

type pendingAnswer struct {
	UploadID   string `json:"upload_id"`
	Token      string `json:"upload_token,omitempty"`
	TotalParts *int   `json:"total_parts"`
	Received   []int  `json:"received_parts"`
	Missing    []int  `json:"missing_parts"`
	Came       int    `json:"received_count"`
	Lacking    int    `json:"missing_count"`
	ExpiresAt  moment `json:"expires_at"`
	Hint       string `json:"hint,omitempty"` // only while the number of parts is unknown
	notes
}

func newPending(p publish.Pending, hint string, n notes) *pendingAnswer {
	out := &pendingAnswer{
		p.UploadID, p.Token.Reveal(), nil, append([]int{}, p.Received...), append([]int{}, p.Missing...),
		p.ReceivedCount, p.MissingCount, moment(p.ExpiresAt), hint, n,
	}
	if p.Total != 0 {
		out.TotalParts = &p.Total
	}
	return out
}

// updatedAnswer is the answer to an update with one file.
type updatedAnswer struct {
	versionAnswer
	Filename string `json:"filename"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
	Created  bool   `json:"created"`
	notes
}

func newUpdated(u publish.Updated, c *checksInfo, n notes) *updatedAnswer {
	version, f := newVersion(u.Project, u.Addresses, u.Previous, u.Quarantined, c), u.File
	return &updatedAnswer{version, f.Name, f.Blob.Size, f.Blob.SHA256.String(), u.Created, n}
}

type deletedAnswer struct {
	ProjectID  string `json:"project_id"`
	URL        string `json:"url"`
	VersionURL text   `json:"version_url"`
	Version    int    `json:"version"`
	Previous   int    `json:"previous_version"`
	Deleted    string `json:"deleted"`
	manyFiles
	Held *heldInfo `json:"held"`
	notes
}

func newDeleted(d publish.Deleted, n notes) *deletedAnswer {
	p, at := d.Project, d.Addresses
	return &deletedAnswer{string(p.ID), at.URL, text(at.Version), p.Version, d.Previous, d.Filename, newFiles(p, nil, nil), newHeld(p, at), n}
}

type deletedProjectAnswer struct {
	ProjectID string `json:"project_id"`
	DeletedAt moment `json:"deleted_at"`
	GoneAt    moment `json:"gone_at"`
	TakeBack  string `json:"take_back_url"`
	notes
}

func newDeletedProject(d publish.DeletedProject, n notes) *deletedProjectAnswer {
	return &deletedProjectAnswer{string(d.ID), moment(d.DeletedAt), moment(d.GoneAt()), d.TakeBack, n}
}

type signedUpAnswer struct {
	Handle     string `json:"handle"`
	APIKey     string `json:"api_key"`
	ConnectURL string `json:"connect_url"`
	accountInfo
	CreatedAt moment `json:"created_at"`
	notes
}

func newSignedUp(s publish.SignedUp, connect string, n notes) *signedUpAnswer {
	a := s.Account
	about := accountInfo{text(a.Email), a.EmailVerified, s.Mailed}
	return &signedUpAnswer{a.Handle, s.Key.Reveal(), connect, about, moment(a.CreatedAt), n}
}

// changed returns the files of a publish or an update, which is one of many files or of one.
func changed(many bool, files []sandlot.File, file sandlot.File) []sandlot.File {
	if many {
		return files
	}
	return []sandlot.File{file}
}
