package blob

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"

	"sandlot"
)

const (
	// crockford is base32 without the letters that are mistaken for others, in lower case, so that a name is the same
	// on a file system that ignores case.
	crockford = "0123456789abcdefghjkmnpqrstvwxyz"

	// A name has two hexadecimal digits, which are its folder, and 26 more
	// characters, which are 128 random bits.
	refLength = 2 + 26
)

// NewRef returns a name that was never used: with 128 random bits besides the folder, a repetition is less likely than
// the disk failing in any given second.
func NewRef() sandlot.BlobRef {
	var b [1 + 16]byte
	rand.Read(b[:]) // never fails
	enc := base32.NewEncoding(crockford).WithPadding(base32.NoPadding)
	return sandlot.BlobRef(hex.EncodeToString(b[:1]) + enc.EncodeToString(b[1:]))
}

// Valid reports whether NewRef could have made the name. No other name ever reaches the file system or another store: a
// valid one holds no separator and no dot.
func Valid(ref sandlot.BlobRef) bool {
	if len(ref) != refLength {
		return false
	}
	for i := range len(ref) {
		set := crockford
		if i < 2 {
			set = "0123456789abcdef"
		}
		if strings.IndexByte(set, ref[i]) < 0 {
			return false
		}
	}
	return true
}

// Path returns the path of a blob with a valid name, in a folder or below another store's prefix: its shard, a slash,
// and the name.
func Path(ref sandlot.BlobRef) string { return string(ref[:2]) + "/" + string(ref) }

func tempPath(ref sandlot.BlobRef) string { return tempFolder + "/" + string(ref) }

// Shards is the number of shards into which the first two characters of the names divide all blobs. 256 of them keep a
// folder under 4,000 entries up to a million blobs.
const Shards = 256

// Shard returns the beginning of all names in the shard of that number, counted from 0.
func Shard(n int) string { return fmt.Sprintf("%02x", n) }

// folders returns the names of the folders that hold blobs, one for each shard.
func folders() []string {
	names := make([]string, Shards)
	for i := range names {
		names[i] = Shard(i)
	}
	return names
}
