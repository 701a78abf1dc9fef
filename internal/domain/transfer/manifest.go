package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
)

// manifestName is the first entry of an export. No project id has a dot, so the name is free.
const manifestName = "manifest.json"

// newestFormat is the newest format that an import can read.
const newestFormat = 2

// manifest is the content of an export's manifest, with only the changes of each version.
type manifest struct {
	format   int
	projects []project
	portrait *picture
}

type project struct {
	id, title, lang, description, primary string
	tags                                  []string
	unlisted, threads                     bool
	created, updated                      time.Time
	versions                              []version // the oldest first
	files                                 int       // of the current version
	count                                 int       // of versions, also of a project that is refused, which keeps none
	refused                               error     // why it cannot be imported
	cover                                 *picture  // the picture that its owner sent
}

type version struct {
	n        int
	at       time.Time
	title    string
	primary  string
	restored int
	drop     []string
	put      []file
}

type file struct {
	name, path string
	size       int64
	sum        sandlot.Digest
}

// readManifest reads the manifest of an export as it streams: of an export with many versions it is the largest part.
func (s *Service) readManifest(zip *unpack.ZIPFile, charge sandlot.Charge) (m manifest, err error) {
	entry, ok := zip.Find(manifestName)
	if !ok {
		return m, noExport("The archive is no export: it has no %s.", manifestName)
	}
	if entry.Size > maxManifest {
		return m, tooLarge("The manifest of the export has more than %d bytes, which is the limit.", maxManifest)
	}
	err = zip.Read(manifestName, func(_ unpack.Entry, r io.Reader) error {
		d := json.NewDecoder(&short{r: charge.Of(r)})
		p := &parser{d: d, zip: zip, most: s.MaxFiles, m: &manifest{}}
		err := p.read()
		m = *p.m
		if err != nil {
			return err
		}
		if _, err := p.d.Token(); err != io.EOF {
			return unreadable(err)
		}
		return nil
	})
	if err != nil {
		return m, badArchive(err)
	}
	if m.format < 1 || m.format > newestFormat {
		return m, noExport("The export has the format %d, and this service reads the formats 1 to %d.", m.format, newestFormat)
	}
	return m, nil
}

// unreadable refuses a malformed manifest. An error of the archive stays as it is.
func unreadable(err error) error {
	if _, kind := errors.AsType[*json.UnmarshalTypeError](err); kind {
		err = errShape
	}
	_, ofArchive := errors.AsType[*unpack.Error](err)
	_, syntax := errors.AsType[*json.SyntaxError](err)
	switch {
	case ofArchive:
		return err
	case err == nil:
		return noExport("Behind the manifest of the export stands something else.")
	case syntax, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errShape):
		text := inspect.Redact(strings.TrimPrefix(err.Error(), "json: "))
		return noExport("The manifest of the export cannot be read: %s.", text)
	}
	return err
}

var errShape = errors.New("something stands there that no manifest has")

const (
	// maxToken is the longest text, number or gap that is read: the longest of an export is a description.
	maxToken = 64 << 10
	// maxDepth bounds the nesting of objects and lists: those of an export are seven deep.
	maxDepth = 32
)

// A short reader refuses a manifest with a longer token or gap, or deeper nesting, which the decoder would hold in
// memory; it would read a gap again from its beginning with each piece that comes.
type short struct {
	r               io.Reader
	n               int // bytes of the token so far, and of gaps beside it
	depth           int
	within, escaped bool
}

// Read implements io.Reader.
func (s *short) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	for _, c := range p[:n] {
		s.n++
		switch {
		case s.escaped:
			s.escaped = false
		case s.within && c == '\\':
			s.escaped = true
		case c == '"':
			s.within, s.n = !s.within, 0
		case s.within:
		case c == '{' || c == '[':
			s.n = 0
			s.depth++
		case c == '}' || c == ']':
			s.n = 0
			s.depth--
		case c == ',' || c == ':':
			s.n = 0
		}
		if s.depth > maxDepth {
			return 0, unreadable(fmt.Errorf("%w: more than %d objects and lists in each other", errShape, maxDepth))
		}
		if s.n > maxToken {
			return 0, unreadable(fmt.Errorf("%w: a value of more than %d bytes", errShape, maxToken))
		}
	}
	return n, err
}

// importWait is the time after which a client should repeat an import that had to wait for another: most are done by
// then.
const importWait = 5 * time.Second

// noExport refuses an archive as a whole.
func noExport(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidArchive, format, args...).In("archive").With(sandlot.OpExport).
		Note("Send the ZIP of an export as it was downloaded. Nothing was imported. An export is made with:")
}

func tooLarge(format string, limit int64) *sandlot.Error {
	return large(format, limit).Detail("limit", limit)
}

func large(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeContentTooLarge, format, args...).In("archive").With(sandlot.OpNothing).
		Note("Export one project at a time, with its own key, or without earlier versions. Nothing was imported.")
}

// badArchive makes a refusal of an error of package unpack.
func badArchive(err error) error {
	var bad *unpack.Error
	if !errors.As(err, &bad) {
		return err
	}
	switch bad.Reason {
	case unpack.TooMany, unpack.TooLarge, unpack.TotalLarge:
		return large("The archive is too large: %s.", bad.Message).Because(bad)
	}
	if bad.Entry == "" {
		return noExport("The archive cannot be taken: %s.", bad.Message).Because(bad)
	}
	return noExport("The entry %s of the archive cannot be taken: %s.", inspect.Quoted(bad.Entry), bad.Message).Because(bad)
}

// wrong refuses one project of an export.
func wrong(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidArchive, format, args...).In("archive").With(sandlot.OpNothing).
		Note("Export the project again, and send the archive as it was downloaded. Of this project nothing was imported.")
}
