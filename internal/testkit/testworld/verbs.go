package testworld

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

// Address is the e-mail address of who publishes as nobody.
const Address = "ada@mail.internal"

// Network is where the calls of a world come from.
const Network = "192.0.2.1"

// Stage is content as a transport hands it over.
func (w *World) Stage(text string) publish.Content {
	w.t.Helper()
	return w.StageOn(w.Publish, text)
}

// StageOn is Stage on another Service.
func (w *World) StageOn(s *publish.Service, text string) publish.Content {
	w.t.Helper()
	c, err := s.Contents.Stage(w.t.Context(), strings.NewReader(text))
	expect.OK(w.t, err)
	return c
}

// Nobody is a caller without a key.
func Nobody() sandlot.Caller { return sandlot.Caller{From: sandlot.Sender{Network: Network}} }

// CallerOf returns the caller of a key.
func (w *World) CallerOf(key sandlot.Secret) sandlot.Caller {
	w.t.Helper()
	by, err := w.Callers.Identify(w.t.Context(), sandlot.Presented{Key: key}, sandlot.Sender{Network: Network})
	expect.OK(w.t, err)
	return by
}

// Grants returns the grants of programs that the owner of an account sees.
func (w *World) Grants(owner sandlot.Caller) []sandlot.Key {
	w.t.Helper()
	keys, _, err := w.Publish.Keyring.Keys(w.t.Context(), owner, 0)
	expect.OK(w.t, err)
	return slices.DeleteFunc(keys, func(k sandlot.Key) bool { return k.Client == "" })
}

// OwnerOf returns the caller of a login to an account.
func (w *World) OwnerOf(id sandlot.AccountID) sandlot.Caller {
	w.t.Helper()
	token, now := rand.Text(), w.now()
	s := sandlot.Session{Account: id, CreatedAt: now, ProvedAt: now, SeenAt: now, ExpiresAt: now.Add(24 * time.Hour)}
	_, err := w.DB.Account().AddSession(w.t.Context(), sha256.Sum256([]byte(token)), s)
	expect.OK(w.t, err)
	by, err := w.Callers.Identify(w.t.Context(), sandlot.Presented{Session: token}, sandlot.Sender{Network: Network})
	expect.OK(w.t, err)
	return by
}

// NewAccount is the caller with the key of a new account, which has no address.
func (w *World) NewAccount() sandlot.Caller {
	w.t.Helper()
	out, err := w.Publish.Signup(w.t.Context(), Nobody(), publish.SignupInput{})
	expect.OK(w.t, err)
	return w.CallerOf(out.Key)
}

// Owned is a new account with a verified address, its key and a project.
func (w *World) Owned(email, text string) (sandlot.Account, sandlot.Caller, sandlot.Project) {
	w.t.Helper()
	out, err := w.Publish.Signup(w.t.Context(), Nobody(), publish.SignupInput{Email: email})
	expect.OK(w.t, err)
	for _, token := range w.VerifyTokens() {
		if out.Account, err = w.Account.Verify(w.t.Context(), Nobody(), token); err != nil {
			w.t.Fatal(err)
		}
	}
	by := w.CallerOf(out.Key)
	return out.Account, by, w.PublishPage(by, text).Project
}

// PublishPage publishes a page; nobody does so with Address.
func (w *World) PublishPage(by sandlot.Caller, text string) publish.Published {
	w.t.Helper()
	in := publish.PublishInput{Content: w.Stage(text)}
	if by.Nobody() {
		in.Email = Address
	}
	out, pending, err := w.Publish.Publish(w.t.Context(), by, in)
	if err != nil || pending != nil {
		w.t.Fatalf("publish: %v, %v", pending, err)
	}
	return out
}

// PutFile updates a file.
func (w *World) PutFile(by sandlot.Caller, id sandlot.ProjectID, name, text string) publish.Updated {
	w.t.Helper()
	out, pending, err := w.Publish.Update(w.t.Context(), by,
		publish.UpdateInput{Project: string(id), Filename: name, Content: w.Stage(text)})
	if err != nil || pending != nil {
		w.t.Fatalf("update: %v, %v", pending, err)
	}
	return out
}

// HoldFields makes a version of a project that is held by the rule fields, as if its pages requested secrets.
func HoldFields(w *World, id sandlot.ProjectID) sandlot.Project {
	w.t.Helper()
	store := w.Served.Publish()
	p, err := store.Project(w.t.Context(), id)
	expect.OK(w.t, err)
	p, err = store.Rearrange(w.t.Context(), id, publish.Change{}, publish.Edit{
		At: w.now(), Expect: p.Version, Suffix: fmt.Sprintf("%010d", p.Version+1), Screened: publish.Screened{Hold: sandlot.HeldFields},
	})
	expect.OK(w.t, err)
	return p
}

// Text is what a version has under a name, read as the content origin reads it, or "no " and the name.
func (w *World) Text(id sandlot.ProjectID, version int, name string) string {
	w.t.Helper()
	files, err := w.Publish.Contents.Files(w.t.Context(), id, version)
	expect.OK(w.t, err)
	for _, f := range files {
		if f.Name == name {
			return w.Bytes(f.Blob)
		}
	}
	return "no " + name
}

// Bytes is a blob, read whole.
func (w *World) Bytes(b sandlot.Blob) string {
	w.t.Helper()
	r, err := w.Publish.Contents.Open(w.t.Context(), b, 0, -1)
	expect.OK(w.t, err)
	defer r.Close()
	var data strings.Builder
	data.Grow(int(b.Size))
	_, err = io.Copy(&data, r)
	expect.OK(w.t, err)
	return data.String()
}

// post is the mail of a world.
type post struct {
	w     *World
	Mails []account.Mail // that SendMail sent
}

// Send implements account.Mailer: it keeps the message in Mails.
func (p *post) Send(_ context.Context, m account.Mail) error {
	p.Mails = append(p.Mails, m)
	return nil
}

// SendMail sends the messages that are due, one after the other, to Mails.
func (p *post) SendMail() {
	p.w.t.Helper()
	c := &account.Courier{
		Store: p.w.DB.Mail(), Vault: p.w.Vault(), Mailer: p, Places: p.w.Config.Places, Log: slog.New(slog.DiscardHandler),
		Now: p.w.now, AtOnce: 1,
	}
	expect.OK(p.w.t, c.SendDue(p.w.t.Context()))
}

// Due sends the messages that are due, and returns them alone.
func (p *post) Due() []account.Mail {
	p.w.t.Helper()
	before := len(p.Mails)
	p.SendMail()
	return slices.Clone(p.Mails[before:])
}

// VerifyTokens sends the messages that are due, which must all lead to where an address is verified, and returns their tokens.
func (p *post) VerifyTokens() (tokens []string) {
	p.w.t.Helper()
	for _, m := range p.Due() {
		u, err := url.Parse(m.Link)
		if err != nil || !strings.HasPrefix(m.Link, "http://localhost:8080/verify?") {
			p.w.t.Fatalf("link %q, %v", m.Link, err)
		}
		tokens = append(tokens, u.Query().Get("token"))
	}
	return tokens
}

// Email returns the account's address as whoami has it.
func (w *World) Email(by sandlot.Caller) (address string, verified bool) {
	w.t.Helper()
	who, err := w.Publish.Reader.Whoami(w.t.Context(), by, 1, "")
	expect.OK(w.t, err)
	return who.Account.Email, who.Account.EmailVerified
}

// Token sends the messages that are due, and returns the token of the last message that leads to the path, such as "/verify".
func (p *post) Token(path string) (token string) {
	p.w.t.Helper()
	p.SendMail()
	for _, m := range p.Mails {
		u, err := url.Parse(m.Link)
		expect.OK(p.w.t, err)
		if u.Path == path {
			token = u.Query().Get("token")
		}
	}
	if token == "" {
		p.w.t.Fatalf("no message leads to %s", path)
	}
	return token
}

// A File is a file with its staged bytes.
type File struct {
	Name    string
	Content publish.Content
}

// PutFiles sends files by a form of the website, as one version.
func PutFiles(ctx context.Context, s *publish.Service, by sandlot.Caller, id sandlot.ProjectID, files []File, form publish.Form) error {
	tree := s.Contents.NewTree(nil)
	for i, f := range files {
		if err := tree.Put(ctx, f.Name, publish.Declared{}, f.Content); err != nil {
			for _, rest := range files[i:] {
				s.Contents.Discard(ctx, rest.Content)
			}
			s.Contents.DiscardTree(ctx, tree)
			return err
		}
	}
	in := publish.UpdateInput{Project: string(id), Many: publish.Many{Tree: tree}, FormToken: form.Token, Force: true}
	if form.Seen != 0 {
		in.IfVersion = &form.Seen
	}
	_, _, err := s.Update(ctx, by, in)
	return err
}
