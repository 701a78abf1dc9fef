package unpack

import (
	"fmt"
	"io"
)

// A Reason says what is wrong with an archive.
type Reason string

// The reasons.
const (
	TooMany     Reason = "too_many"     // more entries than Limits.Entries, or names of more than 8 MiB
	TooLarge    Reason = "too_large"    // a file of more than Limits.File
	TotalLarge  Reason = "total_large"  // files of more than Limits.Total together
	Encrypted   Reason = "encrypted"    // an entry that needs a password
	Link        Reason = "link"         // a symbolic or hard link
	Device      Reason = "device"       // a device, pipe or socket
	Duplicate   Reason = "duplicate"    // two entries of one name
	BadName     Reason = "bad_name"     // a name that is empty, too long, or that cannot be read for certain
	BadSize     Reason = "bad_size"     // more or fewer bytes than the archive says
	BadChecksum Reason = "bad_checksum" // other bytes than the archive says
	Mismatch    Reason = "mismatch"     // an entry of a ZIP that says something else than the directory
	Overlap     Reason = "overlap"      // entries of a ZIP that share bytes
	Stray       Reason = "stray"        // bytes before, between or behind the entries that belong to none
	Truncated   Reason = "truncated"    // an archive that ends too early
	Unsupported Reason = "unsupported"  // a method of compression or a kind of entry that is not read
	NotArchive  Reason = "not_archive"  // something else than the format that was said
	Damaged     Reason = "damaged"      // headers or compressed bytes that make no sense
)

// An Error says what is wrong with an archive.
type Error struct {
	Entry   string // the entry at fault, as it is called in the archive; empty for the archive as a whole
	Reason  Reason
	Message string // one sentence without a stop, which does not repeat the entry's name
}

// Error returns the message, with the entry's name in front.
func (e *Error) Error() string {
	if e.Entry == "" {
		return e.Message
	}
	return fmt.Sprintf("%q: %s", e.Entry, e.Message)
}

func bad(entry string, reason Reason, format string, args ...any) *Error {
	return &Error{Entry: entry, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// A source remembers the error of its reader, for an error of what reads from it must not be taken for one of the archive.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
