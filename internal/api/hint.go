package api

import (
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
	again := func(or publish.Op) {
		if op = on.op; op == publish.OpNone {
			op = or
		}
		args = on.same(args, e.Field, e.Fix.Without...)
		if on.cut && hasBody(op) {
			lines = append(lines, "The body was not read to its end: add the fields that are missing here.")
		}
	}
	switch op {
	case publish.OpNone:
		if e.Fix.Note == "" {
			lines = []string{"See " + base + "/openapi.json for what this service takes."}
		}
		again(publish.OpNone)
	case publish.OpSame:
		again(publish.OpNone)
	case publish.OpHeader:
		lines = append(lines, "Send the key of an earlier publish or signup in the Authorization header:")
		on.keyed = true
		again(publish.OpWhoami)
	case publish.OpRotate:
		lines = append(lines, "Send the key in the header. It may have been logged where it was, so replace it at "+base+"/account when you can:")
		on.keyed = true
		again(publish.OpWhoami)
	case publish.OpEncode:
		again(publish.OpPublish)
		lines = append(lines, on.encodes(args))
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
	case e.Code == publish.CodePart1First && takesFile(op):
		lines = append(lines, firstThenThis(base, on, op, args)...)
	default:
		lines = append(lines, command(base, on, op, args))
	}
	return joined(lines)
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
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	return "In a form the file is sent as it is, by the command below. For JSON, base64 < " + quote(file) + " | tr -d '\\n' prints the content:"
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
	first := []string{command(base, on, op, args)}
	if !has(on.args, "upload_id") || !has(on.args, "part") && !onlyTotal(on.args) {
		return first
	}
	later := slices.DeleteFunc(slices.Clone(on.args), func(a publish.Arg) bool { return !slices.Contains(ofEachPart, a.Name) })
	return append(first, command(base, on, op, later))
}

// ofEachPart are the fields that every part has; the others come with part 1.
var ofEachPart = []string{"project_id", "upload_id", "part", "total_parts"}
