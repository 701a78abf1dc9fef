package api

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"sandlot/internal/publish"
)

// hint says how to mend a request: sentences, and then the commands, each on a
// line of its own, that work when pasted into a shell once what stands in angle
// brackets is filled in. It is never empty.
func hint(base string, on request, e *publish.Error) string {
	op, args := e.Fix.Op, e.Fix.Args
	lines := []string{e.Fix.Note}
	on.doubt = on.doubt || e.Field == "project_id"
	if e.Field == idempotencyArgument {
		on.once = rand.Text()
	}
	fault := e.Field
	if missing(e.Code) && has(on.args, fault) { // it came where it is not read, or under another name
		args, fault = without(args, fault), ""
	}
	again := func(or publish.Op) {
		if op = on.op; op == publish.OpNone {
			op = or
		}
		args = on.same(args, fault, e.Fix.Without...)
		if on.cut && hasBody(op) {
			lines = append(lines, "The rest of the body wasn't read: add any fields missing below.")
		}
	}
	if e.Code == publish.CodeContentTooLarge && on.aboveAll() {
		return fmt.Sprintf("A file may have at most %d bytes, in parts as well, and this one has more. Make it smaller, or split it into several files of the project.", on.most)
	}
	switch op {
	case publish.OpNone:
		if e.Fix.Note == "" {
			lines = []string{"See " + base + "/openapi.json for what this service takes."}
		}
		again(publish.OpNone)
	case publish.OpSame:
		again(publish.OpNone)
	case publish.OpPresentKey:
		lines = append(lines, "Send the key of an earlier publish or signup in the Authorization header:")
		on.keyed = true
		again(publish.OpWhoami)
	case publish.OpRotate:
		if on.op == publish.OpSignup {
			on.op = publish.OpNone // whoever has a key needs no other account
		}
		lines = append(lines, "Send the key in the header. It may have been logged where it was, so replace it at "+base+"/account when you can:")
		on.keyed = true
		again(publish.OpWhoami)
	case publish.OpEncode:
		again(publish.OpPublish)
		lines = append(lines, on.encodes(args))
	case publish.OpPublish:
		args = on.instead(args)
	case publish.OpWait, publish.OpNothing:
		if e.Fix.Note == "" {
			lines = append(lines, fmt.Sprintf("Send the same request again in %d s.", max(1, seconds(e.RetryAfter))))
		}
		return joined(lines)
	}
	switch {
	case e.Code == publish.CodeContentTooLarge && takesFile(op):
		lines = append(lines, cutIntoParts(base, on, op, args)...)
	case e.Code == publish.CodeMissingField && len(on.files) > 0 && takesFile(op):
		lines = append(lines, oneByOne(base, on, op, args)...)
	case e.Code == publish.CodeMissingField && len(on.files) > 0 && op == publish.OpDeleteFile:
		lines = append(lines, "One call deletes one file. Send one after the other:")
		lines = append(lines, eachFile(base, on, op, on.files, args)...)
	case e.Code == publish.CodePart1First && takesFile(op):
		lines = append(lines, firstThenThis(base, on, op, args)...)
	default:
		lines = append(lines, command(base, on, op, args))
	}
	return withProse(lines)
}

// withProse says something to a command that is clear without a word.
func withProse(lines []string) string {
	if hint := joined(lines); hint != lines[len(lines)-1] || !strings.HasPrefix(hint, "curl ") {
		return hint
	}
	return "The corrected call:\n" + joined(lines)
}

func missing(code publish.Code) bool {
	return code == publish.CodeMissingField || code == publish.CodeEmailRequired
}

func without(args []publish.Arg, name string) []publish.Arg {
	return slices.DeleteFunc(slices.Clone(args), func(a publish.Arg) bool { return a.Name == name })
}

// aboveAll reports whether the file is known to be larger than any may be.
func (on request) aboveAll() bool {
	for _, a := range on.args {
		if n, ok := a.Value.(int); ok && a.Name == "size" && int64(n) > on.most {
			return on.most > 0
		}
	}
	return on.most > 0 && on.least > on.most
}

// instead are the arguments of a publish in place of an update, which has its words.
func (on *request) instead(args []publish.Arg) []publish.Arg {
	if !strings.HasSuffix(strings.ToLower(on.local), ".html") {
		on.local = "" // a page is published, and that was none
	}
	for _, a := range on.args {
		if slices.Contains(decorations, a.Name) && !has(args, a.Name) {
			args = append(args, a)
		}
	}
	return args
}

func hasBody(op publish.Op) bool {
	return takesFile(op) || op == publish.OpDeleteFile || op == publish.OpSignup
}

func takesFile(op publish.Op) bool { return op == publish.OpPublish || op == publish.OpUpdate }

// encodes says where base64 comes from. Nobody has to write it out.
func (on request) encodes(args []publish.Arg) string {
	file := on.file(args)
	if strings.HasPrefix(file, "<") {
		return "Each part is base64 on its own: cut the bytes of the file, not the base64 text. In a form, the part is sent as it is:"
	}
	return "For JSON, let a program write the base64 text. In a form the file is sent as it is:"
}

func joined(lines []string) string {
	var some []string
	for _, l := range lines {
		if l != "" {
			some = append(some, l)
		}
	}
	return strings.Join(some, "\n")
}

// firstThenThis shows part 1 of an upload, and then the call that came too early.
func firstThenThis(base string, on request, op publish.Op, args []publish.Arg) []string {
	on.once = "" // an Idempotency-Key is for one request
	first := []string{command(base, on, op, args)}
	if !has(on.args, "upload_id") || !has(on.args, "part") && !onlyTotal(on.args) {
		return first
	}
	later := slices.DeleteFunc(slices.Clone(on.args), func(a publish.Arg) bool { return !slices.Contains(ofEachPart, a.Name) })
	return append(first, command(base, on, op, later))
}

// ofEachPart are the fields that every part has; the others come with part 1.
var ofEachPart = []string{"project_id", "upload_id", "part", "total_parts"}
