package sandlot

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// AccountID numbers an account inside one installation. It is never shown, and never used for
// another account.
type AccountID int64

// ProjectID names a project for ever: a DNS label of at most 40 characters that is part of its
// address. It is never used for another project, not even after a deletion.
type ProjectID string

// Digest is a SHA-256 of something, or a hash under the installation's secret; see Vault.Keyed. Digests are compared
// with ==.
type Digest [32]byte

// String returns the digest in lower-case hex, as the API shows it.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Account owns projects. Its Handle is public and unique; its Email proves nothing until EmailVerified. Times are in
// UTC, here and in every record.
type Account struct {
	ID            AccountID
	Handle        string
	Email         string // empty when none was given
	EmailVerified bool
	Lang          string // BCP 47, empty when unknown
	Suspended     bool   // by the operator: it can read and leave, and nothing else
	CreatedAt     time.Time
	Portrait      PictureID
	Role          Role
	MostProjects  int  // its own limit of projects, from its invitation; 0: that of the instance
	Trusted       bool // the operator vouches for it: see Vouched
}

// Vouched reports whether the projects of the account are listed and in no quarantine: its address is verified, or the
// operator trusts it.
func (a Account) Vouched() bool { return a.EmailVerified || a.Trusted }

// Role is the part that an account has in running the instance on the website; its operator grants it.
type Role string

// The roles.
const (
	NoRole        Role = ""
	OperatorRole  Role = "operator"  // makes invitations, and sees the steps of a new instance
	ModeratorRole Role = "moderator" // decides about reported projects
)

// Project is a published thing with one address, as of its last commit. It points at its current Version; Size and
// FileCount describe that version.
type Project struct {
	ID        ProjectID
	Account   AccountID
	Handle    string  // the owner's
	Verified  bool    // whether the owner's e-mail address is verified, or the operator trusts the account: see Account.Vouched
	Suspended bool    // by the operator, itself or with its account: it is on none of its addresses
	Held      Hold    // zero unless others may not see it for now
	Unlisted  bool    // by its owner: it is in no list that others see
	Threads   bool    // by its owner: its pages get an isolation in which threads can share memory
	Runtime   Runtime // by its owner
	Tags      Tags
	Title     string // empty when there is none
	Lang      string // BCP 47, empty when unknown
	Primary   string // the filename served for "/"
	Wrapper   string // the folder, with its slash, that was last removed from around all files; empty: none was
	Version   int    // 1, 2, ... without gaps
	Suffix    string // the random part of the current version's address
	Size      int64  // bytes of all files of the current version
	FileCount int
	Plays     int64 // as stored; counts of the last seconds are still in memory
	Counted   int64 // the Batch of the counts that were added last
	Likes     int64
	Seq       int64 // grows with every commit that makes a version of one of the account's projects
	Change    int64 // grows with every commit that changes the project for its readers, except for its counts; see ChangeStore
	CreatedAt time.Time
	UpdatedAt time.Time
	Cover     PictureID // its picture in lists
	Portrait  PictureID // the owner's
}

// Runtime is a project's setting for the calls of its players; see package players.
type Runtime string

// The states of a runtime.
const (
	RuntimeOn   Runtime = ""
	RuntimeRead Runtime = "read" // players read their data, and change nothing
	RuntimeOff  Runtime = "off"
)

// ReadRuntime returns the runtime of a word, which is "on", "read" or "off".
func ReadRuntime(word string) (Runtime, bool) {
	switch r := Runtime(word); {
	case word == "on":
		return RuntimeOn, true
	default:
		return r, r == RuntimeRead || r == RuntimeOff
	}
}

// Word returns the word for a runtime, which ReadRuntime reads.
func (r Runtime) Word() string { return cmp.Or(string(r), "on") }

// PictureID names a picture made from a client's bytes: random letters; the first stands for its format. It is never
// used for another picture, so the bytes under it never change. Empty names none.
type PictureID string

// File returns the website's file name of the picture in that width, in pixels.
func (id PictureID) File(width int) string {
	ending := ".jpg"
	if id[:1] == PNGPicture {
		ending = ".png"
	}
	return string(id) + "-" + strconv.Itoa(width) + ending
}

// The first letters of a picture's name, by its format.
const (
	JPEGPicture = "j"
	PNGPicture  = "p"
)

// MaxTags is the most tags that a project may have.
const MaxTags = 5

// Tags are the subjects that a project's owner files it under, in the owner's order: each as names.Tag makes it, with a
// blank between two.
type Tags string

// TagsOf joins tags, each as names.Tag makes it.
func TagsOf(list []string) Tags { return Tags(strings.Join(list, " ")) }

// List returns the tags one by one.
func (t Tags) List() []string { return strings.Fields(string(t)) }

// Version is an immutable list of files. Its address has the random Suffix in it, so that its holder reads that version
// for as long as it is kept, and nobody guesses it.
type Version struct {
	N         int
	Suffix    string // the random part of its address
	Title     string // the project's, as of this version
	Primary   string // the filename served for "/"
	CreatedAt time.Time

	RestoredFrom int // the version whose files it restored; 0: none
}

// File is one named file of a version. Lists of files are in the byte order of their names.
type File struct {
	Name     string
	Folded   string // the same for two names that differ only in case
	Blob     Blob
	Variants []Variant // smaller representations, once they are made
	Squeezed bool      // whether all its variants are made; until then more may come
	Since    int       // the version that first had it, unchanged since; 0 where it is not recorded
}

// BlobRef is the random name of stored bytes. It is never used again, so anything cached under it stays true.
type BlobRef string

// Blob describes bytes that never change. They are under Ref in Blobs, or, if Ref is empty, inside the record with this
// ID. Contents.Open reads either.
type Blob struct {
	ID     int64 // of the record; 0 before it is recorded
	Ref    BlobRef
	Size   int64
	SHA256 Digest
	Text   bool   // whether the bytes are valid UTF-8
	Inline []byte // the bytes on their way into the record; never filled on reading

	// Spooled are the bytes on their way into the record, instead of Inline, where there are many blobs at once.
	Spooled *Spooled

	// Checkpoints of package checkpoint, for a blob of more than 1 MiB under Ref, on their
	// way into the record or to Blobs.Open. No list has them; see Store.Checkpoints.
	Checkpoints string
}

// Bytes returns the bytes on their way into the record, wherever they wait. It is for a blob without Ref.
func (b Blob) Bytes() ([]byte, error) {
	if b.Spooled != nil {
		return b.Spooled.Load()
	}
	return b.Inline, nil
}

// InlineSize returns the number of bytes that go into the record.
func (b Blob) InlineSize() int {
	if b.Spooled != nil {
		return b.Spooled.Size
	}
	return len(b.Inline)
}

// Spooled is small content that waits for its record in a temporary file. The File stays open and unchanged until the
// call that records it has returned.
type Spooled struct {
	File io.ReaderAt
	Off  int64
	Size int
}

// Load reads the bytes into memory.
func (s *Spooled) Load() ([]byte, error) {
	b := make([]byte, s.Size)
	if n, err := s.File.ReadAt(b, s.Off); n < len(b) {
		return nil, fmt.Errorf("read spooled content: %w", err)
	}
	return b, nil
}

// Variant is a compressed representation of a file's bytes, made after the publish. A file without variants is served
// uncompressed.
type Variant struct {
	Encoding string // "br", "zstd" or "gzip", as in Content-Encoding
	Blob     Blob
	CRC32    uint32 // IEEE, of the plain bytes; set for gzip, whose deflate stream an export copies
}

// Stats are a project's public numbers; see Statistics for their age.
type Stats struct {
	Players int // present now
	Plays   int64
	Likes   int64
}

// Warning reports a problem that did not fail the call: its Code, which never changes, is for programs, its Message for
// people, and its Hint is the remedy, or empty. If a call can be the remedy, Fix is that call, for a transport to print
// after the Hint: with placeholders for the values that only the caller knows. It is in no record: only a new finding
// makes one.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Fix     Fix    `json:"-"`
}

// Warn returns a Warning whose remedy is all in its Hint.
func Warn(code, message, hint string) Warning {
	return Warning{Code: code, Message: message, Hint: hint}
}

// With sets the call that the warning proposes.
func (w Warning) With(op Op, args ...Arg) Warning {
	w.Fix = Fix{Op: op, Args: args}
	return w
}

// Changed holds the cached objects that a step changed: projects, and all projects of an account. The zero Changed is
// nothing. A step returns it with any error, too: it is the change if the step had its effect.
type Changed struct {
	Projects []ProjectID
	Account  AccountID
}
