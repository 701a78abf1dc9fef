package transfer_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// red, green and blue are pictures.
var red, green, blue = plain(color.RGBA{R: 230, A: 255}), plain(color.RGBA{G: 230, A: 255}), plain(color.RGBA{B: 230, A: 255})

// plain is a PNG of one colour.
func plain(c color.RGBA) string {
	img := image.NewPaletted(image.Rect(0, 0, 320, 180), color.Palette{c})
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		panic(err)
	}
	return out.String()
}

// coverOf is the cover of a project: what its owner wishes, and its strongest colour.
func (w *world) coverOf(by sandlot.Caller, id sandlot.ProjectID) string {
	w.t.Helper()
	m, err := w.Covers.Cover(w.t.Context(), w.OwnerOf(by.Account()), id)
	expect.OK(w.t, err)
	return string(m.Wish) + " " + w.colour(m.Cover, 320)
}

// portraitOf is the strongest colour of the portrait of an account.
func (w *world) portraitOf(by sandlot.Caller) string {
	w.t.Helper()
	a, err := w.DB.Publish().Account(w.t.Context(), by.Account())
	expect.OK(w.t, err)
	return w.colour(a.Portrait, 96)
}

func (w *world) colour(id sandlot.PictureID, width int) string {
	w.t.Helper()
	if id == "" {
		return "none"
	}
	b, err := w.Covers.Picture(w.t.Context(), testworld.Nobody(), id, width)
	expect.OK(w.t, err)
	img, _, err := image.Decode(bytes.NewReader(b))
	expect.OK(w.t, err)
	r, g, bl, _ := img.At(9, 9).RGBA()
	return map[uint32]string{r: "red", g: "green", bl: "blue"}[max(r, g, bl)]
}

// shown makes a project with a cover, and an account with a portrait.
func (w *world) shown() (by sandlot.Caller, id sandlot.ProjectID) {
	w.t.Helper()
	by = w.account()
	id = w.history(by)
	own := w.OwnerOf(by.Account())
	expect.OK(w.t, w.Covers.Upload(w.t.Context(), own, id, strings.NewReader(red)))
	expect.OK(w.t, w.Covers.SetPortrait(w.t.Context(), own, strings.NewReader(blue)))
	return by, id
}

func TestThePicturesOfAnExportComeIn(t *testing.T) {
	t.Parallel()
	for name, sets := range map[string][2]testworld.Option{"between SQLite and the full set": {testworld.Embedded(), testworld.Full()}, "from the full set to SQLite": {testworld.Full(), testworld.Embedded()}} {
		t.Run(name, func(t *testing.T) {
			from, to := newWorld(t, sets[0]), newWorld(t, sets[1])
			by, _ := from.shown()
			bare := from.history(by)
			to.Clock.Move(48 * time.Hour)
			me := to.account()
			report, err := to.imports(me, from.export(by, true))
			expect.OK(t, err)
			if len(report.Projects) != 2 || len(report.Projects[0].Adopted.Warnings)+len(report.Projects[1].Adopted.Warnings) > 0 {
				t.Fatalf("%+v", report)
			}
			for _, o := range report.Projects {
				want := "upload red"
				if o.From == string(bare) {
					want = " none"
				}
				expect.Equal(t, "the cover", to.coverOf(me, o.Adopted.Project.ID), want)
			}
			expect.Equal(t, "the portrait", to.portraitOf(me), "blue")
			third := from.account()
			again, err := from.imports(third, to.export(me, true))
			expect.OK(t, err)
			var shown []string
			for _, o := range again.Projects {
				shown = append(shown, from.coverOf(third, o.Adopted.Project.ID))
			}
			slices.Sort(shown)
			expect.Same(t, "the covers after another import", shown, []string{" none", "upload red"})
		})
	}
}

// pictured is an export of a project, and perhaps an account, with pictures at places of the archive.
func pictured(t *testing.T, cover, portrait obj, files ...string) []byte {
	m := one(func(p obj) {
		if cover != nil {
			p["cover"] = cover
		}
	})
	if portrait != nil {
		m["account"] = obj{"handle": "merry-otter", "portrait": portrait}
	}
	return pack(t, m, append([]string{"sky-abc123/index.html", page}, files...)...)
}

func at(path, text string) obj { return fileAt(path, path, text) }

// header is a PNG that says it has so many pixels, and has none.
func header(w, h uint32, depth byte) string {
	ihdr := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	ihdr = append(binary.BigEndian.AppendUint32(ihdr, h), depth, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), ihdr...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(ihdr)))
}

// TestAHostilePictureOfAnExportIsLeftOutAlone: none keeps its project, or an account's, from coming in, whatever it is.
func TestAHostilePictureOfAnExportIsLeftOutAlone(t *testing.T) {
	t.Parallel()
	const where = "sky-abc123.cover.png"
	forged := at(where, red)
	forged["sha256"] = sum(blue)
	unsaid := at(where, red)
	delete(unsaid, "sha256")
	for name, c := range map[string]struct {
		sent string
		of   obj
		says string
	}{
		"a page":                    {"<!doctype html><script>alert(1)</script>", nil, "not a picture"},
		"an SVG":                    {`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`, nil, "SVG"},
		"a GIF":                     {"GIF89a=1;alert(1)//", nil, "GIF"},
		"a movie":                   {"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", nil, "MP4"},
		"a WebP that moves":         {"RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x0f\x00\x00\x0f\x00\x00", nil, "that moves"},
		"50,000 by 50,000":          {header(50_000, 50_000, 8), nil, "50000 by 50000 pixels"},
		"too much memory":           {header(4_000, 3_000, 16), nil, "too much memory"},
		"17 MiB":                    {red + strings.Repeat("\x00", 17<<20), nil, "more than 16 MB"},
		"cut short":                 {red[:len(red)-30], nil, "cannot be read to its end"},
		"nothing":                   {"", nil, "not a picture"},
		"other bytes than it says":  {red, forged, "other bytes than the manifest says"},
		"no hash":                   {red, unsaid, "no SHA-256"},
		"one that is not there":     {red, at("elsewhere.png", red), `lacks the file "elsewhere.png"`},
		"one out of the archive":    {red, at("../../etc/passwd", red), "cannot be used"},
		"one at the project's page": {red, at("sky-abc123/index.html", page), "not a picture"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, testworld.Embedded())
			w.in = transfer.New(transfer.Config{Projects: w.Publish, Contents: w.Publish.Contents, Pictures: w.Covers, Temporary: t.TempDir(), MaxFile: 32 << 20})
			if c.of == nil {
				c.of = at(where, c.sent)
			}
			data, me := pictured(t, c.of, c.of, where, c.sent), w.account()
			dry, err := w.imports(me, data, func(in *transfer.Input) { in.DryRun = true })
			expect.OK(t, err)
			report, err := w.imports(me, data)
			expect.OK(t, err)
			for _, r := range []transfer.Report{dry, report} {
				said := [][]sandlot.Warning{r.Projects[0].Adopted.Warnings, r.Warnings}
				for i, what := range []string{"The cover was left out. ", "The portrait was left out. "} {
					last := len(said[i]) - 1
					if last < 0 || said[i][last].Code != "picture_left_out" || !strings.HasPrefix(said[i][last].Message, what) || !strings.Contains(said[i][last].Message, c.says) {
						t.Errorf("dry %v: %+v", r.DryRun, said[i])
					}
				}
			}
			if report.Projects[0].Refused != nil {
				t.Fatalf("%v", report.Projects[0].Refused)
			}
			expect.Equal(t, "the cover", w.coverOf(me, report.Projects[0].Adopted.Project.ID), " none")
			expect.Equal(t, "the portrait", w.portraitOf(me), "none")
		})
	}
}

func TestWhatAnOwnerHasChosenStaysWhenTheSameImportComesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	from, _ := w.shown()
	data, me := w.export(from, false), w.account()
	own := w.OwnerOf(me.Account())
	expect.OK(t, w.Covers.SetPortrait(t.Context(), own, strings.NewReader(green)))
	keyed := func(in *transfer.Input) { in.Idempotency = "once" }
	run := func() (sandlot.ProjectID, string) {
		t.Helper()
		report, err := w.imports(me, data, keyed)
		expect.OK(t, err)
		o := report.Projects[0]
		if o.Refused != nil || len(o.Adopted.Warnings) > 0 {
			t.Errorf("%+v", o)
		}
		return o.Adopted.Project.ID, fmt.Sprint(report.Warnings)
	}
	id, said := run()
	expect.Equal(t, "the cover", w.coverOf(me, id), "upload red")
	if w.portraitOf(me) != "green" || !strings.Contains(said, "The account has one, which stays.") {
		t.Errorf("the portrait is %s: %s", w.portraitOf(me), said)
	}
	w.Unchanged(t, func() { run() })
	expect.OK(t, w.Covers.Upload(t.Context(), own, id, strings.NewReader(blue)))
	run()
	expect.Equal(t, "the cover that was sent then", w.coverOf(me, id), "upload blue")
	expect.OK(t, w.Covers.ChooseNone(t.Context(), own, id))
	run()
	expect.Equal(t, "where none is wished", w.coverOf(me, id), "none none")
}

func TestADryRunOfPicturesStoresNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	from, _ := w.shown()
	data, me := w.export(from, true), w.account()
	blobs := w.BlobsOnDisk()
	w.Unchanged(t, func() {
		report, err := w.imports(me, data, func(in *transfer.Input) { in.DryRun = true })
		expect.OK(t, err)
		if o := report.Projects[0]; o.Refused != nil || len(o.Adopted.Warnings)+len(report.Warnings) > 1 {
			t.Errorf("%+v, %+v", o, report.Warnings)
		}
	})
	expect.Equal(t, "blobs", w.BlobsOnDisk(), blobs)
}

func TestTheOperatorsImportBringsPictures(t *testing.T) {
	t.Parallel()
	from, w := newWorld(t, testworld.Embedded()), newWorld(t, testworld.Embedded())
	me, _ := from.shown()
	data, to := from.export(me, true), w.account()
	report, err := w.in.Import(t.Context(), sandlot.AsOperator("grace"), transfer.Input{Account: to.Account(), Stored: io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))})
	expect.OK(t, err)
	expect.Equal(t, "the cover", w.coverOf(to, report.Projects[0].Adopted.Project.ID), string(cover.Uploaded)+" red")
	expect.Equal(t, "the portrait", w.portraitOf(to), "blue")
}

// TestPicturesCostWhatTheyBring: what a picture has when it is unpacked counts, and one for which nothing is left is left out.
func TestPicturesCostWhatTheyBring(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testworld.Embedded())
	me, spent, most := w.account(), 0, 1<<30
	charge := func(in *transfer.Input) {
		spent = 0
		in.Charge = func(n int) error {
			if spent += n; spent > most {
				return sandlot.Refuse(sandlot.CodeRateLimited, "Too many bytes.")
			}
			return nil
		}
	}
	_, err := w.imports(me, pictured(t, nil, nil), charge)
	expect.OK(t, err)
	bare := spent
	large := red + strings.Repeat("\x00", 3<<20)
	data := pictured(t, at("c.png", large), nil, "c.png", large)
	report, err := w.imports(me, data, charge)
	expect.OK(t, err)
	if cost := spent - bare; cost < 3<<20 || len(report.Projects[0].Adopted.Warnings) > 0 {
		t.Errorf("3 MiB cost %d: %+v", cost, report.Projects[0].Adopted.Warnings)
	}
	most = bare + 2<<20
	report, err = w.imports(me, data, charge)
	expect.OK(t, err)
	if o := report.Projects[0]; o.Refused != nil || len(o.Adopted.Warnings) != 1 || !strings.Contains(o.Adopted.Warnings[0].Message, "Too many bytes.") {
		t.Errorf("%+v", o)
	}
}
