package play

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sandlot"
)

// playerJS is the heartbeat's script: one every 20 seconds while the page is open, and one when the page is left. In a
// frame it sends none: the page around it does.
//
//go:embed player.js
var playerJS []byte

// errorsJS is the script that reports errors of the page, also in a frame.
//
//go:embed errors.js
var errorsJS []byte

// ownScript returns the script that follows pages.
func ownScript(reports bool) *file {
	if reports {
		return scriptFile("player.js", slices.Concat(errorsJS, playerJS))
	}
	return scriptFile("player.js", playerJS)
}

// scriptFile returns a file of the service as one of every project.
func scriptFile(name string, script []byte) *file {
	f := newFile(&sandlot.File{Name: name, Blob: sandlot.Blob{Size: int64(len(script)), SHA256: sha256.Sum256(script), Text: true}})
	f.plain.body, f.varies = script, false
	return f
}

// followedMark is added to the ETag of a form that is followed by the script. A change of the text from tag must change
// it, or browsers keep the old one.
const followedMark = "-player1"

// tag returns the text that follows an HTML primary file in the folder root.
func tag(root string) string { return `<script async src="` + root + `.sandlot/player.js"></script>` }

// navigates reports whether the request is a browser's own top-level navigation. Browsers mark one in Sec-Fetch-Dest,
// which they send only to trustworthy origins; on plain http in Upgrade-Insecure-Requests, with an Accept of HTML.
func navigates(h http.Header) bool {
	if dest := h["Sec-Fetch-Dest"]; len(dest) > 0 {
		return dest[0] == "document"
	}
	return first(h["Upgrade-Insecure-Requests"]) == "1" && strings.Contains(first(h["Accept"]), "text/html")
}

// opens reports whether the request is a browser's own navigation, of a tab or of a frame in a page.
func opens(h http.Header) bool { return navigates(h) || first(h["Sec-Fetch-Dest"]) == "iframe" }

// scripted returns the form of a page that is followed by the script: plain, or gzip if the client accepts it.
//
// It compresses nothing: a gzip stream can be continued without unpacking. Browsers ignore a second gzip member, Brotli
// cannot be continued, and a second zstd frame is not known to work everywhere.
func (x *exchange) scripted(f *file) (*form, error) {
	if utf16, err := x.isUTF16(f); err != nil || utf16 {
		return &f.plain, err
	}
	packed := accepted(x.r.Header)[gzip] && !f.encoded
	for i := range f.packed {
		if o := &f.packed[i]; packed && o.coding == gzip {
			cut, after, err := x.continued(o)
			if err != nil && !x.spare(f, o, err) {
				return nil, err
			}
			if after != nil {
				return f.follow(o, o.size-cut, after), nil
			}
		}
	}
	return f.follow(&f.plain, f.plain.size, []byte(tag(x.root))), nil
}

// follow returns a form of the first n bytes of o, followed by after. It has an ETag of its own.
func (f *file) follow(o *form, n int64, after []byte) *form {
	followed := *o
	followed.size, followed.after, followed.prepared = n+int64(len(after)), after, nil
	followed.etag = []string{`"` + f.hash + marks[o.coding] + followedMark + `"`}
	followed.length = []string{strconv.FormatInt(followed.size, 10)}
	return &followed
}

// isUTF16 reports whether a page begins with the byte order mark of UTF-16. The script, which is ASCII, would be read
// there as strange characters.
func (x *exchange) isUTF16(f *file) (bool, error) {
	if f.text || f.plain.size < 2 {
		return false, nil
	}
	mark, err := x.bytes(x.r.Context(), &f.plain, 0, 2)
	return bytes.Equal(mark, []byte{0xfe, 0xff}) || bytes.Equal(mark, []byte{0xff, 0xfe}), err
}

// continued returns the number of bytes at the end of a gzip form that after replaces, so that the script follows. after
// is nil if the stream cannot be continued.
func (x *exchange) continued(o *form) (cut int64, after []byte, err error) {
	cut = min(o.size, gzipEnd)
	end, err := x.bytes(x.r.Context(), o, o.size-cut, cut)
	if err != nil {
		return 0, nil, err
	}
	return cut, continueGzip(end, tag(x.root)), nil
}

// bytes returns n bytes of a form from off. n must be small, for they are held in memory. They must not be changed.
func (h *Handler) bytes(ctx context.Context, o *form, off, n int64) ([]byte, error) {
	p, err := h.open(ctx, o, off, n)
	if err != nil || p.stream == nil {
		return p.body, err
	}
	defer p.Close()
	b := make([]byte, n)
	if _, err := io.ReadFull(p.stream, b); err != nil {
		return nil, blobError("read", o.blob, err)
	}
	return b, nil
}

const (
	gzipTrailer = 8                   // CRC-32 and size, RFC 1952
	gzipEnd     = gzipTrailer + 4 + 4 // input of continueGzip: the last block, at any bit of a byte
)

// continueGzip returns the replacement of the last bytes of a gzip stream which makes text (under 64 KiB) follow the
// stream's content. It returns nil if the stream does not end in an empty block, as the encoder of our variants ends it:
// a fixed block of a three-bit header and the code of its end. A stored block with the text replaces it (RFC 1951,
// section 3.2.4).
func continueGzip(end []byte, text string) []byte {
	if len(end) < gzipEnd {
		return nil
	}
	trailer := end[len(end)-gzipTrailer:]
	deflate := end[:len(end)-gzipTrailer]
	header, ok := emptyBlock(deflate)
	if !ok {
		return nil
	}
	out := append([]byte(nil), deflate[:(header+2)/8+1]...)
	// The header's first bit says "last" and is set. The other two become 0, "stored"; the bits behind are padding.
	out[header/8] &= 1<<(header%8+1) - 1
	clear(out[header/8+1:])
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	out = binary.LittleEndian.AppendUint16(out, ^uint16(len(text)))
	out = append(out, text...)
	crc := crc32.Update(binary.LittleEndian.Uint32(trailer), crc32.IEEETable, []byte(text))
	out = binary.LittleEndian.AppendUint32(out, crc)
	return binary.LittleEndian.AppendUint32(out, binary.LittleEndian.Uint32(trailer[4:])+uint32(len(text)))
}

// emptyBlock returns the bit at which the header of the last block begins, if that block is empty. Bits count from the
// lowest of the first byte.
func emptyBlock(deflate []byte) (header int, ok bool) {
	// "last", then the type's low bit, the highest set; its high bit, seven of the end code and the
	// padding follow.
	header = lastBit(deflate) - 1
	behind := 8*len(deflate) - 2 - header
	return header, header >= 0 && behind >= 8 && behind <= 15 && deflate[header/8]>>(header%8)&1 == 1
}

// lastBit returns the position of the highest bit that is set, or -1.
func lastBit(b []byte) int {
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] != 0 {
			return 8*i + bits.Len8(b[i]) - 1
		}
	}
	return -1
}
