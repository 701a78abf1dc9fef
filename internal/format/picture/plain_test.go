package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// pngFrom returns a PNG of 8 or 16 bits in red, green, blue and transparency, whose rows cost the decoder most: each
// byte is predicted from three others. It has more bytes than it needs by more.
func pngFrom(t *testing.T, w, h, depth int, interlaced bool, more int) []byte {
	t.Helper()
	var data bytes.Buffer
	z, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	expect.OK(t, err)
	passes := [][4]int{{0, 0, 1, 1}}
	if interlaced {
		passes = [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	}
	for _, p := range passes {
		wide, high := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]
		row := make([]byte, 1+wide*depth/2)
		for i := range row {
			row[i] = byte(i % 7)
		}
		row[0] = 4
		for range high {
			_, err := z.Write(row)
			expect.OK(t, err)
		}
	}
	for none := make([]byte, 1<<20); more > 0; more -= len(none) {
		_, err := z.Write(none)
		expect.OK(t, err)
	}
	expect.OK(t, z.Close())
	lace := byte(0)
	if interlaced {
		lace = 1
	}
	out := header(uint32(w), uint32(h), byte(depth), 6, lace)
	for _, c := range [][]byte{append([]byte("IDAT"), data.Bytes()...), []byte("IEND")} {
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(c)-4)), c...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(c))
	}
	return out
}

// progressive is a JPEG in which each component has all samples, and whose coefficients come in so many scans: each of
// a few bytes, though it goes through all of the picture.
func progressive(w, h uint16, scans int) []byte {
	table := func(class byte, symbol byte) []byte { // of one code, of one bit
		return append(append([]byte{0xff, 0xc4, 0, 20, class, 1}, make([]byte, 15)...), symbol)
	}
	blocks := (int(w) + 7) / 8 * ((int(h) + 7) / 8)
	quants := append([]byte{0xff, 0xdb, 0, 67, 0}, bytes.Repeat([]byte{1}, 64)...)
	size := frame(w, h, 0xc2, 0x11, 0x11, 0x11)
	first := append([]byte{0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0}, make([]byte, 3*blocks/8+1)...)
	out := slices.Concat(size[:2], quants, size[2:], table(0, 0), table(0x10, 0xe0), first)
	next := append([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0}, make([]byte, (blocks>>14+1)*15/8+1)...) // runs of 16,384 blocks without a change
	for range scans {
		out = append(out, next...)
	}
	return append(out, 0xff, 0xd9)
}

// behindNothing returns a JPEG whose first frame lies in an apparent segment, behind a marker of type 0: the decoder
// goes on right behind the marker.
func behindNothing(w, h uint16) []byte {
	hidden := append(frame(w, h, 0xc0, 0x11)[2:], 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0)
	return slices.Concat([]byte{0xff, 0xd8, 0xff, 0, 0, byte(len(hidden) + 2)}, hidden, frame(64, 36, 0xc0, 0x11)[2:])
}

// segments is a JPEG with so many segments more before its frame, all as long as they may be.
func segments(sent []byte, marker byte, body string, n int) []byte {
	one := append([]byte{0xff, marker, 0xff, 0xff}, body...)
	one = append(one, make([]byte, 0xffff+2-len(one))...)
	return slices.Concat(sent[:2], bytes.Repeat(one, n), sent[2:])
}

// inPieces is a PNG with so many parts of its picture more, all of nothing, at a place, or so far before its end.
func inPieces(sent []byte, at, n int) []byte {
	empty := binary.BigEndian.AppendUint32([]byte("\x00\x00\x00\x00IDAT"), crc32.ChecksumIEEE([]byte("IDAT")))
	if at < 0 {
		at += len(sent)
	}
	return slices.Concat(sent[:at], bytes.Repeat(empty, n), sent[at:])
}

// heldMemory is the memory that the process has of the system.
func heldMemory() int64 {
	list := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(list)
	return int64(list[0].Value.Uint64() - list[1].Value.Uint64())
}

// grown is how much more memory the process has at most while do runs.
func grown(do func()) (most int64) {
	debug.FreeOSMemory()
	before := heldMemory()
	ended := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, heldMemory()-before)
			select {
			case <-tick.C:
			case <-ended:
				return
			}
		}
	})
	do()
	close(ended)
	looking.Wait()
	return max(most, heldMemory()-before)
}

func TestSoakAHostilePictureCostsLittleMemoryAndTime(t *testing.T) {
	testenv.Unraced(t)
	const made = Kind("made")
	for name, row := range map[string]struct {
		sent []byte
		want Kind
	}{
		"50,000 by 50,000":                        {append(header(50_000, 50_000, 8, 6, 0), pngFrom(t, 16, 16, 8, false, 64<<20)[33:]...), TooManyPixels},
		"a bomb of more bytes than pixels":        {pngFrom(t, 640, 360, 8, false, 128<<20), Damaged},
		"a bomb of as many pixels as may be":      {pngFrom(t, 4096, 3040, 8, false, 0), made},
		"16 bits, interlaced":                     {pngFrom(t, 2048, 1500, 16, true, 0), made},
		"16 bits, interlaced, of one line more":   {pngFrom(t, 2048, 1600, 16, true, 0), TooMuchMemory},
		"a PNG before 14 MiB of other bytes":      {append(pngFrom(t, 3000, 2800, 8, false, 0), make([]byte, 14<<20)...), made},
		"a WebP of 65,536 sets of codes":          {naming(1280, 720, 65_536, 0), TooMuchMemory},
		"a WebP of as many sets as may be":        {naming(1280, 720, 14_500, 14_500), made},
		"a WebP of as many pixels as may be":      {naming(3200, 1900, 1, 1), made},
		"a progressive JPEG":                      {progressive(2240, 1480, 10), made},
		"a progressive JPEG, of one line more":    {progressive(2240, 1520, 10), TooMuchMemory},
		"a JPEG whose frame is behind nothing":    {behindNothing(16_000, 16_000), TooManyPixels},
		"a JPEG of 14 MiB of places":              {segments(jpegOf(t, drawn(2400, 1800)), 0xe1, "Exif\x00\x00MM\x00*", 220), made},
		"a JPEG of 14 MiB of profiles":            {segments(jpegOf(t, drawn(2400, 1800)), 0xe2, "ICC_PROFILE\x00\x01\x01", 220), made},
		"a JPEG before 14 MiB of marks":           {append(jpegOf(t, drawn(2400, 1800)), bytes.Repeat([]byte("\xff\xee"), 7<<20)...), made},
		"a PNG with a profile of 14 MiB":          {chunked(pngFrom(t, 2000, 1600, 8, false, 0), "iCCPa\x00\x00"+strings.Repeat("x", 14<<20)), made},
		"a PNG of a million chunks":               {chunked(pngOf(t, drawn(640, 360)), slices.Repeat([]string{"teXt"}, 1_000_000)...), TooMuchMemory},
		"a PNG of as many chunks as may be":       {chunked(pngOf(t, drawn(640, 360)), slices.Repeat([]string{"teXt"}, mostChunks-100)...), made},
		"a PNG of a million parts":                {inPieces(pngFrom(t, 2000, 1600, 8, false, 0), 33, 1_000_000), TooMuchMemory},
		"a PNG with a million parts behind it":    {inPieces(pngOf(t, drawn(640, 360)), -12, 1_000_000), TooMuchMemory},
		"a WebP of a million chunks":              {riff(strings.Repeat("ABCD\x00\x00\x00\x00", 1_000_000), string(sample(t, "lossy.webp")[12:])), made},
		"a progressive JPEG of scans without end": {progressive(2240, 1400, 100_000), Slow},
	} {
		spent := func() time.Duration { return 0 } // the limit on time counts only in the slow case
		if row.want == Slow {
			spent = ProcessorTime
		}
		begun, got := time.Now(), made
		most := grown(func() {
			_, err := NewMaker(spent).Make(t.Context(), bytes.NewReader(row.sent), Cover())
			if p := (*Problem)(nil); errors.As(err, &p) {
				got = p.Kind
			} else {
				expect.OK(t, err, name)
			}
		})
		took := time.Since(begun)
		t.Logf("%s: %d bytes sent, %.1f MiB, %v", name, len(row.sent), float64(most)/(1<<20), took)
		if got != row.want {
			t.Errorf("%s: it ends with %v, and should with %v", name, got, row.want)
		}
		if most > 64<<20 || took > 10*time.Second { // 2 s on a machine with nothing beside
			t.Errorf("%s: it took %d bytes and %v", name, most, took)
		}
	}
}
