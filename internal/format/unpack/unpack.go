// Package unpack reads archives of files: ZIP, and tar plain, gzipped or packed with zstd. It knows archives alone,
// neither projects nor the names that a project accepts.
//
// An archive is hostile until it is read to its end. Memory does not grow with the contents of an archive, only with
// the number of its entries, and a bomb is not unpacked: reading stops at the limit. Archives that two programs could
// read differently are refused, so nobody can check one set of files and publish another: entries that overlap, headers
// that contradict the directory, one name twice, bytes that belong to nothing. So are entries that are no plain files:
// links, devices, encrypted entries.
//
// Names are returned as they are in the archive, with / for \. A caller that writes files under them must check them.
package unpack

import (
	"bytes"
	"io"
)

// A Format is a kind of archive.
type Format string

// The supported formats.
const (
	ZIP     Format = "zip"
	Tar     Format = "tar"
	TarGzip Format = "tar.gz"
	TarZstd Format = "tar.zst"
)

// Limits bounds the contents of an archive.
type Limits struct {
	Entries int   // of any kind: files, folders, and those that the caller leaves out
	File    int64 // bytes of one file, checked as it is read; a file that is not read may be larger
	Total   int64 // bytes of all files, also of those that are not read
	// LeftOut reports whether the caller leaves out a file of that name, so that it need not be a plain one: a link,
	// say, is then a file like any other, in a tar an empty one. nil leaves none out.
	LeftOut func(name string) bool
	// Through wraps the reader of all unpacked bytes of a tar, headers included: it can charge for each byte, and its
	// error ends the reading. nil wraps nothing.
	Through func(io.Reader) io.Reader
}

// An Entry is a regular file of an archive.
type Entry struct {
	Name    string // valid UTF-8, as in the archive but for \, which is /
	Size    int64  // bytes
	Guessed bool   // the archive does not give the alphabet of the name; it was read as CP437
}

// Each is called for a file with a reader of its bytes, which is valid during the call. Its checksum is verified once
// the reader has returned io.EOF; unread bytes are skipped.
type Each = func(Entry, io.Reader) error

// Sniff returns the format of the archive that begins with head; 512 bytes are enough. A gzip or zstd stream is treated
// as a tar's: only unpacking it can show the difference. The tar of before 1988 has no magic, and is not recognized.
func Sniff(head []byte) (Format, bool) {
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case begins("PK\x03\x04"), begins("PK\x05\x06"): // an archive without entries has only its end
		return ZIP, true
	case begins("\x1f\x8b"):
		return TarGzip, true
	case begins("\x28\xb5\x2f\xfd"):
		return TarZstd, true
	case len(head) > 257 && bytes.HasPrefix(head[257:], []byte("ustar")):
		return Tar, true
	}
	return "", false
}
