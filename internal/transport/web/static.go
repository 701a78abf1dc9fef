package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"strings"
	"sync"

	"sandlot"
	"sandlot/internal/format/mediatype"
)

// An asset is a file of our own that pages load.
type asset struct {
	bytes       []byte
	packed      []byte // the same with gzip, if the type compresses; it contains no secret
	contentType string
	hash        string // of the bytes: its address has it, so that browsers cache a file for ever and see a new one at once
}

// openAssets reads and compresses the static files, once in each process. The style sheet is sent as one file.
var openAssets = sync.OnceValue(func() map[string]asset {
	out := map[string]asset{}
	var css bytes.Buffer
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(name, "static/css/"): // in the order of their names
			css.Write(data)
		default:
			name = strings.TrimPrefix(name, "static/")
			out[name] = newAsset(name, data)
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	sheet := strings.ReplaceAll(css.String(), "url("+face+")", "url("+face+"?v="+out[face].hash+")")
	out["site.css"] = newAsset("site.css", []byte(sheet))
	return out
})

// face is the file of the display face, which pages and the style sheet load from the same address, so that browsers
// load it once.
const face = "tilt-warp.woff2"

func newAsset(name string, data []byte) asset {
	sum := sha256.Sum256(data)
	short := packed(data)
	if !mediatype.Compressible(name) {
		short = nil
	}
	return asset{data, short, mediatype.Of(name, true), base64.RawURLEncoding.EncodeToString(sum[:9])}
}

func packed(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// assetURL returns the address from which pages load a static file.
func assetURL(name string) string { return "/static/" + name + "?v=" + openAssets()[name].hash }

func static(v *visit) error { return sendAsset(v, v.r.PathValue("file")) }

// favicon sends the icon that browsers request by themselves, also for a project in the path form.
func favicon(v *visit) error {
	if len(v.brand.Mark.Bytes) > 0 {
		return sendAsset(v, v.brand.Mark.File())
	}
	return sendAsset(v, "icon.svg")
}

func sendAsset(v *visit, name string) error {
	a, ok := v.own[name]
	if !ok {
		a, ok = openAssets()[name]
	}
	if !ok {
		return sandlot.ErrNotFound
	}
	h := v.w.Header()
	body, tag := a.bytes, a.hash
	if a.packed != nil && takesGzip(v.r.Header.Get("Accept-Encoding")) {
		body, tag = a.packed, a.hash+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	if strings.HasPrefix(name, "mark.") { // of the operator: opened by itself it is a picture, too
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	}
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "no-cache")
	if v.r.URL.Query().Get("v") == a.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if v.unchanged(tag) {
		return nil
	}
	return v.send(a.contentType, body)
}

// takesGzip reports whether a client that accepts these encodings takes gzip, by any weight of one or by none.
func takesGzip(accepted string) bool {
	accepted = strings.ReplaceAll(strings.ToLower(accepted), " ", "")
	return strings.Contains(accepted, "gzip") && !strings.Contains(accepted, "gzip;q=0")
}
