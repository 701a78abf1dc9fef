package api

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"sandlot/internal/publish"
)

// hint says how to mend a request: a sentence, and a curl command on a line of
// its own that works when pasted, once <api_key> is replaced. It is never empty.
func hint(base string, on request, e *publish.Error) string {
	op, args := e.Fix.Op, e.Fix.Args
	lines := []string{e.Fix.Note}
	again := func(or publish.Op) {
		if op = on.op; op == publish.OpNone {
			op = or
		}
		args = on.same(args, e.Field)
		if on.cut && (op == publish.OpPublish || op == publish.OpUpdate || op == publish.OpDeleteFile || op == publish.OpSignup) {
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
		lines = append(lines, "Treat a key that was sent there as public: stop using it, and ask the operator of this service for a new one (sandlot admin new-key HANDLE --revoke), or publish or sign up anew. Keys go into the Authorization header:")
		on.keyed = true
		again(publish.OpWhoami)
	case publish.OpEncode:
		again(publish.OpPublish)
		lines = append(lines, "curl sends the file as it is; for JSON, base64 < "+quote(localFile(argument(args, "filename", "index.html")))+" | tr -d '\\n' prints the content:")
	case publish.OpWait:
		if e.Fix.Note == "" {
			lines = append(lines, fmt.Sprintf("Send the same request again in %d s.", max(1, seconds(e.RetryAfter))))
		}
		return joined(lines)
	}
	return joined(append(lines, command(base, on, op, args)))
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

// command prints an operation as a call of curl. It is "" for no operation.
func command(base string, on request, op publish.Op, args []publish.Arg) string {
	switch op {
	case publish.OpPublish, publish.OpUpdate:
		return bodied(base, on, op, withDefaults(on, op, args))
	case publish.OpDeleteFile, publish.OpSignup:
		return asJSON(base, op == publish.OpDeleteFile, op, withDefaults(on, op, args))
	case publish.OpProject, publish.OpStats:
		id := argument(args, "id", argument(args, "project_id", argument(on.args, "project_id", "")))
		if id == "" {
			return command(base, on, publish.OpWhoami, nil) // lists them
		}
		address := base + "/v1/project/" + url.PathEscape(id)
		if op == publish.OpStats {
			address += "/stats"
		}
		return "curl " + quote(address) + auth(on.keyed && op == publish.OpProject)
	case publish.OpWhoami:
		return "curl " + quote(base+"/v1/whoami") + auth(true)
	case publish.OpExport:
		return "curl -o sandlot.zip " + quote(base+"/v1/export") + auth(true)
	}
	return ""
}

// withDefaults adds what a call cannot do without. It never makes up a file or a
// project: a name that is not known has to be filled in.
func withDefaults(on request, op publish.Op, args []publish.Arg) []publish.Arg {
	var more []publish.Arg
	add := func(name, value string) {
		if value != "" && !has(args, name) {
			more = append(more, publish.Arg{Name: name, Value: value})
		}
	}
	begins := argument(args, "part", "1") == "1" && !onlyTotal(args)
	switch op {
	case publish.OpPublish:
		if !on.keyed && begins {
			add("email", "me@example.com")
		}
	case publish.OpUpdate:
		id := argument(on.args, "project_id", "")
		if id == "" && on.cut {
			id = unknownProject // without it, another project than was meant could be changed
		}
		add("project_id", id)
		if begins {
			add("filename", unknownFile)
		}
	case publish.OpDeleteFile:
		add("project_id", argument(on.args, "project_id", unknownProject))
		add("filename", unknownFile)
	}
	return append(more, args...)
}

// What has to be filled in.
const (
	unknownFile    = "<filename>"
	unknownProject = "<project_id>"
)

// onlyTotal recognises the call that tells how many parts an upload has.
func onlyTotal(args []publish.Arg) bool {
	return has(args, "upload_id") && has(args, "total_parts") && !has(args, "part")
}

// bodied prints a call with a file. Unless the content is given, curl reads it
// from the file of that name, so that nobody has to spell out base64.
func bodied(base string, on request, op publish.Op, args []publish.Arg) string {
	if content := argument(args, "content", "<"); !strings.HasPrefix(content, "<") {
		return asJSON(base, on.keyed || op == publish.OpUpdate, op, args)
	}
	out := "curl " + quote(base+"/v1/"+string(op)) + auth(on.keyed || op == publish.OpUpdate)
	for _, a := range args {
		// In a form the file is sent as it is, so its encoding goes without saying.
		if a.Name != "content" && a.Name != "content_encoding" {
			out += " --form-string " + quote(fmt.Sprintf("%s=%v", a.Name, a.Value))
		}
	}
	if onlyTotal(args) {
		return out
	}
	return out + " -F " + quote("content=@"+localFile(argument(args, "filename", "index.html")))
}

// localFile is a name for a file on the client's side; curl would read more into
// some characters.
func localFile(name string) string {
	if name == unknownFile {
		return name
	}
	name = path.Base(name)
	if strings.ContainsAny(name, `<>;,"\`) || name == "." || name == "/" {
		return "index.html"
	}
	return name
}

func asJSON(base string, keyed bool, op publish.Op, args []publish.Arg) string {
	var body object
	for _, a := range args {
		body = append(body, member(a))
	}
	text := []byte("{}")
	if len(body) > 0 {
		if out, err := encode(body); err == nil {
			text = out
		}
	}
	return "curl -X POST " + quote(base+"/v1/"+string(op)) + auth(keyed) +
		" -H 'Content-Type: application/json' -d " + quote(strings.TrimSpace(string(text)))
}

func auth(keyed bool) string {
	if !keyed {
		return ""
	}
	return " -H 'Authorization: Bearer <api_key>'"
}

func argument(args []publish.Arg, name, or string) string {
	for _, a := range args {
		if a.Name == name {
			return fmt.Sprint(a.Value)
		}
	}
	return or
}

// quote makes one word of s for a POSIX shell.
func quote(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
