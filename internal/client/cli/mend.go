package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sandlot/internal/client/client"
)

// explain makes of an error of a call what a person reads, with the command that mends it.
func (s *session) explain(ctx context.Context, err error) error {
	var refused *client.Error
	var dial *net.OpError
	switch {
	case err == nil:
		return nil
	case ended(ctx):
		return &Failure{Message: "interrupted; the same command goes on where it was", Exit: exitOther, cause: err}
	case errors.As(err, &refused) && refused.Code != "":
		return s.refused(refused)
	case errors.As(err, &refused) && refused.Location != "":
		return s.redirected(refused)
	case errors.As(err, &refused), errors.Is(err, client.ErrNotAPI):
		return &Failure{
			Message: "what answers at " + s.server() + " is no Sandlot server: it sent a web page or something else",
			Notes:   []string{clean(err.Error())},
			Fix:     []string{s.env.again("--server", placeholderServer)}, Exit: exitServer, cause: err,
		}
	case noTLS(err) != "":
		return &Failure{
			Message: "no key and no file was sent to " + s.server() + ": " + noTLS(err), Notes: []string{"If the address is wrong, name the right one:"},
			Fix: []string{s.env.again("--server", "<https://play.example.com>")}, Exit: exitServer, cause: err,
		}
	case errors.As(err, &dial) && dial.Op == "dial":
		return &Failure{
			Message: "nobody answers at " + s.server() + ": " + clean(cause(dial.Err).Error()), Notes: []string{"If the server runs, the address is another:"},
			Fix: []string{s.env.again("--server", placeholderServer)}, Exit: exitServer, cause: err,
		}
	case errors.Is(err, client.ErrNoAnswer):
		what := " gave no whole answer: "
		if errors.Is(err, client.ErrStalled) {
			what = " was waited for in vain: "
		}
		return &Failure{
			Message: s.server() + what + clean(err.Error()), Notes: []string{"The same command may be given again; what it did already is not done twice:"},
			Fix: []string{s.env.again()}, Exit: exitServer, cause: err,
		}
	}
	return err
}

// redirected refuses to go along.
func (s *session) redirected(e *client.Error) error {
	to := addressHost(e.Location, s.Base)
	f := &Failure{
		Message: fmt.Sprintf("%s leads on to %s; no key was sent there, and nothing was done", s.server(), clean(to)),
		Notes:   []string{"If that is the server, name it:"}, Exit: exitServer, cause: e,
	}
	if u, err := parseServer(to); err == nil && (s.Base.Scheme == "http" || u.Scheme == "https") {
		f.Fix = []string{s.env.again("--server", u.String())}
	} else {
		f.Notes = []string{"That is no address that this command could go to."}
	}
	return f
}

// refused explains an answer of the API: its message, and in place of its hint, which is made for curl, a command.
func (s *session) refused(e *client.Error) error {
	f := &Failure{Message: clean(e.Message), Exit: exitOf(e.Status), cause: e}
	if m, ok := mends[e.Code]; ok {
		m(s, e, f)
	} else if exit := f.Exit; exit == exitLimit || exit == exitServer || exit == exitConflict {
		f.later(s, e)
	} else {
		f.Fix = []string{s.env.again()} // once it is done what the server says
	}
	if len(f.Notes) == 0 {
		for _, note := range notes(e.Hint) {
			f.Notes = append(f.Notes, clean(note))
		}
	}
	if len(f.Notes) == 0 && len(f.Fix) == 0 {
		f.Fix = []string{s.env.help()}
	}
	return f
}

// later proposes the same command, when it may help.
func (f *Failure) later(s *session, e *client.Error) {
	if e.RetryAfter > 0 {
		f.Notes = []string{fmt.Sprintf("The same command may be given again in %s:", e.RetryAfter)}
	} else {
		f.Notes = []string{"The same command may be given again:"}
	}
	f.Fix = []string{s.env.again()}
}

// mends says, for codes of the API, which command helps. Those that are not here are explained by what the server says, or are
// worth trying again.
var mends = map[client.Code]func(*session, *client.Error, *Failure){
	"key_required":         login,
	"invalid_key":          login,
	"account_key_required": login,
	"wrong_project": func(s *session, _ *client.Error, f *Failure) {
		f.Fix = []string{command("sandlot", "whoami", "--server", s.server())}
		if s.copied() {
			f.Notes, f.Fix = []string{"To see what it covers, or to publish this as a project of your own:"}, append(f.Fix, s.env.asNew())
		}
	},
	"invalid_field": func(s *session, e *client.Error, f *Failure) {
		f.Fix = []string{(&Env{Args: without(s.env.Args, "--"+e.Field, true)}).again()}
	},
	"no_projects": func(s *session, _ *client.Error, f *Failure) {
		f.Fix = []string{command("sandlot", "publish", "<file or folder>")}
	},
	"project_not_found": gone,
	"file_not_found":    func(s *session, _ *client.Error, f *Failure) { f.Fix = []string{s.about("status", "--files")} },
	"version_not_found": func(s *session, _ *client.Error, f *Failure) { f.Fix = []string{s.about("versions")} },
	"version_conflict":  conflict,
	"looks_damaged": func(s *session, _ *client.Error, f *Failure) {
		f.Notes, f.Fix = []string{"The version before stays. Mend the file and give the same command again, or send it as it is:"}, []string{s.env.again("--damaged")}
	},
	"email_required": func(s *session, _ *client.Error, f *Failure) {
		f.Notes, f.Fix = []string{"A first publish makes an account, or log in:"}, []string{s.env.again("--email", "<your e-mail>"), command("sandlot", "login", "--server", s.server())}
	},
	"invalid_email": func(s *session, _ *client.Error, f *Failure) {
		f.Fix = []string{s.env.again("--email", "<your e-mail>")}
	},
	"invalid_filename": misnamed,
	"primary_file_protected": func(s *session, _ *client.Error, f *Failure) {
		f.Notes, f.Fix = []string{"Change it instead:"}, []string{command("sandlot", "publish", s.place.whole())}
	},
	"no_primary_file":      noPage,
	"invalid_archive":      noPage,
	"missing_field":        noPage,
	"idempotency_mismatch": func(s *session, e *client.Error, f *Failure) { f.later(s, e) },
	"taken_down":           func(*session, *client.Error, *Failure) {},
	"account_suspended":    func(*session, *client.Error, *Failure) {},
	"publish_closed":       login,
}

func login(s *session, _ *client.Error, f *Failure) {
	f.Notes = []string{"Log in with a key of the account, which is read from standard input; one that is lost is made anew at " + s.server() + "/account:"}
	f.Fix = []string{command("sandlot", "login", "--server", s.server())}
	if key, _ := s.env.Lookup(keyVariable); key == "" && s.copied() && s.Key == "" {
		f.Notes = []string{"Log in with a key of the account, which is read from standard input, or publish this as a project of your own:"}
		if f.Fix = append(f.Fix, s.env.asNew()); !s.env.has("--email") {
			f.Fix[1] += " --email '<your e-mail>'"
		}
	}
	if key, _ := s.env.Lookup(keyVariable); key != "" {
		f.Notes = []string{"The key was that of " + keyVariable + ". Set it right, or unset it and log in:"}
		f.Fix = []string{command("unset", keyVariable), f.Fix[0]}
	}
}

// copied reports whether somebody publishes a folder that says which project it is, as one that came with a repository does.
func (s *session) copied() bool {
	return s.place.state.ID != "" && s.place.state.ID == s.id && slices.Contains(s.env.Args, "publish")
}

// asNew is the command at hand, for a project of its own.
func (env *Env) asNew() string {
	return (&Env{Args: without(env.Args, "--id", true)}).again("--new")
}

// has reports whether a flag was given.
func (env *Env) has(flag string) bool {
	return slices.ContainsFunc(env.Args, func(w string) bool { return w == flag || strings.HasPrefix(w, flag+"=") })
}

// noPage proposes one of the pages that there are, or another folder.
func noPage(s *session, e *client.Error, f *Failure) {
	page := primary.FindStringSubmatch(e.Hint)
	twins := s.place.named(e.Message)
	switch {
	case e.Code == "missing_field" && e.Field != "files":
	case e.Code == "invalid_archive" && len(twins) == 2:
		f.Notes, f.Fix = []string{"Rename one of them, also where it is used, and publish again:"}, []string{renaming(s.place.dir, twins[1], twins[1]), s.env.again()}
	case page != nil && clean(page[1]) == page[1] && slices.Contains(s.env.Args, "publish"):
		f.Fix = []string{s.env.again("--primary", page[1])}
	default:
		f.Notes, f.Fix = []string{"Nothing was sent that could be kept. Publish the folder that has the page:"}, []string{command("sandlot", "publish", "<folder of the page>")}
	}
}

// primary finds the page that a hint of the API proposes.
var primary = regexp.MustCompile(`--form-string primary_file=([^\s']+)`)

func gone(s *session, _ *client.Error, f *Failure) {
	f.Fix = []string{command("sandlot", "whoami", "--server", s.server())}
	if s.place.state.ID == s.id {
		f.Notes = []string{"This folder names it. If it was deleted, its owner can take it back for 7 days, at " + s.server() + "/account. To see your projects, or to publish the folder as a new one:"}
		f.Fix = append(f.Fix, command("sandlot", "publish", s.place.whole(), "--new"))
	}
}

func conflict(s *session, _ *client.Error, f *Failure) {
	f.Message = "the project was changed elsewhere since this folder last saw it, so nothing was sent: " + f.Message
	f.Notes = []string{"To see what differs, and to put this in its place all the same:"}
	f.Fix = []string{s.about("status"), s.env.again("--force")}
}

// about is a command about the project at hand.
func (s *session) about(words ...string) string {
	words = append([]string{"sandlot"}, words...)
	if s.place.state.ID != s.id {
		words = append(words, "--server", s.server(), "--id", s.id)
	}
	if text := command(words...); s.place.state.ID != s.id || s.place.here() {
		return text
	} else {
		return "(cd " + command(s.place.dir) + " && " + text + ")"
	}
}

// here reports whether a command that is given in this folder finds the place.
func (p place) here() bool {
	dir, err := filepath.Abs(p.dir)
	if err != nil {
		return true
	}
	now, err := os.Getwd()
	return err != nil || now == dir || strings.HasPrefix(now, dir+string(filepath.Separator))
}

// whole is what the folder publishes.
func (p place) whole() string {
	switch p.state.Path {
	case ".":
		return p.dir
	case "":
		return "<file or folder>"
	}
	return filepath.Join(p.dir, p.state.Path)
}

// suggestion finds the filename that a hint of the API proposes.
var suggestion = regexp.MustCompile(`--form-string (?:filename=([^\s']+)|'filename=([^']+)')`)

func suggested(hint string) string {
	m := suggestion.FindStringSubmatch(hint)
	if m == nil || clean(m[1]+m[2]) != m[1]+m[2] {
		return ""
	}
	return m[1] + m[2]
}

// again is the command at hand, with another value of a flag, or with a flag more.
func (env *Env) again(flag ...string) string {
	words := append([]string{"sandlot"}, env.Args...)
	if len(flag) > 0 {
		words = without(words, flag[0], len(flag) > 1)
		words = append(words, flag...)
	}
	return command(words...)
}

// instead is the command at hand with another word in place of one.
func (env *Env) instead(word, other string) string {
	words := append([]string{"sandlot"}, env.Args...)
	if i := slices.Index(words, word); i > 0 {
		words[i] = other
		return command(words...)
	}
	return command(append(words, other)...)
}

// ofProject finds the project that a hint of the API is about.
var ofProject = regexp.MustCompile(`--form-string project_id=([a-z0-9-]+)`)

// mends returns the command that follows the advice of a warning, or "". No text of a server stands in its place.
func (env *Env) mends(w client.Warning) string {
	project := ofProject.FindStringSubmatch(w.Hint)
	if project == nil || w.Code != "missing_file" || suggested(w.Hint) == "" {
		return ""
	}
	words := []string{"sandlot", "update", "<file>", "--as", suggested(w.Hint), "--id", project[1]}
	if i := slices.Index(env.Args, "--server"); i >= 0 && i+1 < len(env.Args) {
		words = append(words, "--server", env.Args[i+1])
	}
	return command(words...)
}

// without takes a flag out of a command line, and its value if it has one.
func without(words []string, flag string, valued bool) (rest []string) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == flag && valued:
			i++
		case words[i] == flag, strings.HasPrefix(words[i], flag+"="):
		default:
			rest = append(rest, words[i])
		}
	}
	return rest
}

// help is the command that explains the one at hand.
func (env *Env) help() string {
	if len(env.Args) == 0 {
		return "sandlot --help"
	}
	return command("sandlot", env.Args[0], "--help")
}

// command writes words for a POSIX shell.
func command(words ...string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	quoted := make([]string, 0, len(words))
	for _, w := range words {
		if w = clean(w); w == "" || strings.Trim(w, plain) != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}
