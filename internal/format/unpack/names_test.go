package unpack

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"sandlot/internal/testkit/expect"
)

// namedZIP makes a ZIP of one file whose name has those bytes; with another one in Info-ZIP's extra field, for the checksum of of.
func namedZIP(t *testing.T, raw, other, of string, flags uint16) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: raw, NonUTF8: true, Flags: flags}
	if other != "" {
		field := binary.LittleEndian.AppendUint16(nil, extraUnicodePath)
		field = append(binary.LittleEndian.AppendUint16(field, uint16(5+len(other))), 1)
		h.Extra = append(binary.LittleEndian.AppendUint32(field, crc32.ChecksumIEEE([]byte(of))), other...)
	}
	f, err := w.CreateRaw(h)
	expect.OK(t, err)
	_, err = io.WriteString(f, "")
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return b.Bytes()
}

// TestRegressionM54NamesOfAZIPAreReadAsTheirProgramsMeantThem: by Info-ZIP's field, as UTF-8, or else in the alphabet that the format had first.
func TestRegressionM54NamesOfAZIPAreReadAsTheirProgramsMeantThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		raw, other, of, want string
		guessed              bool
	}{
		"CP437":                               {"b\x84ren/\x81.png", "", "", "bären/ü.png", true},
		"UTF-8 without the flag":              {"b\u00e4r.png", "", "", "bär.png", false},
		"ASCII":                               {"a.png", "", "", "a.png", false},
		"Info-ZIP's name beside CP437":        {"b\x84r.png", "b\u00e4r.png", "b\x84r.png", "bär.png", false},
		"Info-ZIP's name beside ASCII":        {"b?r.png", "b\u00e4r.png", "b?r.png", "bär.png", false},
		"Info-ZIP's name of another name":     {"b?r.png", "b\u00e4r.png", "x.png", "b?r.png", false},
		"Info-ZIP's name beside another UTF8": {"b\u00e4r.png", "z.png", "b\u00e4r.png", "", false},
	} {
		got, guessed := "", false
		b := namedZIP(t, c.raw, c.other, c.of, 0)
		err := ReadZIP(bytes.NewReader(b), int64(len(b)), ample, func(e Entry, _ io.Reader) error {
			got, guessed = e.Name, e.Guessed
			return nil
		})
		if got != c.want || guessed != c.guessed || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, guessed %v, %v", name, got, guessed, err)
		}
	}
	_, err := unzip(namedZIP(t, "b\x84r.png", "", "", flagUTF8), ample)
	refused(t, err, BadName, "b\ufffdr.png")
}
