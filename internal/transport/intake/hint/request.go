package hint

import (
	"crypto/rand"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/names"
)

// A Request holds the known facts of the current request. A hint repeats it, so that the proposed call changes only the
// intended target.
type Request struct {
	Op             sandlot.Op
	Keyed          bool          // whether it brought a key
	Token          bool          // whether it brought the upload_token of an upload
	Args           []sandlot.Arg // as they were sent, if they are Showable
	Cut            bool          // whether there was a body that was not read to its end
	Doubt          bool          // whether it named a project that cannot be repeated
	IdempotencyKey string        // if it is Showable
	Local          string        // the name of the file on the client's side, if known
	Files          []string      // the names in a list of files
	Archive        string        // the name of the archive on the client's side; "" if none was sent
	JSON           bool          // whether it was a JSON object
	Tool           bool          // whether a tool made it, whose caller sends no HTTP
	LostKeys       string        // the advice for lost keys
	Logins         bool          // whether a person can let the client in, see sandlot.Places
	Limit          int64         // the most content of one call, in bytes
	Most           int64         // the largest file, in bytes, in any number of parts; 0: unknown
}

// guards are the arguments that limit the effect of a call. They stay in the proposed call, even if one of them is at
// fault. It never changes.
var guards = []string{"dry_run", "if_version", "replace", "sha256", "size"}

// decorations are the arguments that name a project. It never changes.
var decorations = []string{"title", "handle", "lang"}

// argOrder is the order in which arguments are printed. It never changes.
var argOrder = []string{
	"project_id", "id", "board", "player", "feedback", "filename", "version", "primary_file", "archive_format", "email", "title", "handle", "lang",
	"sha256", "size", "if_version", "edits", "delete", "upload_id", "part", "total_parts",
}

// maxShown is the longest text that is repeated, in bytes: as long as a filename may be.
const maxShown = 512

// Add adds an argument, if it is Showable and the request has none of that name yet.
func (on *Request) Add(name, value string) {
	if Showable(value) && argument(on.Args, name, "") == "" {
		on.Args = append(on.Args, sandlot.Arg{Name: name, Value: value})
	}
}

// Has reports whether the request had an argument of that name.
func (on Request) Has(name string) bool { return has(on.Args, name) }

// Arg returns the value of the request's argument of that name, empty if there is none.
func (on Request) Arg(name string) string { return argument(on.Args, name, "") }

// Showable reports whether a text can stand in a command: short, without a key or a piece of one, and without
// characters that a terminal or a reader could misread.
func Showable(s string) bool {
	odd := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	return s != "" && len(s) <= maxShown && utf8.ValidString(s) && inspect.Redact(s) == s && !strings.ContainsFunc(s, odd)
}

// LocalName returns the name of a sent file on the client's side, without the host of an address; "" for a folder and
// for a name that is not Showable.
func LocalName(sent string) string {
	if !Showable(sent) || strings.HasSuffix(sent, "/") {
		return "" // a folder is not a file
	}
	if name, _, err := names.ReadFilename(sent); err == nil {
		return name
	}
	if _, rest, ok := strings.Cut(sent, "://"); ok {
		return path.Base(rest)
	}
	return sent
}

// same returns the arguments of the request, replaced by those of the fix where both have one. It drops the argument at
// fault, and those that the fix leaves out, unless the fix has them.
func (on Request) same(fix []sandlot.Arg, fault string, without ...string) []sandlot.Arg {
	var all []sandlot.Arg
	for _, sent := range on.Args {
		if (sent.Name != fault || slices.Contains(guards, fault)) && !has(fix, sent.Name) && !slices.Contains(without, sent.Name) {
			all = append(all, sent)
		}
	}
	for _, a := range fix {
		// With a key, an email would change the account: it does not belong in a correction.
		if a.Name != "email" || !on.Keyed {
			all = append(all, a)
		}
	}
	if on.Op == sandlot.OpPublish || on.Op == sandlot.OpUpdate {
		all = inParts(all, fault)
	}
	slices.SortStableFunc(all, func(a, b sandlot.Arg) int { return order(a) - order(b) })
	return all
}

// order returns the rank of an argument among others.
func order(a sandlot.Arg) int {
	if i := slices.Index(argOrder, a.Name); i >= 0 {
		return i
	}
	return len(argOrder)
}

// inParts completes a call of an upload whose upload_id or part was refused. Without a usable upload_id the upload
// begins anew. Only the client knows the number of the part.
func inParts(args []sandlot.Arg, fault string) []sandlot.Arg {
	upload, part, total := has(args, "upload_id"), has(args, "part"), has(args, "total_parts")
	switch {
	case upload && part, !upload && !part && !total && fault != "part" && fault != "upload_id":
		return args
	case upload && total && fault != "part" && fault != "content":
		return args // declares the total alone
	case upload:
		return append(args, sandlot.Arg{Name: "part", Value: sandlot.PlaceholderPart})
	}
	args = slices.DeleteFunc(args, func(a sandlot.Arg) bool { return a.Name == "upload_id" || a.Name == "part" })
	return append(args, sandlot.Arg{Name: "upload_id", Value: rand.Text()}, sandlot.Arg{Name: "part", Value: 1})
}

// has reports whether there is an argument of that name.
func has(args []sandlot.Arg, name string) bool {
	return slices.ContainsFunc(args, func(a sandlot.Arg) bool { return a.Name == name })
}

// argument returns the value of the argument of that name as text, and or if there is none.
func argument(args []sandlot.Arg, name, or string) string {
	for _, a := range args {
		if a.Name == name {
			return fmt.Sprint(a.Value)
		}
	}
	return or
}
