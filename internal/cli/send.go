package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"sandlot/internal/client"
)

// A delivery is one call of publish or update, with the files that it brings.
type delivery struct {
	call    string // "publish" or "update"
	fields  client.Fields
	tree    *tree
	many    bool // whether the files keep their own names
	replace bool // whether the project is to have these files and no others
}

// single reports whether one file goes as one file, without an archive around it.
func (d delivery) single() bool {
	return len(d.tree.files) == 1 && !d.replace && (d.call == "update" || !d.many)
}

// pending is what is kept of a delivery until it has arrived. The same delivery goes on with it; another one begins anew.
type pending struct {
	Digest string `json:"digest"`          // of all that the delivery says
	Key    string `json:"idempotency_key"` // so that it has one effect
	Keyed  bool   `json:"keyed"`           // whether it was begun with a key
	Upload string `json:"upload_id"`
}

// send delivers files, once, however often it takes.
func (s *session) send(ctx context.Context, w work, d delivery) (a client.Answer, err error) {
	before, err := s.begin(w, d)
	if err != nil {
		return a, err
	}
	if d.fields.IdempotencyKey = before.Key; !before.Keyed {
		s.Key = "" // with a key it would be another call
	}
	if d.single() {
		a, err = s.sendFile(ctx, d, d.tree.files[0])
	} else {
		return a, usage("a folder cannot be sent yet")
	}
	if err != nil {
		return a, s.explain(ctx, err)
	}
	return a, w.place.drop(pendingFile)
}

// begin finds what is left of the same delivery, or notes down that it begins.
func (s *session) begin(w work, d delivery) (pending, error) {
	digest, err := d.digest(s.server())
	if err != nil {
		return pending{}, err
	}
	var before pending
	if text, err := readSmall(w.place.path(pendingFile)); err == nil && json.Unmarshal(text, &before) == nil && before.Digest == digest {
		return before, nil
	}
	now := pending{Digest: digest, Key: s.env.Random(), Keyed: s.Key != "", Upload: s.env.Random()}
	if d.call == "update" && w.place.state.ID == "" {
		return now, nil // a folder that is no project's is left alone; only a first publish brings keys that could be lost
	}
	if err := w.place.prepare(); err != nil {
		return now, err
	}
	return now, w.place.save(pendingFile, now)
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
func (s *session) sendFile(ctx context.Context, d delivery, f localFile) (a client.Answer, err error) {
	fields := d.fields
	fields.SHA256, fields.Size = f.sha256, f.size
	if d.call == "update" {
		fields.Filename = f.name
	}
	err = s.call(ctx, func() error {
		file, err := d.tree.root.Open(f.path)
		if err != nil {
			return err
		}
		defer file.Close()
		r, err := client.Form(d.call, fields, client.Part{Field: "content", Bytes: file, Size: f.size})
		if err != nil {
			return err
		}
		a, err = s.Send(ctx, r)
		return err
	})
	return a, err
}

// would tells what a delivery would do.
func (s *session) would(_ context.Context, d delivery) error {
	what := "publish"
	if d.call == "update" {
		what = "update " + d.fields.ProjectID
	}
	s.env.say("would %s at %s with %s, %s; nothing was sent", what, s.server(), plural(len(d.tree.files), "file", "files"), amount(d.tree.size))
	return nil
}
