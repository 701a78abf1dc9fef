// Package unpack reads archives of files: ZIP, and tar plain, gzipped or packed with zstd. It knows archives alone, neither
// projects nor which names a project takes.
//
// An archive is hostile until it is read to its end. Memory does not grow with what an archive holds, only with the number of
// its entries, and what a bomb would become is not made: reading stops at the limit. What two programs could read
// differently is refused, so nobody can look at one set of files and publish another: entries that overlap, headers that contradict the
// directory, one name twice, bytes that belong to nothing. So is what is no plain file: links, devices, encrypted entries.
//
// Names are handed on as they are in the archive, with / for \. Whoever writes files under them must check them.
package unpack

import (
	"bytes"
	"io"
)

// A Format is a kind of archive.
type Format string

// The formats that are read.
const (
	ZIP     Format = "zip"
	Tar     Format = "tar"
	TarGzip Format = "tar.gz"
	TarZstd Format = "tar.zst"
)

// Limits bounds what an archive may hold.
type Limits struct {
	Entries int   // of any kind: files, folders, and what the caller leaves out
	File    int64 // bytes of one file, asked as it is read; a file that is not read may be larger
	Total   int64 // bytes of all files, also of those that are not read
	// LeftOut reports whether the caller leaves a file of that name out, so that it need not be a plain one: a link, say, is then a file like any other,
	// in a tar an empty one. nil leaves none out.
	LeftOut func(name string) bool
	// Through is what all that a tar unpacks to is read through, headers included: what it asks for is asked for each byte, and
	// its error ends the reading. nil is nothing.
	Through func(io.Reader) io.Reader
}

// An Entry is a regular file of an archive.
type Entry struct {
	Name    string // valid UTF-8, as in the archive but for \, which is /
	Size    int64  // bytes
	Guessed bool   // the archive does not say in which alphabet the name is; it was read as CP437
}

// Each is called for a file with a reader of its bytes, which is valid during the call. That its checksum holds is proven once
// the reader has returned io.EOF; what is left unread is passed over.
type Each = func(Entry, io.Reader) error

// Sniff tells which archive begins with head, of which 512 bytes are enough. A gzip or zstd stream is taken for that of a tar: only
// unpacking it can tell.
func Sniff(head []byte) (Format, bool) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("PK\x03\x04"), begins("PK\x05\x06"): // an archive without entries has its end alone
		return ZIP, true
	case begins("\x1f\x8b"):
		return TarGzip, true
	case begins("\x28\xb5\x2f\xfd"):
		return TarZstd, true
	case looksLikeTar(head):
		return Tar, true
	}
	return "", false
}

// looksLikeTar tells whether head is a header of tar. The oldest kind has no magic, but a checksum.
func looksLikeTar(head []byte) bool {
	const sumAt, sumLength, magicAt, block = 148, 8, 257, 512
	if len(head) >= magicAt+5 && string(head[magicAt:magicAt+5]) == "ustar" {
		return true
	}
	if len(head) < block || head[0] == 0 {
		return false
	}
	sum, said := 0, 0
	for i, c := range head[:block] {
		if i >= sumAt && i < sumAt+sumLength {
			c = ' '
		}
		sum += int(c)
	}
	for _, c := range head[sumAt : sumAt+sumLength] {
		if c >= '0' && c <= '7' {
			said = said<<3 | int(c-'0')
		}
	}
	return sum == said
}
