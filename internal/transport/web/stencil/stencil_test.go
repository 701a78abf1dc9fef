package stencil

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestAHoleMayHoldAnything(t *testing.T) {
	t.Parallel()
	s := New([]byte("<html" + Hole("theme") + " lang>" + strings.Repeat("a word ", 20_000) + Hole("one") + "." + Hole("two")))
	for _, filling := range []string{"", "x", strings.Repeat("long", 50_000), "\x00<html"} {
		fill := func(to *bytes.Buffer, name string) { to.WriteString(name + filling) }
		var plain, packed bytes.Buffer
		s.Write(&plain, fill)
		s.Pack(&packed, fill)
		r, err := gzip.NewReader(&packed)
		expect.OK(t, err)
		unpacked, err := io.ReadAll(r)
		expect.OK(t, err)
		expect.Equal(t, "unpacked", string(unpacked), plain.String())
		expect.Equal(t, "plain", strings.HasSuffix(plain.String(), "one"+filling+".two"+filling), true)
	}
}
