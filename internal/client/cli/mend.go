package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sandlot/internal/client/client"
)

// explain turns the error of a call into a message for people, with the command that mends it.
func (s *session) explain(ctx context.Context, err error) error {
	var refused *client.Error
	var failed *Failure
	switch {
	case err == nil, errors.As(err, &failed):
		return err
	case ended(ctx):
		return &Failure{Message: "interrupted", Exit: exitOther, cause: err}
	case errors.As(err, &refused) && refused.Code != "":
		return s.refused(refused)
	}
	other := s.env.again("--server", placeholderServer)
	f := &Failure{Notes: []string{"If the server is another one, name it:"}, Fix: []string{other}, Exit: exitServer, cause: err}
	switch {
	case refused != nil && refused.Location != "":
		f.Message = s.server() + " leads on to " + clean(refused.Location) + "; no key was sent there, and nothing was done"
	case refused != nil, errors.Is(err, client.ErrNotAPI):
		f.Message = s.server() + " is no Sandlot server: " + clean(err.Error())
	case unreached(err):
		f.Message = s.server() + " cannot be reached: " + clean(err.Error())
	case errors.Is(err, client.ErrStalled):
		f.Message = s.server() + " was waited for in vain: " + clean(err.Error())
	case errors.Is(err, client.ErrNoAnswer):
		f.Message = s.server() + " gave no whole answer: " + clean(err.Error())
	default:
		return err
	}
	return f
}

// refused explains a refusal of the API by its message. A command replaces its hint, which is made for curl.
func (s *session) refused(e *client.Error) error {
	f := &Failure{Message: clean(e.Message), Exit: exitOf(e.Status), cause: e}
	if mend, ok := mends[e.Code]; ok {
		mend(s, e, f)
	} else {
		f.later(s, e)
	}
	if len(f.Notes) == 0 {
		f.Notes = notes(e.Hint)
	}
	return f
}

// later proposes the same command again, after the server's advice or its waiting time.
func (f *Failure) later(s *session, e *client.Error) {
	if e.RetryAfter > 0 {
		f.Notes = []string{fmt.Sprintf("The same command may be given again in %s:", e.RetryAfter)}
	}
	f.Fix = []string{s.env.again()}
}

// A mend adds to a Failure the commands that help against a refusal.
type mend func(*session, *client.Error, *Failure)

// mends holds the helpful commands by code of the API. Other refusals keep the server's sentences.
var mends = map[client.Code]mend{
	"key_required":           login,
	"invalid_key":            login,
	"account_key_required":   login,
	"publish_closed":         login,
	"wrong_project":          list,
	"project_not_found":      gone,
	"version_conflict":       conflict,
	"file_not_found":         func(s *session, _ *client.Error, f *Failure) { f.Fix = s.about("status", "--files") },
	"version_not_found":      func(s *session, _ *client.Error, f *Failure) { f.Fix = s.about("versions") },
	"email_required":         withFlag("--email", "<your e-mail>", "A first publish makes an account:"),
	"invalid_email":          withFlag("--email", "<your e-mail>", ""),
	"no_primary_file":        noPage,
	"invalid_archive":        noPage,
	"missing_field":          noPage,
	"invalid_filename":       misnamed,
	"primary_file_protected": func(s *session, _ *client.Error, f *Failure) { f.Fix = []string{s.place.whole()} },
	"looks_damaged": func(s *session, _ *client.Error, f *Failure) {
		f.Notes = []string{"The version before stays. Mend the file and give the same command again, or send it as it is:"}
		f.Fix = []string{s.env.again("--damaged")}
	},
}

// withFlag proposes the same command with a flag set to value.
func withFlag(flag, value, note string) mend {
	return func(s *session, _ *client.Error, f *Failure) {
		if note != "" {
			f.Notes = []string{note}
		}
		f.Fix = []string{s.env.again(flag, value)}
	}
}

func login(s *session, e *client.Error, f *Failure) {
	f.Notes = []string{"Log in: on a terminal through the browser, else with a key of the account on standard input:"}
	f.Fix = []string{command("sandlot", "login", "--server", s.server())}
	if key, _ := s.env.Lookup(keyVariable); key != "" {
		f.Notes = []string{"The key was that of " + keyVariable + ". Set it right, or unset it and log in:"}
		f.Fix = []string{command("unset", keyVariable), f.Fix[0]}
	}
	if e == nil {
		return
	}
	if lines := notes(e.Hint); len(lines) > 0 && strings.HasPrefix(lines[0], "Keys lost?") {
		f.Notes = append(lines[:1], f.Notes...)
	}
}

func list(s *session, _ *client.Error, f *Failure) {
	f.Fix = []string{command("sandlot", "whoami", "--server", s.server())}
}

func noPage(s *session, e *client.Error, f *Failure) {
	if f.later(s, e); slices.Contains(s.env.Args, "publish") {
		f.Notes = []string{"Publish the folder that has the page, or name the page with --primary:"}
		f.Fix = []string{command("sandlot", "publish", "<folder of the page>")}
	}
}

func misnamed(s *session, e *client.Error, f *Failure) {
	if f.later(s, e); slices.Contains(s.env.Args, "update") {
		f.Fix = []string{s.env.again("--as", "<filename>")}
	}
}

func gone(s *session, e *client.Error, f *Failure) {
	list(s, e, f)
	if s.place.state.ID == s.id {
		f.Notes = []string{"If it was deleted, its owner can take it back for 7 days, at " + s.server() + "/account."}
		f.Fix = append(f.Fix, s.place.whole()+" --new")
	}
}

func conflict(s *session, _ *client.Error, f *Failure) {
	f.Message = "the project was changed elsewhere since this folder last saw it, so nothing was sent: " + f.Message
	f.Notes = []string{"To see what differs, and to put this in its place all the same:"}
	f.Fix = append(s.about("status"), s.env.again("--force"))
}

// about returns a command about the current project.
func (s *session) about(words ...string) []string {
	words = append([]string{"sandlot"}, words...)
	if s.place.state.ID != s.id || s.place.dir != "." {
		words = append(words, "--server", s.server(), "--id", s.id)
	}
	return []string{command(words...)}
}

// whole returns the command that publishes the folder, or its one file.
func (p place) whole() string {
	if p.state.ID == "" {
		return command("sandlot", "publish", "<file or folder>")
	}
	return command("sandlot", "publish", filepath.Join(p.dir, p.state.Path))
}
