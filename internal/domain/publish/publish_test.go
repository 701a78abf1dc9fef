package publish_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
)

func TestPublishWithoutAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out, pending, err := w.Publish(t.Context(), nobody(), publish.PublishInput{Email: "Ada@mail.internal", Handle: "Ada Lovelace", Title: "My Game", Lang: "pt-br", Content: w.stage(large)})
	if err != nil || pending != nil {
		t.Fatalf("%v, %v", pending, err)
	}
	t.Run("creates an account and publishes the project to it", func(t *testing.T) {
		who, err := w.Whoami(t.Context(), w.caller(out.Keys.Account), publish.DefaultPage, "")
		if err != nil || who.Account.Handle != "ada-lovelace" || len(who.Projects) != 1 || who.Projects[0].Project.ID != out.Project.ID {
			t.Errorf("%+v, %v", who, err)
		}
		if out.Account == nil || out.Account.Handle != "ada-lovelace" || out.Account.EmailVerified || !strings.EqualFold(out.Account.Email, address) {
			t.Errorf("account %+v", out.Account)
		}
	})
	t.Run("the content becomes index.html of version 1", func(t *testing.T) {
		p := out.Project
		if p.Version != 1 || p.Primary != "index.html" || p.FileCount != 1 || p.Size != int64(len(large)) || p.Title != "My Game" || p.Lang != "pt-BR" {
			t.Errorf("project %+v", p)
		}
		expect.Equal(t, "read", w.text(p.ID, 1, "index.html"), large)
		if out.File.Name != "index.html" || out.File.Blob.SHA256 != sha256.Sum256([]byte(large)) {
			t.Errorf("file %+v", out.File)
		}
	})
	t.Run("project_id is the slug of the title and six random characters", func(t *testing.T) {
		if !regexp.MustCompile(`^my-game-[0-9a-hjkmnp-tv-z]{6}$`).MatchString(string(out.Project.ID)) {
			t.Errorf("id %s", out.Project.ID)
		}
	})
	t.Run("the answer tells the addresses", func(t *testing.T) {
		id, at := string(out.Project.ID), out.Addresses
		if at.URL != "http://"+id+".localhost:8080/" || at.Path != "http://localhost:8080/~/"+id+"/" || at.Page != "http://localhost:8080/p/"+id ||
			!regexp.MustCompile(`^http://`+id+`--v1-[0-9a-z]{10}\.localhost:8080/$`).MatchString(at.Version) {
			t.Errorf("addresses %+v", at)
		}
	})
	t.Run("both keys work, and the project key covers its project", func(t *testing.T) {
		if by := w.caller(out.Keys.Account); by.Scoped() || by.Nobody() {
			t.Errorf("account key is %v", by.Key())
		}
		if by := w.caller(out.Keys.Project); !by.Scoped() || by.Key().Project != out.Project.ID {
			t.Errorf("project key is %v", by.Key())
		}
	})
	t.Run("a verification link is enqueued for the address, and none is said to be sent without SMTP", func(t *testing.T) {
		jobs, err := w.db.Mail().ClaimJobs(t.Context(), w.clock.now(), w.clock.now().Add(time.Minute), account.Busy{}, 9)
		if err != nil || len(jobs) != 1 || jobs[0].Address != out.Account.Email || jobs[0].Lang != "pt-BR" || jobs[0].Account != out.Project.Account {
			t.Errorf("jobs %+v, %v", jobs, err)
		}
		if out.Mailed {
			t.Error("it is said to be sent")
		}
		expect.Same(t, "warnings", codes(out.Warnings), []string{"lang_changed", "mail_not_sent"})
	})
	t.Run("survives a restart", func(t *testing.T) {
		again := w.open(publish.Config{Places: local()})
		p, err := again.Reader.Current(t.Context(), nobody(), out.Project.ID)
		if err != nil || p.Version != 1 {
			t.Errorf("%+v, %v", p, err)
		}
		if _, err := w.Identify(t.Context(), sandlot.Presented{Key: out.Keys.Project}, sandlot.Sender{Network: ""}); err != nil {
			t.Error(err)
		}
	})
}

func TestPublishWithAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.publish(nobody(), page)
	by := w.caller(first.Keys.Account)
	second, _, err := w.Publish(t.Context(), by, publish.PublishInput{Handle: "other", Content: w.stage(page)})
	expect.OK(t, err)
	t.Run("publishes to the key's account", func(t *testing.T) {
		if second.Project.Account != first.Project.Account || second.Project.Handle != first.Account.Handle || second.Account != nil {
			t.Errorf("published to %s, new account %v", second.Project.Handle, second.Account)
		}
	})
	t.Run("the account key is echoed, the project key is new", func(t *testing.T) {
		if second.Keys.Account != first.Keys.Account || second.Keys.Project == first.Keys.Project || second.Keys.Project == "" {
			t.Error("other keys")
		}
	})
	t.Run("handle is ignored with a warning, and the same page is told", func(t *testing.T) {
		expect.Same(t, "warnings", codes(second.Warnings), []string{"handle_ignored"})
	})
	t.Run("the same content has another project_id", func(t *testing.T) {
		if second.Project.ID == first.Project.ID {
			t.Error("one id for two projects")
		}
	})
}

func TestLang(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for given, want := range map[string]struct {
		lang     string
		warnings []string
	}{"": {"", nil}, "en": {"en", nil}, "EN_us": {"en-US", []string{"lang_changed"}}, "../": {"", []string{"lang_dropped"}}, strings.Repeat("x", 200): {"", []string{"lang_dropped"}}} {
		out, _, err := w.Publish(t.Context(), w.account(), publish.PublishInput{Lang: given, Content: w.stage(page)})
		if err != nil || out.Project.Lang != want.lang {
			t.Errorf("%.10q became %q, %v", given, out.Project.Lang, err)
		}
		expect.Same(t, "warnings of "+given, codes(out.Warnings), want.warnings)
	}
}

// double is HTML that was encoded once too often.
func double(alphabet *base64.Encoding, html string) string {
	return alphabet.EncodeToString([]byte(html))
}

func TestPublishRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.publish(nobody(), page).Keys.Account.Reveal()
	pad := strings.Repeat("x", 2*inlineMax)
	n := func(n int64) *int64 { return &n }
	tests := []struct {
		name, content string
		change        func(*publish.PublishInput)
		code          sandlot.Code
		field         string
	}{
		{"keyless, no email", large, func(in *publish.PublishInput) { in.Email = "" }, sandlot.CodeEmailRequired, "email"},
		{"an email that is none", large, func(in *publish.PublishInput) { in.Email = "a@b@c" }, sandlot.CodeInvalidEmail, "email"},
		{"an email with a header in it", large, func(in *publish.PublishInput) { in.Email = "a@b.c\r\nBcc: x@y.z" }, sandlot.CodeInvalidEmail, "email"},
		{"no content", "", func(in *publish.PublishInput) { in.Content = missing }, sandlot.CodeMissingField, "content"},
		{"empty content", "", nil, sandlot.CodeInvalidField, "content"},
		{"gzip in an .html file", "\x1f\x8b\x08" + pad, nil, sandlot.CodeDoubleEncoded, "content"},
		{"base64 of HTML in an .html file", double(base64.StdEncoding, large), nil, sandlot.CodeDoubleEncoded, "content"},
		{"base64url of HTML in an .html file", double(base64.RawURLEncoding, "<p>??>>"+large), nil, sandlot.CodeDoubleEncoded, "content"},
		{"base64 of gzip in an .html file", double(base64.StdEncoding, "\x1f\x8b"+pad), nil, sandlot.CodeDoubleEncoded, "content"},
		{"one of the service's own keys", large + key, nil, sandlot.CodeKeyInContent, "content"},
		{"one of the service's own keys, small", "<p>" + key, nil, sandlot.CodeKeyInContent, "content"},
		{"fewer bytes than declared", large, func(in *publish.PublishInput) { in.Declared.Size = n(int64(len(large) + 1)) }, sandlot.CodeDigestMismatch, "size"},
		{"more bytes than declared", large, func(in *publish.PublishInput) { in.Declared.Size = n(0) }, sandlot.CodeDigestMismatch, "size"},
		{"other bytes than declared", large, func(in *publish.PublishInput) { in.Declared.SHA256 = fmt.Sprintf("%x", sha256.Sum256(nil)) }, sandlot.CodeDigestMismatch, "sha256"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.unchanged(t, func() {
				in := publish.PublishInput{Email: address, Content: w.stage(tt.content)}
				if tt.change != nil {
					tt.change(&in)
				}
				_, pending, err := w.Publish(t.Context(), nobody(), in)
				e := refused(t, err, tt.code)
				if e.Field != tt.field || pending != nil {
					t.Errorf("field %q, pending %v", e.Field, pending)
				}
			})
		})
	}
}

func TestDeclaredDigests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by, size := w.account(), int64(len(large))
	sum := sha256.Sum256([]byte(large))
	t.Run("right ones pass, in any case", func(t *testing.T) {
		in := publish.PublishInput{Content: w.stage(large), Declared: publish.Declared{SHA256: fmt.Sprintf("%X", sum), Size: &size}}
		if _, _, err := w.Publish(t.Context(), by, in); err != nil {
			t.Error(err)
		}
	})
	t.Run("a mismatch tells both", func(t *testing.T) {
		wrong := size + 1
		for _, d := range []publish.Declared{{Size: &wrong}, {SHA256: strings.Repeat("0", 64)}} {
			_, _, err := w.Publish(t.Context(), by, publish.PublishInput{Content: w.stage(large), Declared: d})
			e := refused(t, err, sandlot.CodeDigestMismatch)
			told := map[string]any{}
			for _, d := range e.Details {
				told[d.Name] = d.Value
			}
			if told["received_size"] != size || told["received_sha256"] != fmt.Sprintf("%x", sum) || len(told) != 3 {
				t.Errorf("told %v", told)
			}
		}
	})
}

func TestContentIsStoredUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := w.account()
	key := w.publish(nobody(), page).Keys.Account.Reveal()
	for name, content := range map[string]string{
		"plain text": "hello", "a blank": " ", "UTF-16": "\xff\xfe<\x00p\x00", "NUL": "<p>\x00", "base64 of no markup": double(base64.StdEncoding, "GIF89a"+strings.Repeat(" ", 300)),
		"a mistyped key": key[:39] + "!", "a key in bytes that are no text": key + "\xff", "a gzip magic further on": "<p>\x1f\x8b",
	} {
		for _, pad := range []string{"", strings.Repeat("\n", 2*inlineMax)} {
			t.Run(name, func(t *testing.T) {
				out := w.publish(by, content+pad)
				expect.Equal(t, "stored", w.text(out.Project.ID, 1, "index.html"), content+pad)
			})
		}
	}
}

func TestHandleNeverCausesAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct{ want, pattern string }{
		{"", `^[a-z]+-[a-z]+-[0-9]{2,4}$`},
		{"Kim", `^kim$`},
		{"kim", `^kim-2$`},
		{"KIM!", `^kim-[0-9]+$`},
		{"admin", `^admin-[0-9]+$`},
		{"!!!", `^[a-z]+-[a-z]+-[0-9]+$`},
		{strings.Repeat("z", 60), `^z{40}$`},
		{strings.Repeat("z", 60), `^z{38}-2$`},
	} {
		out, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Handle: tt.want})
		if err != nil || !regexp.MustCompile(tt.pattern).MatchString(out.Account.Handle) {
			t.Errorf("%q became %q, %v", tt.want, out.Account.Handle, err)
		}
	}
}

func TestSignup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *publish.Config) { c.SMTP = true })
	t.Run("makes an account without a project", func(t *testing.T) {
		out, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Handle: "ada", Email: address, Lang: "de"})
		if err != nil || out.Account.Email != address || out.Account.EmailVerified || !out.Mailed || out.Warnings != nil {
			t.Fatalf("%+v, %v", out, err)
		}
		by := w.caller(out.Key)
		who, err := w.Whoami(t.Context(), by, 10, "")
		if err != nil || who.Account.Handle != "ada" || len(who.Projects) != 0 || by.Scoped() {
			t.Errorf("%+v, %v", who, err)
		}
	})
	t.Run("without an email no mail is enqueued", func(t *testing.T) {
		before := w.kept()["jobs"]
		if out, err := w.Signup(t.Context(), nobody(), publish.SignupInput{}); err != nil || out.Mailed || w.kept()["jobs"] != before {
			t.Errorf("mailed %v, %v", out.Mailed, err)
		}
	})
	t.Run("a known address makes a new account with an answer no different", func(t *testing.T) {
		out, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Handle: "bob", Email: address})
		if err != nil || !out.Mailed || out.Warnings != nil || out.Account.EmailVerified {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("a bad email leaves nothing", func(t *testing.T) {
		w.unchanged(t, func() {
			_, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Handle: "eve", Email: "a@"})
			refused(t, err, sandlot.CodeInvalidEmail)
		})
	})
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.publish(nobody(), page)
	key := out.Keys.Account.Reveal()
	t.Run("no key is nobody", func(t *testing.T) {
		if by, err := w.Identify(t.Context(), sandlot.Presented{Key: ""}, sandlot.Sender{Network: "192.0.2.1"}); err != nil || !by.Nobody() {
			t.Errorf("%v, %v", by, err)
		}
	})
	for name, k := range map[string]string{
		"a flipped character": key[:39] + string('A'+(key[39]-'A'+1)%26), "a cut key": key[:30], "a session id": "0123456789", "an unknown key": otherKey(t),
	} {
		t.Run(name+" is refused, and never a silent new account", func(t *testing.T) {
			by, err := w.Identify(t.Context(), sandlot.Presented{Key: sandlot.Secret(k)}, sandlot.Sender{Network: ""})
			refused(t, err, sandlot.CodeInvalidKey)
			if !by.Nobody() {
				t.Error("somebody all the same")
			}
		})
	}
	t.Run("only the hash of a key is stored", func(t *testing.T) {
		k, err := w.db.Credentials().KeyByHash(t.Context(), sandlot.Secret(key).Hash())
		if err != nil || k.LastFour != key[36:] || strings.Contains(fmt.Sprintf("%+v", k), key[4:20]) {
			t.Errorf("%+v, %v", k, err)
		}
	})
	t.Run("the use of a key is remembered", func(t *testing.T) {
		w.caller(out.Keys.Account)
		expect.OK(t, w.in.KeyUses.Flush(t.Context()))
		if by := w.caller(out.Keys.Account); !by.Key().LastUsedAt.Equal(w.clock.now()) {
			t.Errorf("last used %v", by.Key().LastUsedAt)
		}
	})
}

// otherKey is a well-formed key of another installation.
func otherKey(t *testing.T) string {
	return newWorld(t).publish(nobody(), page).Keys.Account.Reveal()
}

func TestRow77FiftySignupsOfOneHandle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type answer struct {
		handle string
		err    error
	}
	answers := make(chan answer, 50)
	for range cap(answers) {
		go func() {
			out, err := w.Signup(t.Context(), nobody(), publish.SignupInput{Handle: strings.Repeat("kim", 20)})
			answers <- answer{out.Account.Handle, err}
		}()
	}
	seen := map[string]bool{}
	for range cap(answers) {
		a := <-answers
		if a.err != nil || seen[a.handle] || len(a.handle) > 40 || !strings.HasPrefix(a.handle, "kimkimkim") {
			t.Errorf("%q, taken before: %v, %v", a.handle, seen[a.handle], a.err)
		}
		seen[a.handle] = true
	}
}
