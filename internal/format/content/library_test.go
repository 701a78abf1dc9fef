package content

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	library "github.com/emmansun/base64"

	"sandlot/internal/testkit/testenv"
)

// agree decodes text with the library and with the standard library, in both alphabets: either both take it and say the same, or both
// refuse it. The library touches nothing beside dst, wherever text and dst lie.
func agree(t *testing.T, text string, shift uint8) {
	t.Helper()
	const margin, canary = 64, 0xa5
	offset := int(shift % 64) // SIMD loads and stores are of up to 64 bytes
	src := append(make([]byte, offset), text...)[offset:]
	for name, decode := range map[string][2]func(dst, src []byte) (int, error){
		"base64":    {library.RawStdEncoding.Decode, base64.RawStdEncoding.Decode},
		"base64url": {library.RawURLEncoding.Decode, base64.RawURLEncoding.Decode},
	} {
		most := base64.RawStdEncoding.DecodedLen(len(src))
		room := bytes.Repeat([]byte{canary}, offset+margin+most+margin)
		got, want := room[offset+margin:][:most], make([]byte, most)
		n, err := decode[0](got, src)
		m, wantErr := decode[1](want, src)
		if (err == nil) != (wantErr == nil) || err == nil && (n != m || !bytes.Equal(got[:n], want[:m])) {
			t.Fatalf("%s of %q, %d bytes on: %x, %v, want %x, %v", name, text, offset, got[:n], err, want[:m], wantErr)
		}
		beside := append(room[:offset+margin:offset+margin], room[offset+margin+most:]...)
		if len(bytes.Trim(beside, string([]byte{canary}))) > 0 {
			t.Fatalf("%s of %q, %d bytes on, writes beside its buffer", name, text, offset)
		}
		if string(src) != text {
			t.Fatalf("%s of %q changes the text", name, text)
		}
	}
}

// FuzzLibrary compares the SIMD decoder with the standard library's. The gate runs its seeds, and TestLibraryAgainstStandardAtRandom.
func FuzzLibrary(f *testing.F) {
	lane := strings.Repeat("QUJD", 16)
	for _, s := range []string{
		"", "Q", "QQ", "QR", "QUI", "QUJ", "QUJD", "QQ==", lane, lane + "+/+/", lane + "-_-_", "/" + lane, "_" + lane, lane[:63] + "=", lane + "\n" + lane, lane + "\r\n", "\n" + lane,
		lane[:31] + "\x00" + lane, lane[:15] + "\x80" + lane, lane[:47] + "\xff" + lane, lane + "é", lane + lane + lane + "QU", lane + "+_", lane + " " + lane, strings.Repeat("\n", 130), b64(noise(300)),
	} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(5))
	}
	f.Fuzz(agree)
}

// TestLibraryAgainstStandardAtRandom is a run of FuzzLibrary that is the same each time: texts of each length around the lanes of SIMD,
// good ones and some that have one or two characters changed, put in or taken out.
func TestLibraryAgainstStandardAtRandom(t *testing.T) {
	testenv.Unraced(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	odd := []byte("=+/-_\n\r \x00\x7f\x80\xff@[`{,.:")
	data := make([]byte, 300)
	for i := range 60_000 {
		for j := range data {
			data[j] = byte(rnd.Uint32())
		}
		encoding := []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding}[i%2]
		text := []byte(encoding.EncodeToString(data[:rnd.IntN(len(data))]))
		for range rnd.IntN(3) {
			at := rnd.IntN(len(text) + 1)
			end := min(len(text), at+rnd.IntN(2))
			text = append(append(bytes.Clone(text[:at]), odd[rnd.IntN(len(odd))]), text[end:]...)
		}
		agree(t, string(text), uint8(rnd.IntN(64)))
	}
}
