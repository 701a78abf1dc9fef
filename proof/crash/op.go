package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"

	api "sandlot/internal/client/client"
)

// kind is the kind of an operation.
type kind string

const (
	signup  kind = "signup"
	publish kind = "publish"
	update  kind = "update"
	remove  kind = "delete-file"
	part    kind = "part" // a part of a chunked publish or update
	restore kind = "restore"
	trash   kind = "delete project"

	takeBack kind = "take project back"
	imports  kind = "import"
)

// An op is one request that changes something. It is complete in itself: a repetition is the same request.
type op struct {
	ID       int // number among the worker's operations
	Kind     kind
	Once     string  `json:",omitempty"` // the Idempotency-Key
	Account  int     // index of the worker's account; -1 for nobody
	Project  int     `json:",omitempty"` // index of the account's project
	Scoped   bool    `json:",omitempty"` // sent with the project's key
	Guarded  bool    `json:",omitempty"` // sent with if_version
	Filename string  `json:",omitempty"`
	Content  content `json:",omitzero"`
	Many     int     `json:",omitempty"` // number of files; 0: one file, not an archive
	Replace  bool    `json:",omitempty"` // for an update with many files
	Version  int     `json:",omitempty"` // the version to restore
	Title    string  `json:",omitempty"`
	Email    string  `json:",omitempty"`
	Wire     int     // form of the request

	Upload *upload `json:",omitempty"` // the upload that a first part begins
	Part   int     `json:",omitempty"`
	Tell   bool    `json:",omitempty"` // whether the part includes the total

	Ticketed bool `json:",omitempty"` // the bytes are sent with a ticket
	Projects int  `json:",omitempty"` // number of projects to import
	Player   int  `json:",omitempty"` // of the project, for an operation of a player
	Value    int  `json:",omitempty"` // which the player keeps

	code   string      // which a player was answered
	ticket *api.Ticket // set once a ticket was answered
	report report      // answer to an import
	seen   []string    // projects of an import that were seen in the service

	made     file            // see op.file
	madeMany map[string]file // see op.files
}

// content is the content of a file, determined by the seed.
type content struct {
	Seed uint64
	Size int
	HTML bool `json:",omitempty"`
}

const hexDigits = "0123456789abcdef"

// bytes returns text that compresses to about half, so that variants are made.
func (c content) bytes() []byte {
	random := rand.NewChaCha8([32]byte{
		0: byte(c.Seed), 1: byte(c.Seed >> 8), 2: byte(c.Seed >> 16), 3: byte(c.Seed >> 24),
		4: byte(c.Seed >> 32), 5: byte(c.Seed >> 40),
	})
	b := make([]byte, c.Size)
	_, _ = random.Read(b) // never fails
	for i := range b {
		if b[i] = hexDigits[b[i]&15]; i%64 == 63 {
			b[i] = '\n'
		}
	}
	if c.HTML {
		copy(b, "<!doctype html><title>crash</title>")
	}
	return b
}

// file holds the expected size and hash of a published file.
type file struct {
	Size int64
	Sum  string
}

func fileOf(b []byte) file {
	sum := sha256.Sum256(b)
	return file{int64(len(b)), hex.EncodeToString(sum[:])}
}

// readFile returns the fileOf of the bytes of r, which are not kept.
func readFile(r io.Reader) (file, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	return file{n, hex.EncodeToString(sum.Sum(nil))}, err
}

// file returns the file of the operation's content.
func (o *op) file() file {
	if o.made.Sum == "" {
		o.made = fileOf(o.Content.bytes())
	}
	return o.made
}

// An upload is an incomplete chunked publish or update.
type upload struct {
	ID       string
	Kind     kind // publish or update
	Account  int  // -1 for nobody
	Project  int
	Filename string
	Title    string
	Email    string
	Gzip     bool // each part is a gzip member
	Total    int

	Told bool            `json:",omitempty"`
	Have map[int]content `json:",omitempty"` // accepted parts
}

// with returns the upload after a part was accepted.
func (u *upload) with(o *op) *upload {
	next := *u
	next.Told = u.Told || o.Tell
	next.Have = map[int]content{}
	for n, c := range u.Have {
		next.Have[n] = c
	}
	next.Have[o.Part] = o.Content
	return &next
}

func (u *upload) complete() bool { return u.Told && len(u.Have) == u.Total }

// whole returns the file made of the parts.
func (u *upload) whole() file {
	var b []byte
	for n := range u.Total {
		b = append(b, u.Have[n+1].bytes()...)
	}
	return fileOf(b)
}

// sumOf returns the hash that stands for a key in the ledger.
func sumOf(key string) string { return fileOf([]byte(key)).Sum }

func (o *op) String() string { return fmt.Sprintf("%s %d", o.counts(), o.ID) }

// counts returns the kind under which the operation is counted.
func (o *op) counts() kind {
	if o.Ticketed {
		return o.Kind + " by ticket"
	}
	return o.Kind
}
