package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestGeneratedFilesAreTheCommittedOnes(t *testing.T) {
	files, err := generate()
	expect.OK(t, err)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		expect.OK(t, err)
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what its source makes: run go run ./gen in examples/runnel", name)
		}
	}
}

func TestSiltIsSmall(t *testing.T) {
	if n := len(siltModule().binary()); n > 8<<10 {
		t.Errorf("%d bytes, want at most 8 KiB", n)
	}
}

// The numbers are those that the description of LEB128 is usually given with.
func TestIntegersAreLEB128(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want code
	}{
		{"unsigned 0", uleb(0), code{0x00}},
		{"unsigned 127", uleb(127), code{0x7f}},
		{"unsigned 128", uleb(128), code{0x80, 0x01}},
		{"unsigned 624485", uleb(624485), code{0xe5, 0x8e, 0x26}},
		{"signed 63", sleb(63), code{0x3f}},
		{"signed 64", sleb(64), code{0xc0, 0x00}},
		{"signed -1", sleb(-1), code{0x7f}},
		{"signed -123456", sleb(-123456), code{0xc0, 0xbb, 0x78}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !bytes.Equal(c.got, c.want) {
				t.Errorf("% x, want % x", c.got, c.want)
			}
		})
	}
}
