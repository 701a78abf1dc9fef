package hint

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"sandlot/internal/publish"
)

// What the client has to fill in. The service refuses each of these where it stands.
const (
	unknownFile    = "<filename>"
	unknownProject = "<project_id>"
	unknownVersion = "<version>"
	unknownFolder  = "<folder of the page>"
	unknownEmail   = publish.PlaceholderEmail
	unknownPart    = publish.PlaceholderPart
)

// A proposal is the call that mends a request: what a Fix says, filled up with what the
// request said.
type proposal struct {
	on    Request // with what the proposal changes of it
	op    publish.Op
	args  []publish.Arg
	same  bool // whether op is that of the request
	waits bool // whether no other call helps, only the same one later, if any
}

// propose completes the Fix of an error with what the request said. The argument at fault is
// not repeated.
func propose(on Request, e *publish.Error) proposal {
	p := proposal{on: on, op: e.Fix.Op, args: e.Fix.Args}
	p.on.Doubt = on.Doubt || e.Field == "project_id"
	if e.Field == "idempotency_key" {
		p.on.IdempotencyKey = rand.Text()
	}
	fault := e.Field
	if missing(e.Code) && has(on.Args, fault) { // it came where it is not read, or under another name
		p.args, fault = without(p.args, fault), ""
	}
	own := func(or publish.Op) {
		if p.op = p.on.Op; p.op == publish.OpNone {
			p.op = or
		}
		p.args, p.same = p.on.same(p.args, fault, e.Fix.Without...), true
	}
	switch e.Fix.Op {
	case publish.OpNone, publish.OpSame:
		own(publish.OpNone)
	case publish.OpPresentKey:
		p.on.Keyed = true
		own(publish.OpWhoami)
	case publish.OpRotate:
		if on.Op == publish.OpSignup {
			p.on.Op = publish.OpNone // whoever has a key needs no other account
		}
		p.on.Keyed = true
		own(publish.OpWhoami)
	case publish.OpEncode:
		own(publish.OpPublish)
	case publish.OpPack:
		if own(publish.OpPublish); !takesFile(p.op) {
			p.op = publish.OpPublish
		}
		p.on.Files, p.on.Archive = nil, packedName
		p.args = slices.DeleteFunc(p.args, func(a publish.Arg) bool { return slices.Contains(ofBytes, a.Name) })
	case publish.OpPublish:
		p.args = p.on.instead(p.args)
	case publish.OpWait, publish.OpNothing:
		p.waits = true
	}
	return p
}

// ofBytes are the arguments that say something of bytes which are not sent again.
var ofBytes = []string{"filename", "content", "content_encoding", "archive_format", "primary_file", "sha256", "size", "upload_id", "part", "total_parts"}

// rest says, if it is so, that the call may lack what was not read of the request.
func (p proposal) rest() string {
	if p.same && p.on.Cut && hasBody(p.op) {
		return "The rest of the body wasn't read: add any fields and files missing below."
	}
	return ""
}

// patience says when to send the same request again, unless the Fix says it.
func (p proposal) patience(e *publish.Error) string {
	if e.Fix.Note != "" {
		return ""
	}
	return fmt.Sprintf("Send the same request again in %d s.", max(1, int(math.Ceil(e.RetryAfter.Seconds()))))
}

// missing reports whether an argument is missing, by a code.
func missing(code publish.Code) bool {
	return code == publish.CodeMissingField || code == publish.CodeEmailRequired
}

// without returns the arguments but for one, and leaves args alone.
func without(args []publish.Arg, name string) []publish.Arg {
	return slices.DeleteFunc(slices.Clone(args), func(a publish.Arg) bool { return a.Name == name })
}

// instead returns the arguments of a publish that is proposed in place of an update, with the
// title, handle and language of the update.
func (on *Request) instead(args []publish.Arg) []publish.Arg {
	if !strings.HasSuffix(strings.ToLower(on.Local), ".html") {
		on.Local = "" // a page is published, and that was none
	}
	for _, a := range on.Args {
		if slices.Contains(decorations, a.Name) && !has(args, a.Name) {
			args = append(args, a)
		}
	}
	return args
}

func hasBody(op publish.Op) bool {
	return takesFile(op) || op == publish.OpDeleteFile || op == publish.OpRestore || op == publish.OpAmend || op == publish.OpTicket || op == publish.OpSignup
}

func takesFile(op publish.Op) bool { return op == publish.OpPublish || op == publish.OpUpdate }

// withDefaults adds the arguments without which a call would be refused. It never makes up a file
// or a project: names that are not known have to be filled in.
func withDefaults(on Request, op publish.Op, args []publish.Arg) []publish.Arg {
	var more []publish.Arg
	add := func(name, value string) {
		if value != "" && !has(args, name) {
			more = append(more, publish.Arg{Name: name, Value: value})
		}
	}
	begins := argument(args, "part", "1") == "1" && !onlyTotal(args)
	switch op {
	case publish.OpPublish:
		if !on.Keyed && begins {
			add("email", unknownEmail)
		}
	case publish.OpUpdate:
		id := argument(on.Args, "project_id", "")
		if id == "" && (on.Cut || on.Doubt || on.Op != publish.OpUpdate) {
			id = unknownProject // without it, another project than was meant could be changed
		}
		add("project_id", id)
		if begins && !on.many() && !has(args, "archive_format") {
			add("filename", unknownFile)
		}
	case publish.OpTicket:
		if !on.Keyed {
			add("email", unknownEmail)
		}
		if has(args, "project_id") && !has(args, "archive_format") {
			add("filename", unknownFile)
		}
	case publish.OpDeleteFile:
		add("project_id", argument(on.Args, "project_id", unknownProject))
		add("filename", unknownFile)
	case publish.OpRestore:
		add("project_id", argument(on.Args, "project_id", unknownProject))
		add("version", unknownVersion)
	}
	return append(more, args...)
}

// onlyTotal recognises the call that tells how many parts an upload has.
func onlyTotal(args []publish.Arg) bool {
	return has(args, "upload_id") && has(args, "total_parts") && !has(args, "part")
}

// asObject writes arguments as a JSON object, in their order. < and > are not escaped, for the
// result is never parsed as HTML.
func asObject(args []publish.Arg) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, a := range args {
		if i > 0 {
			out.WriteByte(',')
		}
		for _, v := range []any{a.Name, a.Value} {
			_ = enc.Encode(v) // texts and numbers always encode
			out.Truncate(out.Len() - len("\n"))
			out.WriteByte(':')
		}
		out.Truncate(out.Len() - len(":"))
	}
	out.WriteByte('}')
	return out.String()
}
