package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// records are the places of an archive of plainZIP with the files a and b, of 4 bytes each.
type records struct {
	b                   []byte
	localB, first, last int // the second header, the first entry of the directory, the end
}

func twoFiles(t testing.TB) records {
	b := plainZIP(t, file{"a", "aaaa"}, file{"b", "bbbb"})
	return records{b, localLength + 5, bytes.Index(b, []byte("PK\x01\x02")), len(b) - endLength}
}

func put16(b []byte, v uint16) { binary.LittleEndian.PutUint16(b, v) }
func put32(b []byte, v uint32) { binary.LittleEndian.PutUint32(b, v) }

func TestAZIPThatCanBeReadInTwoWaysIsRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*records)
		reason Reason
		entry  string
	}{
		"another name in front of the bytes":      {func(r *records) { r.b[localLength] = 'c' }, Mismatch, "a"},
		"another method there":                    {func(r *records) { put16(r.b[8:], deflated) }, Mismatch, "a"},
		"another size there":                      {func(r *records) { put32(r.b[22:], 5) }, Mismatch, "a"},
		"another checksum there":                  {func(r *records) { put32(r.b[14:], 5) }, Mismatch, "a"},
		"another flag there":                      {func(r *records) { put16(r.b[6:], flagDescriptor) }, Mismatch, "a"},
		"a flag of encryption":                    {func(r *records) { put16(r.b[r.first+8:], flagEncrypted) }, Encrypted, "a"},
		"a masked directory":                      {func(r *records) { put16(r.b[r.first+8:], flagMasked) }, Encrypted, "a"},
		"a method that is not read":               {func(r *records) { put16(r.b[r.first+10:], 14) }, Unsupported, "a"},
		"stored in two sizes":                     {func(r *records) { put32(r.b[r.first+24:], 5) }, BadSize, "a"},
		"a wrong checksum":                        {func(r *records) { put32(r.b[r.first+16:], 5); put32(r.b[14:], 5) }, BadChecksum, "a"},
		"other bytes":                             {func(r *records) { r.b[localLength+2] = 'x' }, BadChecksum, "a"},
		"both entries at one place":               {func(r *records) { put32(r.b[r.first+centralLength+1+42:], 0) }, Overlap, "a"},
		"an entry inside another":                 {func(r *records) { put32(r.b[r.first+centralLength+1+42:], uint32(r.localB-2)) }, Overlap, "a"},
		"an entry in the directory":               {func(r *records) { put32(r.b[r.first+centralLength+1+42:], uint32(r.first)) }, Overlap, "b"},
		"an entry behind the end":                 {func(r *records) { put32(r.b[r.first+centralLength+1+42:], 1<<30) }, Overlap, "b"},
		"two of one name":                         {func(r *records) { r.b[r.localB+localLength], r.b[r.first+2*centralLength+1] = 'a', 'a' }, Duplicate, "a"},
		"more in the directory than its end says": {func(r *records) { put16(r.b[r.last+8:], 1); put16(r.b[r.last+10:], 1) }, Stray, ""},
		"fewer":                             {func(r *records) { put16(r.b[r.last+8:], 3); put16(r.b[r.last+10:], 3) }, Truncated, ""},
		"one of several pieces":             {func(r *records) { put16(r.b[r.last+4:], 1) }, Unsupported, ""},
		"an entry in another piece":         {func(r *records) { put16(r.b[r.first+34:], 1) }, Unsupported, "a"},
		"something in front":                {func(r *records) { r.b = append([]byte("MZ"), r.b...) }, Stray, ""},
		"something in front, told":          {func(r *records) { r.b = moved(r, 7) }, Stray, ""},
		"something behind":                  {func(r *records) { r.b = append(r.b, '\n') }, Stray, ""},
		"a second end":                      {func(r *records) { r.b = append(r.b, r.b[r.last:]...) }, Stray, ""},
		"cut off":                           {func(r *records) { r.b = r.b[:len(r.b)-1] }, Truncated, ""},
		"cut in the directory":              {func(r *records) { r.b = r.b[:r.first+20] }, Truncated, ""},
		"a size of 64 bits that is missing": {func(r *records) { put32(r.b[r.first+24:], 1<<32-1) }, Damaged, "a"},
		"a symbolic link":                   {func(r *records) { put32(r.b[r.first+38:], 0o120777<<16) }, Link, "a"},
		"a pipe of Unix":                    {func(r *records) { put16(r.b[r.first+4:], 3<<8); put32(r.b[r.first+38:], 0o010644<<16) }, Device, "a"},
		"a folder with bytes":               {func(r *records) { put32(r.b[r.first+38:], 0o040755<<16) }, Mismatch, "a"},
		"a folder of MS-DOS with bytes":     {func(r *records) { put32(r.b[r.first+38:], 0x10) }, Mismatch, "a"},
		"a name that is not the UTF-8 that it says": {func(r *records) {
			r.b[localLength], r.b[r.first+centralLength], r.b[7], r.b[r.first+9] = 0x84, 0x84, flagUTF8>>8, flagUTF8>>8
		}, BadName, "\ufffd"},
		"a name with a zero byte": {func(r *records) { r.b[localLength], r.b[r.first+centralLength] = 0, 0 }, BadName, "\x00"},
		"no archive":              {func(r *records) { r.b = []byte("<!doctype html><p>This is the page itself.") }, NotArchive, ""},
		"nothing":                 {func(r *records) { r.b = nil }, NotArchive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := twoFiles(t)
			tc.change(&r)
			_, err := unzip(r.b, ample)
			refused(t, err, tc.reason, tc.entry)
		})
	}
	whole := twoFiles(t)
	got, err := unzip(whole.b, ample)
	expect.OK(t, err)
	same(t, got, []file{{"a", "aaaa"}, {"b", "bbbb"}})
}

// moved puts n bytes in front, and adjusts all offsets.
func moved(r *records, n uint32) []byte {
	put32(r.b[r.first+42:], n)
	put32(r.b[r.first+centralLength+1+42:], uint32(r.localB)+n)
	put32(r.b[r.last+16:], uint32(r.first)+n)
	return append(make([]byte, n), r.b...)
}

func TestADeflatedEntryThatLiesIsRefused(t *testing.T) {
	t.Parallel()
	data := strings.Repeat("sandlot ", 100)
	for name, tc := range map[string]struct {
		change func(b []byte, central int)
		reason Reason
	}{
		"more bytes than it says":  {func(b []byte, c int) { put32(b[c+24:], 10) }, Mismatch},
		"fewer bytes":              {func(b []byte, c int) { put32(b[c+24:], 900) }, Mismatch},
		"an end in the middle":     {func(b []byte, c int) { b[localLength+1] = 0xff }, Damaged},
		"other packed bytes":       {func(b []byte, c int) { b[localLength+4]++ }, BadChecksum},
		"sizes behind it that lie": {func(b []byte, c int) { b[c-1]++ }, Mismatch},
		"a checksum there":         {func(b []byte, c int) { b[c-12]++ }, Mismatch},
		"no descriptor":            {func(b []byte, c int) { b[c-16]++ }, Mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			b := zipOf(t, file{"a", data})
			tc.change(b, bytes.Index(b, []byte("PK\x01\x02")))
			_, err := unzip(b, ample)
			refused(t, err, tc.reason, "a")
		})
	}
	for _, size := range []int{10, 900} { // everywhere in the archive
		b := zipOf(t, file{"a", data})
		c := bytes.Index(b, []byte("PK\x01\x02"))
		put32(b[c+24:], uint32(size))
		put32(b[c-4:], uint32(size))
		_, err := unzip(b, ample)
		refused(t, err, BadSize, "a")
	}
}

func TestPackedBytesBehindTheEndOfAnEntryAreRefused(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	packed := "\x03\x00 and more" // deflate of nothing
	part, err := w.CreateRaw(&zip.FileHeader{Name: "a", Method: zip.Deflate, CompressedSize64: uint64(len(packed))})
	expect.OK(t, err)
	io.WriteString(part, packed)
	expect.OK(t, w.Close())
	_, err = unzip(b.Bytes(), ample)
	refused(t, err, BadSize, "a")
}

func TestALargeZIPIsReadByItsOwnRecord(t *testing.T) {
	t.Parallel()
	var files []file
	for i := range 70_000 { // more than 16 bits count
		files = append(files, file{name: strings.Repeat("x", i%7) + string(rune('a'+i%26)) + itoa(i)})
	}
	b := plainZIP(t, files...)
	n := 0
	count := func(Entry, io.Reader) error { n++; return nil }
	lim := Limits{Entries: 70_000, File: 1, Total: 1}
	expect.OK(t, ReadZIP(bytes.NewReader(b), int64(len(b)), lim, count))
	expect.Equal(t, "files", n, 70_000)
	at := len(b) - endLength - locator64Length - end64Length
	for name, tc := range map[string]struct {
		change func(b []byte)
		reason Reason
	}{
		"no locator":         {func(b []byte) { b[len(b)-endLength-locator64Length]++ }, Damaged},
		"a wrong place":      {func(b []byte) { b[len(b)-endLength-locator64Length+8]++ }, Damaged},
		"a negative place":   {func(b []byte) { b[len(b)-endLength-locator64Length+15] = 0xff }, Damaged},
		"another size":       {func(b []byte) { b[at+40]++ }, Truncated},
		"a negative size":    {func(b []byte) { b[at+47] = 0xff }, Truncated},
		"two counts":         {func(b []byte) { b[at+24]++ }, Damaged},
		"a longer record":    {func(b []byte) { b[at+4]++ }, Damaged},
		"more than allowed":  {func(b []byte) { b[at+31], b[at+39] = 0x7f, 0x7f }, TooMany},
		"all counts allowed": {func(b []byte) { b[at+26], b[at+34] = 0, 0 }, Stray},
	} {
		changed := bytes.Clone(b)
		tc.change(changed)
		err := ReadZIP(bytes.NewReader(changed), int64(len(changed)), lim, count)
		t.Run(name, func(t *testing.T) { refused(t, err, tc.reason, "") })
	}
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/10000), byte('0' + n/1000%10), byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)})
}

func TestNamesTakeABoundedMemory(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", maxName-5)
	var zips []file
	var tars []*tar.Header
	for i := range maxNames/maxName + 10 {
		zips = append(zips, file{name: long + itoa(i)})
		tars = append(tars, &tar.Header{Name: long + itoa(i)})
	}
	lim := Limits{Entries: 1 << 20, File: 1, Total: 1}
	_, err := unzip(plainZIP(t, zips...), lim)
	refused(t, err, TooMany, "")
	_, err = untar(tarOf(t, tars...), Tar, lim)
	refused(t, err, TooMany, "")
	_, err = unzip(plainZIP(t, file{name: long + "123456"}), lim)
	refused(t, err, BadName, long[:64]+"...")
}

func TestATarThatHoldsMoreThanFilesIsRefused(t *testing.T) {
	t.Parallel()
	one := &tar.Header{Name: "a", Size: 700}
	for name, tc := range map[string]struct {
		b      []byte
		reason Reason
		entry  string
	}{
		"a symbolic link":        {tarOf(t, &tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/etc/passwd"}), Link, "l"},
		"a hard link":            {tarOf(t, one, &tar.Header{Typeflag: tar.TypeLink, Name: "l", Linkname: "a"}), Link, "l"},
		"a device":               {tarOf(t, &tar.Header{Typeflag: tar.TypeBlock, Name: "d"}), Device, "d"},
		"a pipe":                 {tarOf(t, &tar.Header{Typeflag: tar.TypeFifo, Name: "p"}), Device, "p"},
		"a kind of its own":      {tarOf(t, &tar.Header{Typeflag: 'Z', Name: "z"}), Unsupported, "z"},
		"two of one name":        {tarOf(t, one, &tar.Header{Name: "b"}, one), Duplicate, "a"},
		"a name for all":         {tarOf(t, &tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"path": "x"}}, one), Unsupported, ""},
		"cut in a file":          {tarOf(t, one)[:800], Truncated, "a"},
		"cut behind a file":      {tarOf(t, one)[:1536], Truncated, ""},
		"cut behind half a mark": {tarOf(t, one)[:2048], Truncated, ""},
		"something behind":       {append(tarOf(t, one), "more"...), Stray, ""},
		"a second tar behind":    {append(tarOf(t, one), tarOf(t, one)...), Stray, ""},
		"many zeros behind":      {append(tarOf(t, one), make([]byte, maxPadding+1)...), Stray, ""},
		"no tar":                 {[]byte(strings.Repeat("<!doctype html>", 100)), NotArchive, ""},
		"nothing":                {nil, NotArchive, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for f, b := range map[Format][]byte{Tar: tc.b, TarGzip: gzipped(t, tc.b), TarZstd: zstded(t, tc.b)} {
				_, err := untar(b, f, Limits{Entries: 100, File: 1 << 20, Total: 1 << 20})
				t.Log(f)
				refused(t, err, tc.reason, tc.entry)
			}
		})
	}
	_, err := untar(tarOf(t, &tar.Header{Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{"comment": "a commit"}}, one), Tar, ample)
	expect.OK(t, err)
	_, err = untar(append(tarOf(t, one), make([]byte, 10<<10)...), Tar, ample)
	expect.OK(t, err)
}

func TestAPackedTarThatIsDamagedIsRefused(t *testing.T) {
	t.Parallel()
	plain := tarOf(t, &tar.Header{Name: "a", Size: 100_000})
	gz, zst := gzipped(t, plain), zstded(t, plain)
	changed := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0x55
		return b
	}
	for name, tc := range map[string]struct {
		f      Format
		b      []byte
		reason Reason
		entry  string
	}{
		"gzip: another checksum":   {TarGzip, changed(gz, len(gz)-6), BadChecksum, ""},
		"gzip: another length":     {TarGzip, changed(gz, len(gz)-2), BadChecksum, ""},
		"gzip: cut":                {TarGzip, gz[:len(gz)-3], Truncated, ""},
		"gzip: cut in a file":      {TarGzip, gz[:len(gz)/2], Truncated, "a"},
		"gzip: something behind":   {TarGzip, append(bytes.Clone(gz), "more than a header"...), Stray, ""},
		"gzip: none":               {TarGzip, plain, NotArchive, ""},
		"gzip: of something else":  {TarGzip, gzipped(t, []byte("<!doctype html>")), NotArchive, ""},
		"zstd: another checksum":   {TarZstd, changed(zst, len(zst)-2), BadChecksum, ""},
		"zstd: cut":                {TarZstd, zst[:len(zst)-3], Truncated, ""},
		"zstd: something behind":   {TarZstd, append(bytes.Clone(zst), "more"...), Stray, ""},
		"zstd: none":               {TarZstd, plain, NotArchive, ""},
		"zstd: a larger window":    {TarZstd, wide(t), Unsupported, ""},
		"a format that is unknown": {"rar", plain, Unsupported, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := untar(tc.b, tc.f, ample)
			refused(t, err, tc.reason, tc.entry)
		})
	}
	two := append(gzipped(t, plain[:700]), gzipped(t, plain[700:])...)
	_, err := untar(two, TarGzip, ample)
	expect.OK(t, err, "in two members")
	two = append(zstded(t, plain[:700]), zstded(t, plain[700:])...)
	_, err = untar(two, TarZstd, ample)
	expect.OK(t, err, "in two frames")
}

// wide is a frame that wants a window of 16 MiB.
func wide(t testing.TB) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(16<<20))
	expect.OK(t, err)
	_, err = w.Write(make([]byte, 20<<20))
	expect.OK(t, err)
	expect.OK(t, w.Close())
	return b.Bytes()
}

func TestASparseFileIsRefused(t *testing.T) {
	t.Parallel()
	b := tarOf(t, &tar.Header{Name: "GNUSparseFile.0/a", PAXRecords: map[string]string{"SANDLOT.sparse.major": "1"}, Size: 3})
	b = bytes.ReplaceAll(b, []byte("SANDLOT.sparse.major"), []byte("GNU.sparse.realsize="))
	if _, err := untar(b, Tar, ample); err == nil {
		t.Error("it was read")
	}
}

func TestArchivesOfTheUsualProgramsAreRead(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]struct {
		program, script string
		format          Format
	}{
		"zip":             {"zip", "cd tree && zip -qr ../out.zip . && mv ../out.zip ../out", ZIP},
		"zip to a pipe":   {"zip", "cd tree && zip -qr - . | cat > ../out", ZIP},
		"tar":             {"tar", "tar -C tree -cf out .", Tar},
		"tar in records":  {"tar", "tar -C tree -b 2048 -cf out .", Tar},
		"tar of the past": {"tar", "tar -C tree --format=v7 -cf out .", Tar},
		"tar.gz":          {"tar", "tar -C tree -czf out .", TarGzip},
		"tar by pax":      {"tar", "tar -C tree --format=pax -czf out .", TarGzip},
		"tar of git":      {"git", "cd tree && git -c init.defaultBranch=main init -q && git add . && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x && git archive --format=tar -o ../out HEAD", Tar},
		"zip of git":      {"git", "cd tree && git -c init.defaultBranch=main init -q && git add . && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm x && git archive --format=zip -o ../out HEAD", ZIP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testenv.Need(t, make.program)
			dir := t.TempDir()
			script := "set -e; mkdir -p tree/js; printf '<!doctype html>' > tree/index.html; printf 'let ä' > tree/js/ä.js; : > tree/empty.txt; " + make.script
			cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			expect.OK(t, err, string(out))
			b, err := os.ReadFile(filepath.Join(dir, "out"))
			expect.OK(t, err)
			got, each := collect()
			if make.format == ZIP {
				err = ReadZIP(bytes.NewReader(b), int64(len(b)), ample, each)
			} else {
				err = ReadTar(bytes.NewReader(b), make.format, ample, each)
			}
			expect.OK(t, err)
			found := map[string]string{}
			for _, f := range *got {
				found[strings.TrimPrefix(f.name, "./")] = f.data
			}
			expect.Same(t, "files", found, map[string]string{"index.html": "<!doctype html>", "js/ä.js": "let ä", "empty.txt": ""})
		})
	}
}
