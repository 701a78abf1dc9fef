// Package hint writes the proposal that corrects a refused request: [Curl] as calls for a shell.
//
// The domain supplies the proposal as data, a sandlot.Fix; this package completes it with the arguments of the request:
// it repeats every good one, and changes nothing else. It never repeats a key, or characters that a shell, a terminal
// or a reader could misread: see [Showable]. A value that only the client can know is a placeholder in angle brackets,
// which the service refuses as it stands. All functions may be called concurrently.
package hint

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sandlot"
)

// Curl returns the advice for a refused request, never empty: sentences and then, if a call helps, curl calls, each on a
// line of its own, which work when pasted into a shell. base is the address of the service, without a slash at its end.
func Curl(base string, on Request, e *sandlot.Error) string {
	if e.Code == sandlot.CodeContentTooLarge && !on.many() && on.aboveAll() {
		return fmt.Sprintf("A file may have at most %d bytes, in parts as well, and this one has more. "+
			"Make it smaller, or split it into several files of the project.", on.Most)
	}
	p := propose(on, e)
	lines := []string{on.lostKeys(e), e.Fix.Note}
	if e.Fix.Note == "" && !p.waits && (e.Fix.Op == sandlot.OpNone || p.op == sandlot.OpNone) {
		lines = []string{"See " + base + "/openapi.json for what this service takes."}
	}
	if p.waits && e.Fix.Note == "" {
		seconds := max(1, int(math.Ceil(e.RetryAfter.Seconds())))
		lines = append(lines, fmt.Sprintf("Send the same request again in %d s.", seconds))
	}
	if p.waits {
		return Lines(lines)
	}
	switch e.Fix.Op {
	case sandlot.OpPresentKey:
		lines = append(lines, "Send the key of an earlier publish or signup in the Authorization header:")
	case sandlot.OpRotate:
		lines = append(lines, "Send the key in the header. It may have been logged where it was, so replace it at "+
			base+"/account when you can:")
	}
	if p.same && p.on.Cut && p.op.Row().Fields != nil && p.op != sandlot.OpDeleteProject {
		lines = append(lines, "The rest of the body wasn't read: add any fields and files missing below.")
	}
	if e.Fix.Op == sandlot.OpEncode {
		lines = append(lines, p.on.encodes(p.args))
	}
	return withProse(append(lines, p.curl(base, e)...))
}

// lostKeys returns the advice for lost keys, where the request needs another key than it has.
func (on Request) lostKeys(e *sandlot.Error) string {
	if e.Fix.Op != sandlot.OpPresentKey && e.Code != sandlot.CodeWrongProject && e.Code != sandlot.CodeAccountKeyRequired {
		return ""
	}
	return on.LostKeys
}

// curl returns the calls of a proposal.
func (p proposal) curl(base string, e *sandlot.Error) []string {
	on, op, args := p.on, p.op, p.args
	switch {
	case e.Fix.Op == sandlot.OpPack:
		return []string{packing(base, on, op, args, e.Fix.LeaveOut)}
	case e.Code == sandlot.CodeContentTooLarge && takesFile(op) && !on.many():
		return cutIntoParts(base, on, op, args)
	case (e.Code == sandlot.CodeMissingField || e.Field == "filename") && len(on.Files) > 0 && op == sandlot.OpDeleteFile:
		return append([]string{"One call deletes one file. Send one after the other:"}, deletions(base, on, args)...)
	case e.Code == sandlot.CodePart1First && takesFile(op):
		return firstThenThis(base, on, op, args)
	}
	return []string{CurlOf(base, on, op, args)}
}

// withProse joins the lines, and puts a sentence before a call that has none.
func withProse(lines []string) string {
	if hint := Lines(lines); hint != lines[len(lines)-1] || !strings.HasPrefix(hint, "curl ") && !strings.HasPrefix(hint, "tar ") {
		return hint
	}
	return "The corrected call:\n" + Lines(lines)
}

// many reports whether the request brought many files.
func (on Request) many() bool { return on.Archive != "" || len(on.Files) > 0 }

// aboveAll reports whether the file is certainly larger than any file may be.
func (on Request) aboveAll() bool {
	size, _ := strconv.ParseInt(on.Arg("size"), 10, 64)
	return on.Most > 0 && size > on.Most
}

// encodes returns the advice to send content without writing base64 by hand.
func (on Request) encodes(args []sandlot.Arg) string {
	if _, ok := on.members(args); ok {
		return "Send the text of the file as it is:"
	}
	file := on.file(args)
	if strings.HasPrefix(file, "<") {
		return "Each part is base64 on its own: cut the bytes of the file, not the base64 text. " +
			"In a form, the part is sent as it is:"
	}
	return "For JSON, let a program write the base64 text. In a form the file is sent as it is:"
}

// Warned returns the hint of a warning with the call that the warning proposes. It uses nothing of the current request,
// so that an answer from a record is the same. An update without a filename is one of many files. base is as in Curl.
func Warned(base string, w sandlot.Warning) string {
	odd := func(a sandlot.Arg) bool { text, ok := a.Value.(string); return ok && !Showable(text) }
	if slices.ContainsFunc(w.Fix.Args, odd) {
		return w.Hint
	}
	on := Request{Op: w.Fix.Op, Keyed: true}
	if w.Fix.Op == sandlot.OpUpdate && !has(w.Fix.Args, "filename") {
		on.Archive = "<archive>"
	}
	return Lines([]string{w.Hint, CurlOf(base, on, w.Fix.Op, w.Fix.Args)})
}

// Lines joins the lines that are not empty.
func Lines(lines []string) string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == "" })
	return strings.Join(lines, "\n")
}

// firstThenThis returns part 1 of an upload, and then the call that came too early.
func firstThenThis(base string, on Request, op sandlot.Op, args []sandlot.Arg) []string {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	first := []string{CurlOf(base, on, op, args)}
	if !has(on.Args, "upload_id") || !has(on.Args, "part") && !onlyTotal(on.Args) {
		return first
	}
	later := slices.DeleteFunc(slices.Clone(on.Args), func(a sandlot.Arg) bool { return !slices.Contains(ofEachPart, a.Name) })
	return append(first, CurlOf(base, on, op, later))
}

// ofEachPart are the arguments of every part. All others come with part 1.
var ofEachPart = []string{"project_id", "upload_id", "part", "total_parts"}
