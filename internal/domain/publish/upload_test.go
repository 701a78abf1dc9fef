package publish_test

import (
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

const (
	longID  = "0123456789abcdefghijkl"
	shortID = "upload-1"
)

// part is the n-th call of a chunked publish.
type part struct {
	id       string
	n        int // 0: has the total alone
	total    int
	last     bool
	text     string
	encoding string
	title    string
	handle   string
	email    string
	declared publish.Declared
}

func (p part) input() *publish.PartInput {
	in := &publish.PartInput{UploadID: p.id, Last: p.last, Encoding: p.encoding}
	if p.n != 0 {
		in.N = &p.n
	}
	if p.total != 0 {
		in.Total = &p.total
	}
	return in
}

func (w *world) content(p part) publish.Content {
	if p.n == 0 && p.text == "" {
		return missing
	}
	return w.stage(p.text)
}

// send makes a call of a chunked publish.
func (w *world) send(by sandlot.Caller, p part) (publish.Published, *publish.Pending, error) {
	w.t.Helper()
	in := publish.PublishInput{Title: p.title, Handle: p.handle, Email: p.email, Content: w.content(p), Declared: p.declared, Part: p.input()}
	return w.Publish(w.t.Context(), by, in)
}

// waits sends a part that does not complete the upload.
func (w *world) waits(by sandlot.Caller, p part) *publish.Pending {
	w.t.Helper()
	out, pending, err := w.send(by, p)
	if err != nil || pending == nil {
		w.t.Fatalf("part %d: %+v, %v", p.n, out.Project.ID, err)
	}
	return pending
}

// completes sends a part that completes the upload, or the same part again.
func (w *world) completes(by sandlot.Caller, p part) publish.Published {
	w.t.Helper()
	out, pending, err := w.send(by, p)
	if err != nil || pending != nil {
		w.t.Fatalf("part %d: %+v, %v", p.n, pending, err)
	}
	return out
}

// long is text that is not kept inline and differs by its name.
func long(name string) string { return "<p>" + name + strings.Repeat(" "+name, inlineMax) }

func TestChunkedPublish(t *testing.T) {
	t.Parallel()
	for name, who := range map[string]struct {
		by func(w *world) sandlot.Caller
		id string
	}{
		"with a key":                     {func(w *world) sandlot.Caller { return w.account() }, shortID},
		"without a key":                  {func(*world) sandlot.Caller { return nobody() }, shortID},
		"with a key and the longest id":  {func(w *world) sandlot.Caller { return w.account() }, strings.Repeat("~", 128)},
		"with a key and a one-letter id": {func(w *world) sandlot.Caller { return w.account() }, "/"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			by := who.by(w)
			first := w.waits(by, part{id: who.id, n: 1, text: page, title: "In parts", email: address})
			expect.Same(t, "after part 1", *first, publish.Pending{UploadID: who.id, Token: first.Token, Received: []int{1}, ReceivedCount: 1, Missing: []int{}, ExpiresAt: w.clock.now().Add(24 * time.Hour), Warnings: first.Warnings})
			third := w.waits(by, part{id: who.id, n: 3, text: long("three"), total: 4})
			expect.Same(t, "after part 3", []any{third.Total, third.Received, third.Missing}, []any{4, []int{1, 3}, []int{2, 4}})
			w.waits(by, part{id: who.id, n: 4, text: "four"})
			out := w.completes(by, part{id: who.id, n: 2, text: long("two")})
			if got, want := w.text(out.Project.ID, 1, "index.html"), page+long("two")+long("three")+"four"; got != want {
				t.Errorf("assembled %d bytes, want %d", len(got), len(want))
			}
			if out.Project.Title != "In parts" || out.Keys.Project == "" || out.Keys.Account == "" || (out.Account != nil) != by.Nobody() {
				t.Errorf("%+v", out.Project)
			}
			if by.Nobody() && out.Account.Email != address {
				t.Errorf("account %+v", out.Account)
			}
			t.Run("the completing part sent again gets the full answer again, with the same keys", func(t *testing.T) {
				w.unchanged(t, func() {
					again := w.completes(by, part{id: who.id, n: 2, text: long("two")})
					if again.Keys != out.Keys {
						t.Error("other keys")
					}
					if again.Project.ID != out.Project.ID || again.Addresses != out.Addresses || again.File.Blob.SHA256 != out.File.Blob.SHA256 || (again.Account != nil) != by.Nobody() {
						t.Errorf("%+v", again)
					}
				})
			})
			t.Run("another part, or other bytes, get 409 with the project's address", func(t *testing.T) {
				for _, p := range []part{{id: who.id, n: 3, text: long("three")}, {id: who.id, n: 2, text: "two"}, {id: who.id, n: 1, text: page, email: address}, {id: who.id, total: 4}} {
					w.unchanged(t, func() {
						_, _, err := w.send(by, p)
						e := refused(t, err, sandlot.CodeUploadCompleted)
						expect.Same(t, "details", e.Details, []sandlot.Detail{{Name: "project_id", Value: string(out.Project.ID)}, {Name: "url", Value: out.Addresses.URL}, {Name: "version", Value: 1}})
					})
				}
			})
			t.Run("the keys of the first answer work", func(t *testing.T) {
				w.put(w.caller(out.Keys.Account), out.Project.ID, "a", "x")
				w.put(w.caller(out.Keys.Project), out.Project.ID, "b", "x")
			})
			t.Run("the answer stays that of version 1", func(t *testing.T) {
				again := w.completes(by, part{id: who.id, n: 2, text: long("two")})
				if again.Project.Version != 1 || again.Project.FileCount != 1 || again.Project.Size != out.Project.Size || again.Addresses != out.Addresses {
					t.Errorf("%+v", again.Project)
				}
			})
			t.Run("after 24 hours there is no such upload", func(t *testing.T) {
				w.clock.move(24 * time.Hour)
				_, _, err := w.send(by, part{id: who.id, n: 2, text: long("two")})
				refused(t, err, sandlot.CodePart1First)
			})
		})
	}
}

func TestUploadRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	w.waits(by, part{id: "open", n: 1, text: long("one"), total: 3})
	w.waits(by, part{id: "untold", n: 1, text: long("one")})
	w.waits(by, part{id: "untold", n: 5, text: long("five")})
	w.waits(nobody(), part{id: shortID, n: 1, text: long("one"), email: address})
	tests := []struct {
		name string
		by   sandlot.Caller
		p    part
		code sandlot.Code
	}{
		{"row 59: part -1", by, part{id: "x", n: -1, text: long("x")}, sandlot.CodeInvalidField},
		{"row 59: part 10,001", by, part{id: "x", n: 10_001, text: long("x")}, sandlot.CodeInvalidField},
		{"row 59: part a billion", by, part{id: "x", n: 1e9, text: long("x")}, sandlot.CodeInvalidField},
		{"row 60: part without upload_id", by, part{n: 1, text: long("x")}, sandlot.CodeMissingField},
		{"row 60: upload_id alone", by, part{id: "open"}, sandlot.CodeMissingField},
		{"row 60: content without part", by, part{id: "open", total: 3, text: long("x")}, sandlot.CodeMissingField},
		{"last without part", by, part{id: "open", total: 3, last: true}, sandlot.CodeMissingField},
		{"row 61: part 2 before part 1", by, part{id: "x", n: 2, text: long("x")}, sandlot.CodePart1First},
		{"row 61: a total before part 1", by, part{id: "x", total: 2}, sandlot.CodePart1First},
		{"row 61: part 2 of a long id nobody has begun", nobody(), part{id: longID, n: 2, text: long("x")}, sandlot.CodePart1First},
		{"row 65: part 2 of another account's upload", w.account(), part{id: "open", n: 2, text: long("x")}, sandlot.CodePart1First},
		{"row 65: part 2 of an account's upload without its key", nobody(), part{id: "open", n: 2, text: long("x")}, sandlot.CodePart1First},
		{"part 2 of another network's upload", sandlot.Caller{From: sandlot.Sender{Network: "192.0.2.2"}}, part{id: shortID, n: 2, text: long("x")}, sandlot.CodePart1First},
		{"row 63: part 1 again by the network, other bytes", nobody(), part{id: shortID, n: 1, text: long("x"), email: address}, sandlot.CodeUploadExists},
		{"row 67: total 3, then 5", by, part{id: "open", n: 2, total: 5, text: long("x")}, sandlot.CodePartOutOfRange},
		{"row 67: total 3, then 5 alone", by, part{id: "open", total: 5}, sandlot.CodePartOutOfRange},
		{"row 67: part 4 of 3", by, part{id: "open", n: 4, text: long("x")}, sandlot.CodePartOutOfRange},
		{"row 67: total -1", by, part{id: "open", n: 2, total: -1, text: long("x")}, sandlot.CodeInvalidField},
		{"row 67: total 10,001", by, part{id: "open", n: 2, total: 10_001, text: long("x")}, sandlot.CodeInvalidField},
		{"a last part that is not the total", by, part{id: "open", n: 2, last: true, text: long("x")}, sandlot.CodePartOutOfRange},
		{"a last part that contradicts its own total", by, part{id: "untold", n: 6, total: 7, last: true, text: long("x")}, sandlot.CodePartOutOfRange},
		{"a total below a part that came", by, part{id: "untold", total: 4}, sandlot.CodePartOutOfRange},
		{"a last part below one that came", by, part{id: "untold", n: 4, last: true, text: long("x")}, sandlot.CodePartOutOfRange},
		{"row 69: upload_id empty", by, part{n: 1, total: 1, text: long("x")}, sandlot.CodeMissingField},
		{"row 69: upload_id of 129 characters", by, part{id: strings.Repeat("x", 129), n: 1, text: long("x")}, sandlot.CodeInvalidField},
		{"row 69: upload_id of 1 MB", by, part{id: strings.Repeat("x", 1<<20), n: 1, text: long("x")}, sandlot.CodeInvalidField},
		{"row 69: upload_id with NUL", by, part{id: "a\x00b", n: 1, text: long("x")}, sandlot.CodeInvalidField},
		{"upload_id with a blank", by, part{id: "a b", n: 1, text: long("x")}, sandlot.CodeInvalidField},
		{"upload_id beyond ASCII", by, part{id: "é", n: 1, text: long("x")}, sandlot.CodeInvalidField},
		{"row 71: part 1 keyless, no email", nobody(), part{id: longID, n: 1, text: long("x")}, sandlot.CodeEmailRequired},
		{"part 1 with an email that is none", nobody(), part{id: longID, n: 1, email: "a@", text: long("x")}, sandlot.CodeInvalidEmail},
		{"part 1 of 1, empty", by, part{id: "x", n: 1, total: 1}, sandlot.CodeInvalidField},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := w.kept()
			_, pending, err := w.send(tt.by, tt.p)
			e := refused(t, err, tt.code)
			if pending != nil {
				t.Error("it is pending")
			}
			if strings.Contains(e.Message, strings.Repeat("x", 200)) {
				t.Error("the message repeats what was sent")
			}
			if !strings.HasPrefix(tt.name, "part 1 of 1") { // that part was accepted, and can be replaced
				expect.Same(t, "what is kept", w.kept(), before)
			}
		})
	}
	t.Run("row 69: an upload_id that is a path is only a name", func(t *testing.T) {
		w.waits(by, part{id: "../../x", n: 1, text: long("x")})
	})
	t.Run("a part without content", func(t *testing.T) {
		one := 1
		_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: missing, Part: &publish.PartInput{UploadID: "x2", N: &one}})
		refused(t, err, sandlot.CodeMissingField)
	})
	t.Run("a project key", func(t *testing.T) {
		out := w.publish(by, page)
		w.unchanged(t, func() {
			_, _, err := w.send(w.caller(out.Keys.Project), part{id: "open", n: 2, text: long("x")})
			refused(t, err, sandlot.CodeAccountKeyRequired)
		})
	})
}

func TestUploadsArePerAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.account(), w.account()
	w.waits(a, part{id: "same", n: 1, text: "a1", total: 2})
	w.waits(b, part{id: "same", n: 1, text: "b1", total: 2})
	expect.Same(t, "a", w.text(w.completes(a, part{id: "same", n: 2, text: "a2"}).Project.ID, 1, "index.html"), "a1a2")
	expect.Same(t, "b", w.text(w.completes(b, part{id: "same", n: 2, text: "b2"}).Project.ID, 1, "index.html"), "b1b2")
}

func TestOnlyWhoeverCompletedAnUploadGetsItsKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("an upload_id and no bytes prove nothing", func(t *testing.T) {
		for name, last := range map[string]part{"a total alone": {id: "a", total: 2}, "an empty last part": {id: "b", n: 3, last: true}} {
			w.waits(nobody(), part{id: last.id, n: 1, text: page, email: address})
			w.waits(nobody(), part{id: last.id, n: 2, text: long("two")})
			w.completes(nobody(), last)
			t.Run(name, func(t *testing.T) {
				_, _, err := w.send(nobody(), last)
				refused(t, err, sandlot.CodeUploadCompleted)
			})
		}
	})
	t.Run("an upload_token does", func(t *testing.T) {
		by := w.caller(w.waits(nobody(), part{id: longID, n: 1, text: page, email: address}).Token)
		out := w.completes(by, part{id: longID, total: 1})
		if again := w.completes(by, part{id: longID, total: 1}); again.Keys != out.Keys {
			t.Error("other keys")
		}
	})
	t.Run("another key of the account gets 409", func(t *testing.T) {
		by := w.account()
		w.completes(by, part{id: "c", n: 1, total: 1, text: page})
		if again := w.completes(by, part{id: "c", n: 1, total: 1, text: page}); again.Keys.Account == "" {
			t.Error("the same key is refused")
		}
		secret, err := w.RotateKey(t.Context(), w.owner(by.Account()), "form")
		expect.OK(t, err)
		_, _, err = w.send(w.caller(secret), part{id: "c", n: 1, total: 1, text: page})
		refused(t, err, sandlot.CodeUploadCompleted)
	})
}
