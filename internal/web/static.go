package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// An asset is a file of our own that pages load.
type asset struct {
	bytes       []byte
	contentType string
	hash        string // of the bytes: a page names it, so that browsers keep a file for ever and see a new one at once
}

// openAssets reads static. The style sheet is sent as one file.
func openAssets() map[string]asset {
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
	out["site.css"] = newAsset("site.css", css.Bytes())
	return out
}

func newAsset(name string, data []byte) asset {
	sum := sha256.Sum256(data)
	return asset{data, mime.TypeByExtension(path.Ext(name)), base64.RawURLEncoding.EncodeToString(sum[:9])}
}

// assetURL is the address under which pages load a file of static.
func (p *Pages) assetURL(name string) string { return "/static/" + name + "?v=" + p.assets[name].hash }

func (p *Pages) static(v *visit) error {
	a, ok := p.assets[v.r.PathValue("file")]
	if !ok {
		return p.missing(v)
	}
	h := v.w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("ETag", `"`+a.hash+`"`)
	h.Set("Cache-Control", "no-cache")
	if v.r.URL.Query().Get("v") == a.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if v.r.Header.Get("If-None-Match") == `"`+a.hash+`"` {
		v.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Length", strconv.Itoa(len(a.bytes)))
	if v.r.Method != http.MethodHead {
		_, _ = v.w.Write(a.bytes) // the browser is gone if this fails
	}
	return nil
}
