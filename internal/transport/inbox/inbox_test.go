package inbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/smtp"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/operate"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// places are those of a public installation.
var places = sandlot.Places{Base: &url.URL{Scheme: "https", Host: "example.org"}, Content: "example.net"}

// taken keeps the messages that it takes.
type taken struct {
	mu   sync.Mutex
	list []operate.Message
	err  error
}

// Take implements Taker.
func (k *taken) Take(_ context.Context, _ sandlot.Caller, m operate.Message) ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return nil, k.err
	}
	k.list = append(k.list, m)
	return []string{"R-1"}, nil
}

func (k *taken) all() []operate.Message {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.list)
}

func newInbox() (*Inbox, *taken) {
	k := &taken{}
	return &Inbox{Taker: k, Places: places, Log: slog.New(slog.DiscardHandler)}, k
}

// one reads one message.
func one(t *testing.T, raw string) operate.Message {
	t.Helper()
	b, k := newInbox()
	expect.OK(t, b.take(t.Context(), []byte(strings.ReplaceAll(raw, "\n", "\r\n")), false))
	if len(k.list) != 1 {
		t.Fatalf("%d messages were taken of %q", len(k.list), raw)
	}
	return k.list[0]
}

func TestAddressesAreFoundInEveryFormInWhichPeoplePasteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://maze-7k2m9p.example.net/login?next=%2F#top":                                             "maze-7k2m9p",
		"hxxps://maze-7k2m9p[.]example[.]net/":                                                           "maze-7k2m9p",
		"hXXp[:]//MAZE-7K2M9P[.]Example(dot)NET":                                                         "maze-7k2m9p",
		"See <maze-7k2m9p.example.net>, please.":                                                         "maze-7k2m9p",
		"(https://maze-7k2m9p--v3-0123456789.example.net/a.html)":                                        "maze-7k2m9p",
		"https://example.org/p/maze-7k2m9p/card.jpg!":                                                    "maze-7k2m9p",
		"https://eur01.safelinks.example.com/?url=https%3A%2F%2Fmaze-7k2m9p.example.net%2Flogin&data=05": "maze-7k2m9p",
		"maze-7k2m9p.example.net and maze-7k2m9p.example.net":                                            "maze-7k2m9p",
		"页面：https://maze-7k2m9p.example.net/。":                                                           "maze-7k2m9p",
		"maze-7k2m9p is an id, and no address":                                                           "",
		"https://www.example.com/a-page well-known":                                                      "",
		"a.example.net": "",
		"hop-7k2m9p.example.net\nmaze-7k2m9p.example.net": "hop-7k2m9p maze-7k2m9p",
	} {
		var got []string
		for _, id := range find(places, text) {
			got = append(got, string(id))
		}
		expect.Equal(t, text, strings.Join(got, " "), want)
	}
}

func TestMessagesAreReadInTheFormsOfMailPrograms(t *testing.T) {
	t.Parallel()
	const address = "https://maze-7k2m9p.example.net/"
	for name, raw := range map[string]string{
		"plain":            "From: Ann <ann@example.com>\nSubject: phishing\n\nThis page asks for passwords:\n" + address + "\n",
		"quoted-printable": "From: ann@example.com\nContent-Transfer-Encoding: quoted-printable\n\nphish https://maze-7k2m9p.exam=\nple.net/\n",
		"base64":           "From: ann@example.com\nContent-Transfer-Encoding: base64\n\ncGhpc2ggaHR0cHM6Ly9tYXplLTdrMm05cC5leGFtcGxlLm5ldC8=\n",
		"html":             "From: ann@example.com\nContent-Type: text/html; charset=utf-8\n\n<p>phish <a href=\"" + address + "\">here</a></p>\n",
		"html in pieces":   "From: ann@example.com\nContent-Type: text/html\n\n<p>phish hxxps://maze-7k2m9p<b>[.]</b>example[.]net</p>\n",
		"alternative":      "From: ann@example.com\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nphish\n--b\nContent-Type: text/html\n\n<a href=" + address + ">x</a>\n--b--\n",
		"forwarded":        "From: ann@example.com\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nfraud, see below\n--b\nContent-Type: message/rfc822\n\nSubject: Your parcel\nContent-Transfer-Encoding: quoted-printable\n\nhttps://maze-7k2m9p=2Eexample.net/\n--b--\n",
		"feedback report":  "From: ann@example.com\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\n\nA report.\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: fraud\nVersion: 1\nReported-URI: " + address + "\n--b--\n",
		"unknown charset":  "From: ann@example.com\nContent-Type: text/plain; charset=x-none\n\nphish " + address + "\n",
		"utf-16":           "From: ann@example.com\nContent-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\ncABoAGkAcwBoACAAaAB0AHQAcABzADoALwAvAG0AYQB6AGUALQA3AGsAMgBtADkAcAAuAGUAeABhAG0AcABsAGUALgBuAGUAdAAvAA==\n",
		"a cut part":       "From: ann@example.com\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nphish " + address + "\n",
	} {
		m := one(t, raw)
		expect.Same(t, name, []any{m.From, m.Reason, m.Projects, m.Automatic}, []any{"ann@example.com", "deceptive", []sandlot.ProjectID{"maze-7k2m9p"}, false})
	}
}

func TestAutomaticMailIsRecognized(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Auto-Submitted: auto-replied", "Precedence: bulk", "Return-Path: <>", "List-Id: <a.example.com>"} {
		expect.Equal(t, header, one(t, "From: ann@example.com\n"+header+"\n\na\n").Automatic, true)
	}
	for _, header := range []string{"Auto-Submitted: no", "Return-Path: <ann@example.com>"} {
		expect.Equal(t, header, one(t, "From: ann@example.com\n"+header+"\n\na\n").Automatic, false)
	}
}

// TestNoMoreThanTenThousandAddressesAreFound in a message that has more.
// TestABounceIsNoReport: it has the words of a message of ours, with the address of a project. Else one to an operator whose mailbox is
// gone would report that project, and be followed by another.
func TestABounceIsNoReport(t *testing.T) {
	t.Parallel()
	b, k := newInbox()
	for _, raw := range []string{
		"From: postmaster@example.com\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nhttps://maze-7k2m9p.example.net/\n--b--\n",
		"From: Mail <MAILER-DAEMON@example.com>\n\nhttps://maze-7k2m9p.example.net/\n",
	} {
		expect.OK(t, b.take(t.Context(), []byte(raw), false))
	}
	expect.Equal(t, "messages taken", len(k.list), 0)
}

func TestNoMoreThanTenThousandAddressesAreFound(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&text, "https://maze%d-7k2m9p.example.net/login\n", i)
	}
	m := one(t, "From: ann@example.com\n\n"+text.String())
	expect.Equal(t, "projects", len(m.Projects), maxFound)
}

// TestDeepAndWideMessagesEnd: each of them would take long without limits.
func TestDeepAndWideMessagesEnd(t *testing.T) {
	t.Parallel()
	deep := "\n\nx"
	for range 2000 {
		deep = "Content-Type: message/rfc822\n\n" + deep
	}
	one(t, "From: a@example.com\n"+deep)
	one(t, "From: a@example.com\nContent-Type: multipart/mixed; boundary=b\n\n"+strings.Repeat("--b\n\nx\n", 20_000)+"--b--\n")
}

func FuzzReadLetter(f *testing.F) {
	f.Add([]byte("From: a@example.com\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nhttps://maze-7k2m9p.example.net/\r\n--b--\r\n"))
	f.Add([]byte("Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGEgaHJlZj0="))
	f.Fuzz(func(t *testing.T, raw []byte) {
		b, k := newInbox()
		expect.OK(t, b.take(t.Context(), raw, false))
		for _, m := range k.list {
			if len(m.Projects) > maxFound || !slices.Contains(operate.Reasons(), m.Reason) {
				t.Errorf("%d projects, %q", len(m.Projects), m.Reason)
			}
		}
	})
}

const aReport = "From: ann@example.com\r\nSubject: phishing\r\n\r\nhttps://maze-7k2m9p.example.net/\r\n"

func TestAMaildirIsReadAndItsMessagesMoved(t *testing.T) {
	t.Parallel()
	b, k := newInbox()
	m := &Maildir{Folder: filepath.Join(t.TempDir(), "abuse"), Inbox: b, Failures: &worker.Failures{}}
	expect.OK(t, m.Prepare())
	put := func(name, text string) {
		expect.OK(t, os.WriteFile(filepath.Join(m.Folder, "new", name), []byte(text), 0o600))
	}
	put("1", aReport)
	put("2", "no header at all")
	put("3", aReport+strings.Repeat("x", MaxMessage))
	put("4", "From: kim@example.com\r\n\r\nhop-7k2m9p.example.net")
	expect.OK(t, os.Symlink("/etc/passwd", filepath.Join(m.Folder, "new", "5")))
	k.err = errors.New("the database is away")
	if err := m.Take(t.Context()); err == nil {
		t.Error("a failure is no error")
	}
	k.err = nil
	expect.OK(t, m.Take(t.Context()))
	expect.OK(t, m.Take(t.Context()))
	var from []string
	for _, got := range k.all() {
		from = append(from, got.From)
	}
	expect.Same(t, "taken", from, []string{"ann@example.com", "kim@example.com"})
	if os.Getuid() != 0 { // root reads every file
		put("0", aReport)
		expect.OK(t, os.Chmod(filepath.Join(m.Folder, "new", "0"), 0))
		put("6", "From: lee@example.com\r\n\r\nhop-7k2m9p.example.net")
		if err := m.Take(t.Context()); err == nil {
			t.Error("a file that cannot be read is no error")
		}
		expect.Equal(t, "behind it", k.all()[2].From, "lee@example.com")
		expect.OK(t, os.Remove(filepath.Join(m.Folder, "cur", "6:2,S")))
	}
	moved, err := filepath.Glob(filepath.Join(m.Folder, "cur", "*:2,S"))
	expect.OK(t, err)
	expect.Equal(t, "moved", len(moved), 4)
}

// serve serves SMTP on a listener until the test ends.
func serve(t *testing.T, b *Inbox, l net.Listener) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- b.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		expect.OK(t, <-ended)
	})
}

func TestReportsComeBySMTP(t *testing.T) {
	t.Parallel()
	b, k := newInbox()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	serve(t, b, l)
	addr := l.Addr().String()
	expect.OK(t, smtp.SendMail(addr, nil, "ann@example.com", []string{"abuse@example.org"}, []byte(aReport)))
	expect.OK(t, smtp.SendMail(addr, nil, "", []string{"abuse@example.org"}, []byte(aReport)))
	got := k.all()
	expect.Same(t, "taken", []any{len(got), got[0].Automatic, got[1].Automatic, got[0].Projects}, []any{2, false, true, []sandlot.ProjectID{"maze-7k2m9p"}})
	err = smtp.SendMail(addr, nil, "ann@example.com", []string{"abuse@example.org"}, []byte(aReport+strings.Repeat("x\r\n", MaxMessage/3+1)))
	var refused *textproto.Error
	if !errors.As(err, &refused) || refused.Code != 552 {
		t.Errorf("a message over the limit gets %v", err)
	}
	k.mu.Lock()
	k.err = errors.New("the database is away")
	k.mu.Unlock()
	err = smtp.SendMail(addr, nil, "ann@example.com", []string{"abuse@example.org"}, []byte(aReport))
	if !errors.As(err, &refused) || refused.Code != 451 {
		t.Errorf("a message that cannot be recorded gets %v", err)
	}
}

// TestNoMoreThanTwentyConnectionsAreServed: further ones wait for their turn.
func TestNoMoreThanTwentyConnectionsAreServed(t *testing.T) {
	t.Parallel()
	b, _ := newInbox()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.OK(t, err)
	serve(t, b, l)
	greeted := make(chan net.Conn, maxConnections+1)
	for range maxConnections + 1 {
		c, err := net.Dial("tcp", l.Addr().String())
		expect.OK(t, err)
		t.Cleanup(func() { _ = c.Close() })
		go func() {
			if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
				greeted <- c
			}
		}()
	}
	testenv.Eventually(t, 10*time.Second, "twenty are greeted", func() bool { return len(greeted) == maxConnections })
	first := <-greeted
	expect.OK(t, first.Close())
	testenv.Eventually(t, 10*time.Second, "the next is greeted", func() bool { return len(greeted) == maxConnections })
}

func TestAUnixSocketSpeaksLMTP(t *testing.T) {
	t.Parallel()
	b, k := newInbox()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	expect.OK(t, err)
	serve(t, b, l)
	c, err := textproto.Dial("unix", path)
	expect.OK(t, err)
	defer c.Close()
	for _, step := range []struct {
		send string
		code int
	}{
		{"", 220}, {"LHLO mail", 250}, {"MAIL FROM:<ann@example.com>", 250}, {"RCPT TO:<abuse@example.org>", 250}, {"DATA", 354}, {aReport + ".", 250},
	} {
		if step.send != "" {
			expect.OK(t, c.PrintfLine("%s", step.send))
		}
		_, _, err := c.ReadResponse(step.code)
		expect.OK(t, err, step.send)
	}
	expect.Equal(t, "taken", len(k.all()), 1)
}
