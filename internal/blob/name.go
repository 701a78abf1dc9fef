package blob

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"

	"sandlot/internal/publish"
)

const (
	// crockford is base32 without the letters that are taken for others, in
	// lower case, so that a name is the same on a file system that ignores case.
	crockford = "0123456789abcdefghjkmnpqrstvwxyz"

	// A name has two hexadecimal digits, which are its folder, and 26 more
	// characters, which are 128 random bits.
	refLength = 2 + 26
)

// newRef makes a name that was never used: 128 random bits besides the folder
// make meeting one twice less likely than the disk failing in any given second.
func newRef() publish.BlobRef {
	var b [1 + 16]byte
	rand.Read(b[:]) // never fails
	enc := base32.NewEncoding(crockford).WithPadding(base32.NoPadding)
	return publish.BlobRef(hex.EncodeToString(b[:1]) + enc.EncodeToString(b[1:]))
}

// valid tells whether newRef could have made the name. No other name ever
// reaches the file system: a valid one holds no separator and no dot.
func valid(ref publish.BlobRef) bool {
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

func blobPath(ref publish.BlobRef) string { return string(ref[:2]) + "/" + string(ref) }

func tempPath(ref publish.BlobRef) string { return tempFolder + "/" + string(ref) }

// folders are the names of the folders that hold blobs. 256 of them keep a
// folder under 4,000 entries up to a million blobs.
func folders() []string {
	names := make([]string, 256)
	for i := range names {
		names[i] = fmt.Sprintf("%02x", i)
	}
	return names
}
