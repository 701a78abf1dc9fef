package cli

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"sandlot/internal/client/client"
)

type importCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"ZIP of an export, of this server or another."`
	Server string `placeholder:"URL" help:"Server, such as https://play.example.com. (default: SANDLOT_SERVER, then .sandlot/project.json)"`
	Copy   int    `default:"1" placeholder:"N" help:"Within 24 hours a file brings nothing twice; 2 and so on bring it once more. (default: ${default})"`
	DryRun bool   `help:"Check everything, and change nothing. (default: import)"`
	JSON   bool   `help:"Print the API's answer as it is. (default: lines for people)"`
}

// Run takes the projects of an export into the account of the key.
func (c *importCommand) Run(ctx context.Context, env *Env) error {
	if c.Copy < 1 {
		return &Failure{Message: "--copy takes a number from 1 on; nothing was sent", Fix: []string{env.again("--copy", "2")}, Exit: exitUsage}
	}
	f, err := openExport(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := target{Server: c.Server, JSON: c.JSON}.here(env)
	if err != nil {
		return err
	}
	if s.asAccount(); s.Key == "" && len(s.keys) == 0 {
		return s.nobody()
	}
	key, err := f.key(ctx, c.Copy)
	if err != nil {
		return s.explain(ctx, err)
	}
	out, err := s.sendExport(ctx, f, client.Import{Size: f.size, IdempotencyKey: key, DryRun: c.DryRun})
	if err != nil {
		return s.explainImport(ctx, err)
	}
	return s.toldImport(out)
}

// nobody refuses an import before it is sent, where there is no account that it could go to.
func (s *session) nobody() error {
	err := s.refused(&client.Error{Code: "key_required", Status: 401, Message: "there is no key here for " + s.server() + ", so nothing was sent"})
	var f *Failure
	if errors.As(err, &f) {
		f.Notes = []string{"If you have no account there, make one: the answer has its key. Then log in with the key, which is read from standard input:"}
		f.Fix = append([]string{command("curl", "-X", "POST", s.server()+"/v1/signup")}, f.Fix...)
	}
	return err
}

// An export is a file that may be one.
type export struct {
	*os.File
	size int64
}

// openExport opens the file, if it can be an export at all: the way to the server may be long.
func openExport(path string) (export, error) {
	cannot := func(err error) (export, error) {
		return export{}, &Failure{Message: fmt.Sprintf("%s cannot be read: %v; nothing was sent", clean(path), cause(err)), Exit: exitOther, cause: err}
	}
	no := func(what string) (export, error) {
		return export{}, &Failure{
			Message: clean(path) + " is no export: " + what + "; nothing was sent", Notes: []string{"An export is made with:"},
			Fix: []string{exportAgain}, Exit: ExitContent,
		}
	}
	info, err := os.Stat(path) // before it is opened, which waits where it is a pipe
	if err != nil {
		return cannot(err)
	}
	if !info.Mode().IsRegular() {
		return no("it is no plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return cannot(err)
	}
	z, err := zip.NewReader(f, info.Size())
	switch {
	case errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		_ = f.Close()
		return no("it is no ZIP, or not a whole one")
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		_ = f.Close()
		return cannot(err)
	case !slices.ContainsFunc(z.File, func(e *zip.File) bool { return e.Name == manifestName }):
		_ = f.Close()
		return no("it has no " + manifestName)
	}
	return export{f, info.Size()}, nil
}

// manifestName is the entry that every export has.
const manifestName = "manifest.json"

// exportAgain makes another export.
const exportAgain = "sandlot export --all-versions -o '<export.zip>' --server '<https://where.it.is.example>'"

// key is the idempotency key of a copy of the export: it is made of the bytes, so that whoever sends them again, from
// wherever, goes on where it was broken off.
func (f export) key(ctx context.Context, n int) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, until{ctx, io.NewSectionReader(f, 0, f.size)}); err != nil {
		return "", &Failure{Message: fmt.Sprintf("%s cannot be read: %v; nothing was sent", clean(f.Name()), cause(err)), Exit: exitOther, cause: err}
	}
	return "import-" + strconv.Itoa(n) + "-" + hex.EncodeToString(h.Sum(nil)), nil
}

// until is a reader that ends with its context.
type until struct {
	context.Context
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}

// sendExport sends an export as often as it takes: the server brings in what it has not brought yet.
func (s *session) sendExport(ctx context.Context, f export, in client.Import) (out client.Imported, err error) {
	m := s.env.meter(f.size, s.quiet)
	defer m.end()
	var last *counted
	err = s.call(ctx, func() error {
		last.undo()
		last = m.count(io.NewSectionReader(f, 0, f.size))
		in.Archive = telling{last}
		out, err = s.Import(ctx, in)
		return err
	})
	return out, err
}

// telling is a reader that tells how far it is read, where there is no bar.
type telling struct{ *counted }

func (t telling) Read(p []byte) (int, error) {
	n, err := t.counted.Read(p)
	if t.m.size > wholeMax { // less is sent before anybody asks
		t.m.part()
	}
	return n, err
}

// toldImport prints what became of each project. Those that were refused are an error.
func (s *session) toldImport(out client.Imported) error {
	if s.quiet {
		if err := s.env.print(true, out.Text); err != nil {
			return err
		}
	}
	for _, p := range out.Projects {
		if p.Refused != nil {
			s.toldRefused(p)
			continue
		}
		if !s.quiet {
			fmt.Fprintf(s.env.Out, "%s  ->  %s\n", clean(p.From), become(p, out.DryRun))
		}
		s.env.warn(p.Warnings)
	}
	if !s.quiet {
		s.env.warn(out.Warnings)
	}
	return s.refusedProjects(out)
}

// become says in a line what became of a project.
func become(p client.ImportedProject, dry bool) string {
	text := plural(p.Versions, "version", "versions") + ", " + plural(p.Files, "file", "files")
	switch {
	case dry:
		return "could be imported: " + text
	case p.Replayed:
		text = "was imported before"
	}
	return clean(p.ProjectID) + "  " + clean(p.URL) + "  " + text
}

// toldRefused says why a project was not taken.
func (s *session) toldRefused(p client.ImportedProject) {
	s.env.say("refused: %s: %s", clean(p.From), clean(p.Refused.Message))
	for _, note := range notes(p.Refused.Hint) {
		s.env.say("         %s", clean(note))
	}
}

// refusedProjects is the error of an import that some projects did not survive.
func (s *session) refusedProjects(out client.Imported) error {
	if out.Failed == 0 {
		if len(out.Projects) == 0 {
			s.env.say("The export has no projects.")
		}
		return nil
	}
	f := &Failure{
		Message: fmt.Sprintf("%d of %d projects refused; the others were imported", out.Failed, len(out.Projects)), Exit: ExitPartly,
		Notes: []string{"To bring what was refused, mend it where it is, make another export of it alone, and import that one:"},
		Fix:   []string{exportAgain},
	}
	if out.DryRun {
		f.Message = fmt.Sprintf("%d of %d projects would be refused; nothing was changed", out.Failed, len(out.Projects))
	}
	if out.Failed == len(out.Projects) {
		if f.Exit = exitOf(out.Projects[0].Refused.Status); !out.DryRun {
			f.Message = "no project was imported"
		}
	}
	if slices.ContainsFunc(out.Projects, later) {
		f.Notes, f.Fix = []string{"When there is room again, the same command brings the rest, and nothing twice:"}, []string{s.env.again()}
	} else if slices.ContainsFunc(out.Projects, deleted) {
		f.Notes, f.Fix = []string{"What was imported before and is deleted now comes again, with all others, as another copy:"}, []string{s.env.again("--copy", "2")}
	}
	return f
}

// later reports whether a project was refused for what may change here.
func later(p client.ImportedProject) bool {
	return p.Refused != nil && exitOf(p.Refused.Status) == exitLimit
}

// deleted reports whether an earlier import had brought a project that is not there any more.
func deleted(p client.ImportedProject) bool {
	return p.Refused != nil && exitOf(p.Refused.Status) == exitMissing
}

// explainImport is explain for what an import is refused for as a whole.
func (s *session) explainImport(ctx context.Context, err error) error {
	var refused *client.Error
	if ended(ctx) || !errors.As(err, &refused) {
		return s.explain(ctx, err)
	}
	f := &Failure{Message: clean(refused.Message), Exit: exitOf(refused.Status), Fix: []string{exportAgain}, cause: err}
	switch refused.Code {
	case "invalid_archive":
		f.Notes = []string{"Nothing was imported. Another export is made with:"}
	case "content_too_large":
		f.Notes = []string{"Nothing was imported. An export with the key of one project has that one alone, and one without earlier versions is smaller:"}
		f.Fix = []string{command("sandlot", "export", "-o", "<export.zip>", "--server", "<https://where.it.is.example>")}
	case "not_found":
		f.Message, f.Notes = "the server at "+s.server()+" is too old to import; nothing was sent", []string{"If the server is another one, name it:"}
		f.Fix, f.Exit = []string{s.env.again("--server", placeholderServer)}, exitServer
	default:
		return s.explain(ctx, err)
	}
	return f
}
