package client

import (
	"encoding/json"
	"time"
)

// Fields hold the parameters of a call besides its content. Empty fields are not sent.
type Fields struct {
	ProjectID string `json:"project_id,omitempty"`
	Filename  string `json:"filename,omitempty"`
	IfVersion int    `json:"if_version,omitempty"` // refuse the call if the project has another version
	Title     string `json:"title,omitempty"`
	Email     string `json:"email,omitempty"`
	Handle    string `json:"handle,omitempty"`

	SHA256 string `json:"sha256,omitempty"` // hash that the content must have, in lower-case hex
	Size   int64  `json:"size,omitempty"`   // size that the content must have, in bytes

	// For many files, which are sent as an archive.
	ArchiveFormat string `json:"archive_format,omitempty"` // "zip", "tar", "tar.gz" or "tar.zst"; for an upload: the format of its bytes
	Replace       bool   `json:"replace,omitempty"`        // they replace all files of the project

	PrimaryFile string `json:"primary_file,omitempty"` // the file served for "/"

	Version int  `json:"version,omitempty"` // of a restore: the version to restore
	DryRun  bool `json:"dry_run,omitempty"` // check everything, and change nothing
	Force   bool `json:"force,omitempty"`   // accept files that look damaged

	UploadID   string `json:"upload_id,omitempty"` // set: the content is a part of this upload
	Part       int    `json:"part,omitempty"`      // from 1
	TotalParts int    `json:"total_parts,omitempty"`

	IdempotencyKey string `json:"-"` // the same call with the same key has one effect
}

// Text holds an answer as it came, for callers that pass it on.
type Text struct {
	JSON string `json:"-"`
}

func (t *Text) keep(text []byte) { t.JSON = string(text) }

// An Answer is the result of a call that changes something. Which parts are set depends on the call and on Status.
type Answer struct {
	Status     int  `json:"-"` // HTTP status
	FromRecord bool `json:"-"` // whether it came from the idempotency record of an earlier call

	Text               // the answer as it came
	Account            // of a signup, or of a publish
	Change             // of a publish, an update or a deletion
	Pending            // 202: the upload needs more parts, and nothing has changed
	Checks   Trial     `json:"checks"` // of a publish or an update
	Warnings []Warning `json:"warnings"`
}

// A Trial is the progress of the play-tester with a version.
type Trial struct {
	State string `json:"state"` // "off" and "unavailable" where it opens nothing, "waiting", "running", "done" or "failed"
}

// Pending reports whether the version is opened later.
func (t Trial) Pending() bool { return t.State == "waiting" || t.State == "running" }

// Checks holds the results of the play-tester for a project.
type Checks struct {
	Text
	Trial                        // of the current version
	ID            string         `json:"project_id"`
	Version       int            `json:"version"` // the current one
	Reason        string         `json:"reason"`  // why nothing was seen of it
	Ahead         int            `json:"ahead"`   // versions that are opened before
	Checked       *Checked       `json:"checked"` // nil: no version was opened yet
	CoverFindings []CoverFinding `json:"cover_findings"`
	Warnings      []Warning      `json:"warnings"` // of the static check, where nothing is opened
}

// A CoverFinding says why a picture is not the cover.
type CoverFinding struct {
	Source   string `json:"source"`
	Filename string `json:"filename"`
	Message  string `json:"message"`
}

// A Checked is one version as the play-tester saw it. All texts but the findings are the page's own.
type Checked struct {
	Version    int             `json:"version"`
	At         time.Time       `json:"at"`
	Moved      *bool           `json:"moved"`          // nil: not known
	FirstPaint int64           `json:"first_paint_ms"` // 0: nothing was painted
	Errors     []string        `json:"errors"`
	Failed     []FailedRequest `json:"failed_requests"`
	OtherHosts []string        `json:"other_hosts"`
	Findings   []Warning       `json:"findings"`
}

// A Check is a version that was opened on request. All texts and values but the findings are the page's own.
type Check struct {
	Text
	Checked
	Frames  float64  `json:"frames_per_second"` // 0: not known
	Console []string `json:"console"`
	Probes  []Probe  `json:"probes"`
}

// A Probe holds the values of an expression before the inputs and after them.
type Probe struct {
	Probe  string          `json:"probe"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Error  string          `json:"error"`
}

// A FailedRequest is a request of a page to its own address that was answered with an error.
type FailedRequest struct {
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// A Ticket permits sending the bytes of one call without the key that requested it.
type Ticket struct {
	UploadID  string    `json:"upload_id"`
	URL       string    `json:"url"`
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expires_at"`
	Command   string    `json:"command"` // for a shell
	Warnings  []Warning `json:"warnings"`
}

// An Account is the result of a signup, or of a publish without a key.
type Account struct {
	Handle        string `json:"handle"`
	APIKey        string `json:"api_key"`
	Email         string `json:"email"`
	EmailVerified bool   `json:"email_verified"`
}

// A Change is a new version of a project.
type Change struct {
	ProjectID     string `json:"project_id"`
	ProjectAPIKey string `json:"project_api_key"` // only after a publish
	Title         string `json:"title"`
	URL           string `json:"url"`
	PathURL       string `json:"path_url"`
	PageURL       string `json:"page_url"`
	VersionURL    string `json:"version_url"`
	Version       int    `json:"version"`
	Previous      int    `json:"previous_version"` // 0 after a publish
	Files         []File `json:"files"`            // the new and changed ones; the first hundred
	FileCount     int    `json:"file_count"`       // of the version; 0 after an update of one file
	Filename      string `json:"filename"`         // after an update, like the next three
	Size          int64  `json:"size"`
	SHA256        string `json:"sha256"`
	Created       bool   `json:"created"`   // the file is new
	Deleted       string `json:"deleted"`   // after a deletion: the filename
	Unchanged     int    `json:"unchanged"` // after a call with many files: the number that were already there as sent
	Removed       int    `json:"removed"`   // likewise: the number that were removed
	RestoredFrom  int    `json:"restored_from"`
}

// Pending lists the parts that an upload has and needs, the first hundred of each.
type Pending struct {
	UploadID      string    `json:"upload_id"`
	UploadToken   string    `json:"upload_token"` // continues an upload begun without a key, as a Client's Key
	TotalParts    int       `json:"total_parts"`  // 0: not known yet
	ReceivedParts []int     `json:"received_parts"`
	ExpiresAt     time.Time `json:"expires_at"`
}

// A Warning reports a part of a call that the service ignored or interpreted differently.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// A File is one file of a project.
type File struct {
	Filename    string `json:"filename"`
	Size        int64  `json:"size"`   // bytes
	SHA256      string `json:"sha256"` // lower-case hex
	ContentType string `json:"content_type"`
	URL         string `json:"url"`
	Content     []byte `json:"content"` // nil: not included
}

// A Project is one project as its key may see it: only its owner gets Files and VersionURL.
type Project struct {
	Text
	ID          string `json:"project_id"`
	Title       string `json:"title"`
	Handle      string `json:"handle"`
	URL         string `json:"url"`
	PageURL     string `json:"page_url"`
	VersionURL  string `json:"version_url"`
	PrimaryFile string `json:"primary_file"`
	Version     int    `json:"version"`
	Size        int64  `json:"size"` // bytes of all files
	FileCount   int    `json:"file_count"`
	Stats       Stats  `json:"stats"`
	Files       []File `json:"files"`
	Status      string `json:"status"` // "suspended" if the operator has taken it down
	KeptBack
	Warnings []Warning `json:"warnings"`
}

// KeptBack has the reasons why others do not see a project; only its owner gets it.
type KeptBack struct {
	Quarantined bool  `json:"quarantined"`
	Held        *Held `json:"held"` // nil: it is not held
}

// A Held is a hold, which keeps a project from all but its owner.
type Held struct {
	Rule    string    `json:"rule"` // fields, reports, judge or moderator
	Since   time.Time `json:"since"`
	Ends    string    `json:"ends"`     // the acts that end it, in words
	ViewURL string    `json:"view_url"` // where its owner sees it
}

// Versions is a part of a project's versions, newest first.
type Versions struct {
	Text
	ProjectID  string    `json:"project_id"`
	Version    int       `json:"version"` // the current one
	Versions   []Version `json:"versions"`
	NextCursor string    `json:"next_cursor"` // empty: there are no older versions
}

// A Version is a list of files that never changes.
type Version struct {
	Version      int       `json:"version"`
	CreatedAt    time.Time `json:"created_at"`
	Title        string    `json:"title"`
	VersionURL   string    `json:"version_url"`
	Erased       bool      `json:"erased"`
	RestoredFrom int       `json:"restored_from"` // 0: not a restored version
	Changes      *Changes  `json:"changes"`       // compared with the previous version; nil: no longer known
}

// Changes counts the files that differ.
type Changes struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

// Stats are a project's numbers.
type Stats struct {
	Text
	PlayerCount int       `json:"player_count"` // now
	Plays       int64     `json:"plays"`
	Likes       int64     `json:"likes"`
	AsOf        time.Time `json:"as_of"` // zero in a Project
}

// An Identity is the account or project behind a key.
type Identity struct {
	Text
	Handle        string    `json:"handle"`
	Email         string    `json:"email"` // empty for a project key
	EmailVerified bool      `json:"email_verified"`
	CreatedAt     time.Time `json:"created_at"`
	Key           Key       `json:"key"`
	Projects      []Project `json:"projects"`    // newest change first
	NextCursor    string    `json:"next_cursor"` // empty: there are no more
}

// A Key describes a key without its secret.
type Key struct {
	Kind      string `json:"kind"` // "account" or "project"
	Name      string `json:"name"`
	ProjectID string `json:"project_id"` // of a project key
}
