package hint

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/format/names"
)

// Placeholders for values that the client has to fill in. The service refuses each of them as it stands.
const (
	unknownFile    = "<filename>"
	unknownProject = "<project_id>"
	unknownFolder  = "<folder of the page>"
	unknownEmail   = sandlot.PlaceholderEmail
	unknownPart    = sandlot.PlaceholderPart
)

// A proposal is the call that corrects a request: a Fix, completed with the arguments of the request.
type proposal struct {
	on    Request // with the changes of the proposal
	op    sandlot.Op
	args  []sandlot.Arg
	same  bool // whether op is that of the request
	waits bool // whether no other call helps, only the same one later, if any
}

// propose completes the Fix of an error with the arguments of the request. It does not repeat the argument at fault.
func propose(on Request, e *sandlot.Error) proposal {
	p := proposal{on: on, op: e.Fix.Op, args: e.Fix.Args}
	p.on.Doubt = on.Doubt || e.Field == "project_id"
	if e.Field == "idempotency_key" {
		p.on.IdempotencyKey = rand.Text()
	}
	fault := e.Field
	if missing(e.Code) && has(on.Args, fault) { // it came in a place that is not read, or under another name
		p.args, fault = without(p.args, fault), ""
	}
	own := func(or sandlot.Op) {
		if p.op = p.on.Op; p.op == sandlot.OpNone {
			p.op = or
		}
		p.args, p.same = p.on.same(p.args, fault, e.Fix.Without...), true
	}
	switch e.Fix.Op {
	case sandlot.OpNone, sandlot.OpSame:
		own(sandlot.OpNone)
	case sandlot.OpPresentKey, sandlot.OpRotate:
		if e.Fix.Op == sandlot.OpRotate && on.Op == sandlot.OpSignup {
			p.on.Op = sandlot.OpNone // a client with a key needs no other account
		}
		p.on.Keyed = true
		own(sandlot.OpWhoami)
	case sandlot.OpProject:
		p.on.Keyed = p.on.Keyed || e.Code == sandlot.CodeHeld // its owner alone reads it
	case sandlot.OpEncode:
		own(sandlot.OpPublish)
	case sandlot.OpPack:
		if own(sandlot.OpPublish); !takesFile(p.op) {
			p.op = sandlot.OpPublish
		}
		if p.on.Files, p.on.Archive = nil, packedName; on.JSON && on.Archive == "" {
			p.on.Files, p.on.Archive = withPage(on.Files, e), ""
		}
		p.args = slices.DeleteFunc(p.args, func(a sandlot.Arg) bool { return slices.Contains(ofBytes, a.Name) })
	case sandlot.OpPublish:
		p.args = p.on.instead(p.args)
	case sandlot.OpWait, sandlot.OpNothing:
		p.waits = true
	}
	return p
}

// withPage returns names of files that can be stored together, with a page among them if the page was missing.
func withPage(sent []string, e *sandlot.Error) (list []string) {
	for _, name := range sent {
		list = append(list, usable(name))
	}
	if e.Code == sandlot.CodeNoPrimaryFile || len(list) == 0 {
		list = append([]string{"index.html"}, list...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for {
		_, other, found := names.Clash(list)
		if !found {
			return list
		}
		list = slices.DeleteFunc(list, func(name string) bool { return name == other })
	}
}

// ofBytes are the arguments that describe bytes which are not sent again.
var ofBytes = []string{
	"filename", "content", "content_encoding", "archive_format", "primary_file", "sha256", "size", "upload_id", "part",
	"total_parts",
}

// missing reports whether a code is that of a missing argument.
func missing(code sandlot.Code) bool {
	return code == sandlot.CodeMissingField || code == sandlot.CodeEmailRequired
}

// without returns the arguments except one, and leaves args alone.
func without(args []sandlot.Arg, name string) []sandlot.Arg {
	return slices.DeleteFunc(slices.Clone(args), func(a sandlot.Arg) bool { return a.Name == name })
}

// instead returns the arguments of a publish that is proposed in place of an update, with the title, handle and
// language of the update.
func (on *Request) instead(args []sandlot.Arg) []sandlot.Arg {
	if !strings.HasSuffix(strings.ToLower(on.Local), ".html") {
		on.Local = "" // only a page can be published alone, and that was none
	}
	for _, a := range on.Args {
		if slices.Contains(decorations, a.Name) && !has(args, a.Name) {
			args = append(args, a)
		}
	}
	return args
}

func takesFile(op sandlot.Op) bool { return op.Row().Bytes }

// withDefaults adds the arguments without which a call would be refused. It never makes up a file or a project: unknown
// names become placeholders.
func withDefaults(on Request, op sandlot.Op, args []sandlot.Arg) []sandlot.Arg {
	var more []sandlot.Arg
	add := func(name, value string) {
		if value != "" && !has(args, name) {
			more = append(more, sandlot.Arg{Name: name, Value: value})
		}
	}
	begins := argument(args, "part", "1") == "1" && !onlyTotal(args)
	switch op {
	case sandlot.OpReport:
		add("project", unknownProject)
		add("reason", "deceptive")
	case sandlot.OpPublish:
		if !on.Keyed && begins {
			add("email", unknownEmail)
		}
	case sandlot.OpUpdate:
		id := argument(on.Args, "project_id", "")
		if id == "" && (on.Cut || on.Doubt || on.Op != sandlot.OpUpdate) {
			id = unknownProject // without it, the call could change another project
		}
		add("project_id", id)
		if begins && !on.many() && !has(args, "archive_format") && !on.amends(args) {
			add("filename", unknownFile)
		}
	case sandlot.OpTicket:
		if !on.Keyed {
			add("email", unknownEmail)
		}
		if has(args, "project_id") && !has(args, "archive_format") {
			add("filename", unknownFile)
		}
	default:
		for _, f := range op.Row().Fields {
			if f.Required && f.Name == "project_id" {
				add(f.Name, argument(on.Args, f.Name, unknownProject))
			} else if f.Required {
				add(f.Name, "<"+f.Name+">")
			}
		}
	}
	return append(more, args...)
}

// onlyTotal recognizes the call that declares the number of parts of an upload.
func onlyTotal(args []sandlot.Arg) bool {
	return has(args, "upload_id") && has(args, "total_parts") && !has(args, "part")
}

// asObject writes arguments as a JSON object, in their order. It does not escape < and >, for the result is never
// parsed as HTML.
func asObject(args []sandlot.Arg) string {
	var list []string
	for _, a := range args {
		list = append(list, asText(a.Name)+":"+asText(a.Value))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// asText writes a text, a number or a list of these as JSON.
func asText(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // these always encode
	return strings.TrimSuffix(out.String(), "\n")
}
