package unpack

import "fmt"

// A Reason is the kind of fault of an archive.
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
	BadName     Reason = "bad_name"     // a name that is empty, too long, or ambiguous
	BadSize     Reason = "bad_size"     // more or fewer bytes than the archive declares
	BadChecksum Reason = "bad_checksum" // other bytes than the archive declares
	Mismatch    Reason = "mismatch"     // an entry of a ZIP that contradicts the directory
	Overlap     Reason = "overlap"      // entries of a ZIP that share bytes
	Stray       Reason = "stray"        // bytes before, between or after the entries that belong to none
	Truncated   Reason = "truncated"    // an archive that ends too early
	Unsupported Reason = "unsupported"  // an unsupported method of compression or kind of entry
	NotArchive  Reason = "not_archive"  // another format than the declared one
	Damaged     Reason = "damaged"      // invalid headers or compressed bytes
)

// An Error describes the fault of an archive.
type Error struct {
	Entry   string // the entry at fault, by its name in the archive; empty for the archive as a whole
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
