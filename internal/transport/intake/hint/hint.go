// Package hint writes the proposal that corrects a refused request: [Advise] as sentences, as a call in the form of the
// request, and as data.
//
// The domain supplies the proposal as data, a sandlot.Fix; this package completes it with the arguments of the request:
// it repeats every good one, and changes nothing else. It never repeats a key, or characters that a shell, a terminal
// or a reader could misread: see [Showable]. A value that only the client can know is a placeholder in angle brackets,
// which the service refuses as it stands. All functions may be called concurrently.
package hint

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sandlot"
)

// Advice is the advice for a refused request.
type Advice struct {
	// Text is never empty: sentences and then, if a call helps, calls in the form of the request: each on a line of its
	// own as a curl call, or each as an HTTP request for one in JSON that read no file. For a tool it has the sentences
	// alone.
	Text string
	Fix  *Fix // the first of the calls; nil: no call helps
}

// Advise returns the advice for a refused request. base is the address of the service, without a slash at its end.
func Advise(base string, on Request, e *sandlot.Error) Advice {
	if e.Code == sandlot.CodeContentTooLarge && !on.many() && on.aboveAll() {
		return Advice{Text: fmt.Sprintf("A file may have at most %d bytes, in parts as well, and this one has more. "+
			"Make it smaller, or split it into several files of the project.", on.Most)}
	}
	p := propose(on, e)
	lines := append([]string{on.lostKeys(e), e.Fix.Note}, p.sentences(base, e)...)
	if p.waits {
		return Advice{Text: Lines(lines)}
	}
	lead, calls := p.calls(base, e)
	prose := Lines(append(lines, lead))
	if prose == "" {
		prose = "The corrected call:"
	}
	out := Advice{prose, calls[0].fix()}
	if on.Tool {
		return out
	}
	written := []string{prose}
	for _, c := range calls {
		written = append(written, c.write(p.on))
	}
	out.Text = Lines(append(written, on.letIn(base, e)...))
	return out
}

// letIn returns the curl calls by which a person lets a client without a key in (RFC 8628), and the sentences to them;
// nothing for programs that send JSON, which find them in the documents.
func (on Request) letIn(base string, e *sandlot.Error) []string {
	if !on.Logins || on.JSON || e.Code != sandlot.CodeKeyRequired || e.Fix.Op != sandlot.OpPresentKey {
		return nil
	}
	const post = "curl -sS -d client_id=terminal "
	ask := post + Quote(base+"/oauth/device")
	if project := cmp.Or(on.Arg("project_id"), on.Arg("id")); project != "" {
		ask += " --data-urlencode " + Quote("project="+project)
	}
	return []string{
		"Without a key, your user lets you in: they open " + base + "/connect, log in, and type the user_code of the first call. " +
			"Repeat the second every 6 s until its access_token is there: that is the <api_key> above.",
		ask, post + Quote(base+"/oauth/token") + " -d grant_type=urn:ietf:params:oauth:grant-type:device_code -d 'device_code=<device_code>'",
	}
}

// sentences returns the sentences of a proposal after the note of its Fix.
func (p proposal) sentences(base string, e *sandlot.Error) (lines []string) {
	if p.waits {
		if e.Fix.Note == "" {
			seconds := max(1, int(math.Ceil(e.RetryAfter.Seconds())))
			lines = append(lines, fmt.Sprintf("Send the same request again in %d s.", seconds))
		}
		return lines
	}
	switch silent := e.Fix.Note == "" && (e.Fix.Op == sandlot.OpNone || p.op == sandlot.OpNone); {
	case silent && p.on.Tool:
		lines = append(lines, "The description of the tool says what it takes.")
	case silent:
		lines = append(lines, "See "+base+"/openapi.json for what this service takes.")
	}
	switch {
	case e.Fix.Op == sandlot.OpPresentKey && !p.on.Tool:
		lines = append(lines, "Send the key of an earlier publish or signup in the Authorization header:")
	case e.Fix.Op == sandlot.OpRotate && p.on.Tool:
		lines = append(lines, "Leave the key out. It may have been logged where it was, so replace it at "+base+"/account when you can:")
	case e.Fix.Op == sandlot.OpRotate:
		lines = append(lines, "Send the key in the header. It may have been logged where it was, so replace it at "+
			base+"/account when you can:")
	}
	if p.same && p.on.Cut && p.op.Row().Fields != nil && p.op != sandlot.OpDeleteProject {
		lines = append(lines, "The rest of the body wasn't read: add any fields and files missing below.")
	}
	if e.Fix.Op == sandlot.OpEncode {
		lines = append(lines, p.on.encodes(p.args))
	}
	return lines
}

// lostKeys returns the advice for lost keys, where the request needs another key than it has.
func (on Request) lostKeys(e *sandlot.Error) string {
	if e.Fix.Op != sandlot.OpPresentKey && e.Code != sandlot.CodeWrongProject && e.Code != sandlot.CodeAccountKeyRequired {
		return ""
	}
	return on.LostKeys
}

// calls returns the calls of a proposal, at least one, and the sentence before them.
func (p proposal) calls(base string, e *sandlot.Error) (lead string, _ []call) {
	on, op, args := p.on, p.op, p.args
	switch {
	case e.Fix.Op == sandlot.OpPack && on.Archive != "":
		return "", []call{packing(base, on, op, args, e.Fix.LeaveOut)}
	case e.Code == sandlot.CodeContentTooLarge && takesFile(op) && !on.many():
		lead, c := cutIntoParts(base, on, op, args)
		return lead, []call{c}
	case (e.Code == sandlot.CodeMissingField || e.Field == "filename") && len(on.Files) > 0 && op == sandlot.OpDeleteFile:
		return "This call deletes one file. An update deletes several in one version:", []call{deletion(base, on, args)}
	case e.Code == sandlot.CodePart1First && takesFile(op):
		return "", firstThenThis(base, on, op, args)
	}
	return "", []call{callOf(base, on, op, args)}
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
	if _, text := on.brought(args); text && on.JSON {
		return "Send the text of the file as it is:"
	}
	file := on.file(args)
	if strings.HasPrefix(file, "<") {
		return "Each part is base64 on its own: cut the bytes of the file, not the base64 text. " +
			"In a form, the part is sent as it is:"
	}
	return "For JSON, let a program write the base64 text. In a form the file is sent as it is:"
}

// Warned returns the hint of a warning with the call that the warning proposes, as the text of an HTTP request or as a
// curl call. It uses nothing else of the current request, so that an answer from a record is the same. An update without
// a filename is one of many files. base is as in Advise.
func Warned(base string, asJSON bool, w sandlot.Warning) string {
	odd := func(a sandlot.Arg) bool { text, ok := a.Value.(string); return ok && !Showable(text) }
	if slices.ContainsFunc(w.Fix.Args, odd) {
		return w.Hint
	}
	on := Request{Op: w.Fix.Op, Keyed: true, JSON: asJSON}
	if w.Fix.Op == sandlot.OpUpdate && !has(w.Fix.Args, "filename") {
		on.Archive = "<archive>"
	}
	return Lines([]string{w.Hint, CallOf(base, on, w.Fix.Op, w.Fix.Args)})
}

// Lines joins the lines that are not empty.
func Lines(lines []string) string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l == "" })
	return strings.Join(lines, "\n")
}

// firstThenThis returns part 1 of an upload, and then the call that came too early.
func firstThenThis(base string, on Request, op sandlot.Op, args []sandlot.Arg) []call {
	on.IdempotencyKey = "" // an Idempotency-Key is for one request
	first := []call{callOf(base, on, op, args)}
	if !has(on.Args, "upload_id") || !has(on.Args, "part") && !onlyTotal(on.Args) {
		return first
	}
	later := slices.DeleteFunc(slices.Clone(on.Args), func(a sandlot.Arg) bool { return !slices.Contains(ofEachPart, a.Name) })
	return append(first, callOf(base, on, op, later))
}

// ofEachPart are the arguments of every part. All others come with part 1.
var ofEachPart = []string{"project_id", "upload_id", "part", "total_parts"}
