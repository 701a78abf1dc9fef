package testworld

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sandlot/internal/expect"
	"sandlot/internal/publish"
)

func TestAWorld(t *testing.T) {
	t.Run("publishes and reads on the real stores", func(t *testing.T) {
		w := New(t)
		p := w.PublishPage(Nobody(), "<p>small")
		long := strings.Repeat("long ", InlineMax)
		w.PutFile(w.CallerOf(p.Keys.Account), p.Project.ID, "a.txt", long)
		expect.Equal(t, "it has", w.Text(p.Project.ID, 2, "index.html")+w.Text(p.Project.ID, 2, "a.txt")+w.Text(p.Project.ID, 2, "b.txt"), "<p>small"+long+"no b.txt")
		if sizes := w.Sizes(); sizes["projects"] != 1 || sizes["blobs on disk"] != 1 || len(w.Rows()["projects"]) != 1 {
			t.Errorf("it keeps %v", sizes)
		}
		if by := w.NewAccount(); by.Nobody() {
			t.Error("a new account is nobody")
		}
	})
	t.Run("sends the messages that are due", func(t *testing.T) {
		w := New(t)
		p := w.PublishPage(Nobody(), "<p>")
		a, err := w.Account.Verify(t.Context(), Nobody(), w.Token("/verify"))
		if err != nil || a.ID != p.Project.Account || len(w.Mails) != 1 || w.Mails[0].To != Address {
			t.Errorf("%+v, %v, %+v", a, err, w.Mails)
		}
	})
	t.Run("runs on its clock, or on the machine's", func(t *testing.T) {
		w := New(t)
		w.Clock.Move(time.Hour)
		if p := w.PublishPage(Nobody(), "<p>"); !p.Project.CreatedAt.Equal(Start.Add(time.Hour)) || !w.Now().Equal(p.Project.CreatedAt) {
			t.Errorf("it was made at %v", p.Project.CreatedAt)
		}
		if p := New(t, RealTime()).PublishPage(Nobody(), "<p>"); time.Since(p.Project.CreatedAt).Abs() > time.Hour {
			t.Errorf("it was made at %v", p.Project.CreatedAt)
		}
	})
	t.Run("is copied as it is", func(t *testing.T) {
		w := New(t, With(func(c *publish.Config) { c.MaxFiles = 3 }))
		w.Clock.Move(time.Minute)
		p := w.PublishPage(Nobody(), strings.Repeat("x", 2*InlineMax))
		second := w.Copy(t)
		w.PublishPage(Nobody(), "<p>")
		if got := second.Sizes()["projects"]; got != 1 || second.Config.MaxFiles != 3 || !second.Now().Equal(w.Now()) {
			t.Errorf("the copy has %d projects and %+v at %v", got, second.Config, second.Now())
		}
		if got := second.Text(p.Project.ID, 1, "index.html"); len(got) != 2*InlineMax {
			t.Errorf("the copy reads %q", got)
		}
		second.PublishPage(Nobody(), "<p>")
		second.PublishPage(Nobody(), "<p>")
		for range 2 {
			if got := w.Copy(t).Sizes()["projects"]; got != 2 {
				t.Errorf("a copy of later has %d projects", got)
			}
		}
	})
	t.Run("goes with its test", func(t *testing.T) {
		var dir string
		t.Run("inner", func(t *testing.T) { dir = New(t).Dir })
		_, err := os.Stat(dir)
		expect.Is(t, "the folder is still there", err, os.ErrNotExist)
	})
	t.Run("a key in the log fails the test", func(t *testing.T) {
		n := &noting{TB: t}
		w := New(n)
		p := w.PublishPage(Nobody(), "<p>")
		w.Log.Info("made", "key", string(p.Keys.Account.Reveal()))
		n.end()
		if !strings.HasPrefix(n.said, "a key is in the log:") {
			t.Errorf("it said %q", n.said)
		}
	})
}

func TestSets(t *testing.T) {
	t.Parallel()
	for name, set := range Sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t, set)
			large := strings.Repeat("x", 2*InlineMax)
			nothing := w.Written()
			p := w.PublishPage(Nobody(), large)
			if sizes := w.Sizes(); sizes["projects"] != 1 || sizes["blobs on disk"] != 1 || len(w.Rows()["projects"]) != 1 || w.Written() == nothing {
				t.Errorf("it keeps %v", sizes)
			}
			if of := w.RowsOf(p.Project.Account); len(of["accounts"]) != 1 || len(of["projects by account"]) != 1 || len(of["versions by project"]) != 1 {
				t.Errorf("of the account it keeps %v", of)
			}
			written := w.Written()
			expect.Equal(t, "it has", w.Text(p.Project.ID, 1, "index.html"), large)
			expect.Equal(t, "read, what is written is", w.Written(), written)
			node, second := w.Node(t), w.Copy(t)
			w.PublishPage(Nobody(), "<p>")
			if w.Written() == written || node.Sizes()["projects"] != 2 || second.Sizes()["projects"] != 1 {
				t.Errorf("a node has %v, and a copy of before %v", node.Sizes(), second.Sizes())
			}
			expect.Equal(t, "the copy has", second.Text(p.Project.ID, 1, "index.html"), large)
			second.PublishPage(Nobody(), "<p>")
			before := second.Written()
			if second.Exec("DELETE FROM handles WHERE account > ?", 0); second.Written() == before || len(second.Rows()["handles"]) != 0 {
				t.Error("that rows are gone is not seen")
			}
		})
	}
}

func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	t.Run("a step fails before it happens, or after", func(t *testing.T) {
		w := New(t)
		by := w.NewAccount()
		for want, fault := range map[int]func(string) (error, error){
			0: func(string) (error, error) { return broken, nil },
			1: func(string) (error, error) { return nil, broken },
		} {
			before := w.Sizes()["projects"]
			w.Faults.Step = fault
			_, _, err := w.Publish.Publish(t.Context(), by, publish.PublishInput{Content: w.Stage("<p>")})
			if w.Faults.Step = nil; !errors.Is(err, broken) || w.Sizes()["projects"] != before+want {
				t.Errorf("%v; there are %d projects more, want %d", err, w.Sizes()["projects"]-before, want)
			}
		}
	})
	t.Run("a blob fails before it is stored, or after", func(t *testing.T) {
		w := New(t)
		for want, blobs := range []Blobs{{BeforePut: broken}, {AfterPut: broken}} {
			blobs.Blobs = w.Stored
			*w.Blobs = blobs
			_, err := w.Publish.Contents.Stage(t.Context(), strings.NewReader(strings.Repeat("x", 2*InlineMax)))
			if err == nil || w.BlobsOnDisk() != want {
				t.Errorf("%v, %d blobs are stored, want %d", err, w.BlobsOnDisk(), want)
			}
		}
	})
}

// noting notes the error of a test, and ends when it is told to.
type noting struct {
	testing.TB
	said string
	last []func()
}

func (n *noting) Errorf(format string, args ...any) { n.said = fmt.Sprintf(format, args...) }

func (n *noting) Cleanup(f func()) { n.last = append(n.last, f) }

func (n *noting) end() {
	for i := len(n.last) - 1; i >= 0; i-- {
		n.last[i]()
	}
}
