package api

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"sandlot"
)

// TestRegressionM54WhatIsInAnotherAlphabetIsCalledSo: names of a ZIP are read as CP437, with a warning; a body in UTF-16 is refused by that word.
func TestRegressionM54WhatIsInAnotherAlphabetIsCalledSo(t *testing.T) {
	t.Parallel()
	w := settled(t)
	var b bytes.Buffer
	a := zip.NewWriter(&b)
	for _, name := range []string{"index.html", "b\x84r.txt"} {
		f, err := a.CreateHeader(&zip.FileHeader{Name: name, NonUTF8: true})
		if err == nil {
			_, err = f.Write([]byte(page))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	got := w.post("/v1/publish", w.account, b.String(), with("Content-Type", "application/zip"), lax).wants(201)
	if !strings.Contains(got.text, `"filename":"bär.txt"`) || !got.warned("read_as") || !strings.Contains(got.text, "read as CP437") {
		t.Errorf("%s", got.text)
	}
	body := `{"text":"<!doctype html><p>x"}`
	for order, mark := range map[binary.AppendByteOrder]bool{binary.LittleEndian: true, binary.BigEndian: false} {
		var wide []byte
		if mark {
			wide = order.AppendUint16(wide, 0xfeff)
		}
		for _, c := range utf16.Encode([]rune(body)) {
			wide = order.AppendUint16(wide, c)
		}
		got := w.post("/v1/publish", w.account, string(wide), with("Content-Type", "application/json")).refused(400, sandlot.CodeInvalidJSON)
		if !strings.Contains(got.str("message"), "UTF-16") || !strings.Contains(got.str("hint"), "UTF-8") {
			t.Errorf("%s", got.text)
		}
	}
}

// TestRegressionM54TheHintOfAPercentEncodedURLEnds: what is left behind its comma is no base64, either.
func TestRegressionM54TheHintOfAPercentEncodedURLEnds(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, content := range []string{"data:text/html,%3Ch1%3EHi%3C%2Fh1%3E", "data:,Hi", "%3Ch1%3EHi%3C%2Fh1%3E"} {
		got := w.post("/v1/publish", w.account, obj{"content": content}).refused(400, sandlot.CodeInvalidContent)
		if hint := got.str("hint"); strings.Contains(hint, "base64 text alone") || !strings.Contains(hint, "the field text") {
			t.Errorf("%s: %s", content, got.text)
		}
	}
}
