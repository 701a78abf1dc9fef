package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sandlot/internal/client/client"
)

// A delivery is one call of publish or update, with the files that it brings.
type delivery struct {
	call    string // "publish" or "update"
	fields  client.Fields
	tree    *tree
	many    bool // whether the files keep their own names
	replace bool // whether the project is to have these files and no others
}

// single reports whether one file goes as one file, without an archive around it. A primary file is only taken with an archive.
func (d delivery) single() bool {
	return len(d.tree.files) == 1 && !d.replace && (!d.many || d.call == "update" && d.fields.PrimaryFile == "")
}

// wholeMax is the most that goes in one call, in bytes: what is broken off is lost, and that much is soon sent again.
const wholeMax = 8 << 20

// packedName is the name of the archive of a delivery.
const packedName = "files.tar.zst"

// send delivers files, once, however often it takes. The caller ends it with delivered.
func (s *session) send(ctx context.Context, w work, d delivery) (a client.Answer, err error) {
	if err := d.fits(); err != nil {
		return a, err
	}
	now, err := s.begin(w.place, d)
	if err != nil {
		return a, err
	}
	if d.fields.IdempotencyKey = now.Key; now.Caller == "" {
		s.Key = "" // with a key it would be another call
	}
	switch {
	case d.single() && d.tree.size <= wholeMax:
		a, err = s.sendFile(ctx, d)
	case d.single():
		a, err = s.sendLarge(ctx, d, now)
	case d.tree.size <= wholeMax:
		a, err = s.sendArchive(ctx, d)
	default:
		a, err = s.sendPacked(ctx, d, now)
	}
	return a, s.explain(ctx, err)
}

// fileMost is how many bytes a file of an archive may have at any server. One that goes as one file may have more.
const fileMost = 104_857_600

// literal makes of a path what a rule of rulesFile takes for it alone.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// fits refuses files of which a server would say, after all were sent, that one is too large.
func (d delivery) fits() error {
	for _, f := range d.tree.files {
		if f.size > fileMost && !d.single() {
			return &Failure{
				Message: fmt.Sprintf("%s has %d bytes, and a file of a folder has at most %d; nothing was sent", clean(f.path), f.size, fileMost),
				Notes:   []string{"Make it smaller, or split it, or leave it out:"},
				Fix:     []string{`printf '\n%s\n' ` + command("/"+literal.Replace(f.path)) + " >>" + command(filepath.Join(d.tree.root.Name(), rulesFile))},
				Exit:    ExitContent,
			}
		}
	}
	return nil
}

// digest is that of everything that makes the delivery what it is.
func (d delivery) digest(server string) (string, error) {
	var files []string
	for _, f := range d.tree.files {
		files = append(files, f.name, f.sha256)
	}
	text, err := json.Marshal([]any{server, d.call, d.fields, d.many, d.replace, files})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// sendFile sends one file, as it is.
func (s *session) sendFile(ctx context.Context, d delivery) (client.Answer, error) {
	f := d.tree.files[0]
	fields := d.ofFile(f)
	return s.sendForm(ctx, d.call, fields, func() (io.ReadCloser, error) { return d.tree.root.Open(f.path) }, client.Part{Field: "content", Size: f.size})
}

// ofFile are the fields of a call that brings one file. The server compares what comes with what was listed.
func (d delivery) ofFile(f localFile) client.Fields {
	fields := d.fields
	if fields.SHA256, fields.Size = f.sha256, f.size; d.call == "update" {
		fields.Filename = f.name
	}
	return fields
}

// sendArchive sends files as an archive that is made on the way.
func (s *session) sendArchive(ctx context.Context, d delivery) (client.Answer, error) {
	fields := d.ofArchive()
	return s.sendForm(ctx, d.call, fields, func() (io.ReadCloser, error) { return d.tree.packed(), nil }, client.Part{Field: "archive", Name: packedName})
}

func (d delivery) ofArchive() client.Fields {
	fields := d.fields
	fields.ArchiveFormat, fields.Replace = packFormat, d.replace
	return fields
}

// sendForm makes one call, as often as it takes; open yields its bytes from their beginning.
func (s *session) sendForm(ctx context.Context, call string, f client.Fields, open func() (io.ReadCloser, error), p client.Part) (a client.Answer, err error) {
	err = s.call(ctx, func() error {
		bytes, err := open()
		if err != nil {
			return err
		}
		defer bytes.Close()
		p.Bytes = bytes
		r, err := client.Form(call, f, p)
		if err != nil {
			return err
		}
		a, err = s.Send(ctx, r)
		return err
	})
	return a, err
}

// sendLarge sends one file in parts.
func (s *session) sendLarge(ctx context.Context, d delivery, now pending) (client.Answer, error) {
	f := d.tree.files[0]
	file, err := d.tree.root.Open(f.path)
	if err != nil {
		return client.Answer{}, err
	}
	defer file.Close()
	return s.upload(ctx, upload{call: d.call, id: now.Upload, first: d.ofFile(f), bytes: file, size: f.size})
}

// sendPacked packs files into a temporary archive and sends it, in parts if it is large. A later run makes the same bytes again, and
// sends the parts that are missing.
func (s *session) sendPacked(ctx context.Context, d delivery, now pending) (a client.Answer, err error) {
	file, err := os.CreateTemp("", "sandlot-*.tar.zst")
	if err != nil {
		return a, err
	}
	_ = os.Remove(file.Name()) // so that a kill leaves nothing, where a file that is open can be removed
	defer func() {
		err = errors.Join(err, file.Close())
		_ = os.Remove(file.Name())
	}()
	h := sha256.New()
	if err := d.tree.pack(io.MultiWriter(file, h)); err != nil {
		return a, err
	}
	size, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return a, err
	}
	first := d.ofArchive()
	if size > wholeMax {
		first.SHA256, first.Size = hex.EncodeToString(h.Sum(nil)), size
		return s.upload(ctx, upload{call: d.call, id: now.Upload, first: first, bytes: file, size: size})
	}
	again := func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(file, 0, size)), nil }
	return s.sendForm(ctx, d.call, first, again, client.Part{Field: "archive", Name: packedName, Size: size})
}

// would has the server check a delivery, and tells what it would do. What goes in parts is only looked at here.
func (s *session) would(ctx context.Context, d delivery) (err error) {
	what := "publish"
	if d.call == "update" {
		what = "update " + d.fields.ProjectID
	}
	var a client.Answer
	checked := "not checked by the server, for it would go in parts"
	if d.tree.size <= wholeMax {
		checked = "checked by the server"
		if a, err = s.check(ctx, d); err != nil {
			return err
		}
	}
	s.env.say("would %s at %s with %s, %s, %s; nothing was changed", what, s.server(), plural(len(d.tree.files), "file", "files"), amount(d.tree.size), checked)
	switch {
	case s.quiet && a.JSON != "":
		return s.env.print(true, a.Text)
	case s.quiet:
		return s.unchecked(d.fields.ProjectID, len(d.tree.files), d.tree.size)
	}
	s.env.warn(a.Warnings)
	return nil
}

// unchecked tells a program what would be sent, where the server was not asked.
func (s *session) unchecked(project string, files int, size int64) error {
	text, err := encoded(struct {
		DryRun  bool   `json:"dry_run"`
		Checked bool   `json:"checked"`
		Project string `json:"project_id,omitempty"`
		Files   int    `json:"file_count"`
		Size    int64  `json:"size"`
	}{true, false, project, files, size})
	if err != nil {
		return err
	}
	return s.env.print(true, client.Text{JSON: text})
}

// check makes the call of a delivery as a dry run. A server of an older release would publish it: that one has no list of its
// calls, so it is asked for that first.
func (s *session) check(ctx context.Context, d delivery) (a client.Answer, err error) {
	if err := s.call(ctx, func() error { return s.Calls(ctx) }); err != nil {
		if errors.Is(err, client.Code("not_found")) {
			return a, usage("the server at %s is too old to check without publishing; nothing was sent", s.server())
		}
		return a, s.explain(ctx, err)
	}
	if d.fields.DryRun = true; d.single() {
		a, err = s.sendFile(ctx, d)
	} else {
		a, err = s.sendArchive(ctx, d)
	}
	return a, s.explain(ctx, err)
}
