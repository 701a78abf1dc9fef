package client

import "time"

// Fields are what a call says in addition to its content. Empty fields are not sent.
type Fields struct {
	ProjectID       string `json:"project_id,omitempty"`
	Filename        string `json:"filename,omitempty"`
	IfVersion       int    `json:"if_version,omitempty"` // refuse the call if the project has another version
	Title           string `json:"title,omitempty"`
	Email           string `json:"email,omitempty"`
	Handle          string `json:"handle,omitempty"`
	ContentEncoding string `json:"content_encoding,omitempty"` // "gzip+base64" if the content is a gzip stream

	SHA256 string `json:"sha256,omitempty"` // what the content must have, in lower-case hex
	Size   int64  `json:"size,omitempty"`   // likewise, in bytes

	// Of many files, which come as an archive.
	ArchiveFormat string `json:"archive_format,omitempty"` // "zip", "tar", "tar.gz" or "tar.zst"; of an upload: what its bytes are
	Replace       bool   `json:"replace,omitempty"`        // they are all that the project has afterwards

	PrimaryFile string `json:"primary_file,omitempty"` // the one that is served for "/"

	Version int  `json:"version,omitempty"` // of a restore: the one whose files come back
	DryRun  bool `json:"dry_run,omitempty"` // check everything, and change nothing
	Force   bool `json:"force,omitempty"`   // take files that look damaged, too

	UploadID   string `json:"upload_id,omitempty"` // set: the content is a part of this upload
	Part       int    `json:"part,omitempty"`      // from 1
	TotalParts int    `json:"total_parts,omitempty"`

	IdempotencyKey string `json:"-"` // the same call with the same key has one effect
}

// Text is an answer as it came, for those who pass it on.
type Text struct {
	JSON string `json:"-"`
}

func (t *Text) keep(text []byte) { t.JSON = string(text) }

// An Answer is what a call that changes something was answered. Which parts are set depends on the call and on Status.
type Answer struct {
	Status     int  `json:"-"` // of HTTP
	FromRecord bool `json:"-"` // whether it came from the idempotency record of an earlier call

	Text               // the answer as it came
	Account            // of a signup, or of a publish
	Change             // of a publish, an update or a deletion
	Pending            // 202: the upload needs more parts, and nothing has changed
	Warnings []Warning `json:"warnings"`
}

// A Ticket sends the bytes of one call, without the key that asked for it.
type Ticket struct {
	UploadID  string    `json:"upload_id"`
	URL       string    `json:"url"`
	Ticket    string    `json:"ticket"`
	ExpiresAt time.Time `json:"expires_at"`
	Command   string    `json:"command"` // for a shell
	Warnings  []Warning `json:"warnings"`
}

// An Account is what a signup made, or a publish without a key.
type Account struct {
	Handle           string `json:"handle"`
	APIKey           string `json:"api_key"`
	Email            string `json:"email"`
	EmailVerified    bool   `json:"email_verified"`
	VerificationSent bool   `json:"verification_sent"`
}

// A Change is a new version of a project.
type Change struct {
	ProjectID     string `json:"project_id"`
	ProjectAPIKey string `json:"project_api_key"` // of a publish
	Title         string `json:"title"`
	URL           string `json:"url"`
	PathURL       string `json:"path_url"`
	PageURL       string `json:"page_url"`
	VersionURL    string `json:"version_url"`
	Version       int    `json:"version"`
	Previous      int    `json:"previous_version"` // 0 of a publish
	Files         []File `json:"files"`            // those that are new or other; the first hundred
	FileCount     int    `json:"file_count"`       // of the version; 0 of an update of one file
	Filename      string `json:"filename"`         // of an update, as the next three
	Size          int64  `json:"size"`
	SHA256        string `json:"sha256"`
	Created       bool   `json:"created"` // the file is new
	Deleted       string `json:"deleted"` // of a deletion: the filename
	Quarantined   bool   `json:"quarantined"`
	Unchanged     int    `json:"unchanged"` // of a call with many files: how many were there already as they were sent
	Removed       int    `json:"removed"`   // likewise: how many the project has no more
	RestoredFrom  int    `json:"restored_from"`
	Checks        struct {
		State string `json:"state"` // of the play-tester with this version; empty: the server does not say
	} `json:"checks"`
}

// Pending says which parts an upload has and needs. It lists the first hundred of each.
type Pending struct {
	UploadID      string    `json:"upload_id"`
	UploadToken   string    `json:"upload_token"` // continues an upload begun without a key, as a Client's Key
	TotalParts    int       `json:"total_parts"`  // 0: not told yet
	ReceivedParts []int     `json:"received_parts"`
	MissingParts  []int     `json:"missing_parts"`
	ReceivedCount int       `json:"received_count"`
	MissingCount  int       `json:"missing_count"`
	ExpiresAt     time.Time `json:"expires_at"`
}

// A Warning tells of a part of a call that the service ignored or read in another way.
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
	Content     []byte `json:"content"` // nil: not sent along
}

// A Project is one project as the key may see it: Files and VersionURL are for its owner.
type Project struct {
	Text
	ID          string    `json:"project_id"`
	Title       string    `json:"title"`
	Handle      string    `json:"handle"`
	URL         string    `json:"url"`
	PathURL     string    `json:"path_url"`
	PageURL     string    `json:"page_url"`
	VersionURL  string    `json:"version_url"`
	PrimaryFile string    `json:"primary_file"`
	Version     int       `json:"version"`
	Size        int64     `json:"size"` // bytes of all files
	FileCount   int       `json:"file_count"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Stats       Stats     `json:"stats"`
	Files       []File    `json:"files"`
	Status      string    `json:"status"`      // "suspended" if the operator has taken it down
	Quarantined bool      `json:"quarantined"` // told to its owner
	Warnings    []Warning `json:"warnings"`
}

// Versions are some of a project's, newest first.
type Versions struct {
	Text
	ProjectID  string    `json:"project_id"`
	Version    int       `json:"version"` // the current one
	Versions   []Version `json:"versions"`
	NextCursor string    `json:"next_cursor"` // empty: there are no older ones
}

// A Version is a list of files that never changes.
type Version struct {
	Version      int       `json:"version"`
	CreatedAt    time.Time `json:"created_at"`
	Title        string    `json:"title"`
	VersionURL   string    `json:"version_url"`
	Erased       bool      `json:"erased"`
	RestoredFrom int       `json:"restored_from"` // 0: it was not restored
	Changes      *Changes  `json:"changes"`       // against the version before; nil: not known any more
}

// Changes are how many files differ.
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
	AsOf        time.Time `json:"as_of"` // zero inside of a Project
}

// Checks are the results of the play-tester.
type Checks struct {
	Text
	ProjectID string `json:"project_id"`
	Version   int    `json:"version"` // the current one
	State     string `json:"state"`   // of its trial: off, unavailable, waiting, running, done or failed
	Reason    string `json:"reason"`
	Ahead     int    `json:"ahead"` // how many versions are opened before
	Checked   *struct {
		Version  int       `json:"version"`
		At       time.Time `json:"at"`
		Moved    *bool     `json:"moved"` // nil: not seen
		Findings []Warning `json:"findings"`
	} `json:"checked"` // the last version that was opened; nil: none was
}

// Pending reports whether the trial of the current version is going to end.
func (c Checks) Pending() bool { return c.State == "waiting" || c.State == "running" }

// An Identity is what a key stands for.
type Identity struct {
	Text
	Handle        string    `json:"handle"`
	Email         string    `json:"email"` // empty for a project key
	EmailVerified bool      `json:"email_verified"`
	CreatedAt     time.Time `json:"created_at"`
	Key           Key       `json:"key"`
	Projects      []Project `json:"projects"`    // newest change first
	NextCursor    string    `json:"next_cursor"` // empty: these are all
}

// A Key is everything about a key except its secret.
type Key struct {
	Kind      string `json:"kind"` // "account" or "project"
	Name      string `json:"name"`
	ProjectID string `json:"project_id"` // of a project key
}
