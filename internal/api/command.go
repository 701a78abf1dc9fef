package api

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"sandlot/internal/names"
	"sandlot/internal/publish"
)

// What has to be filled in. None of these is ever accepted where it stands.
const (
	unknownFile    = "<filename>"
	unknownProject = "<project_id>"
	unknownEmail   = publish.PlaceholderEmail
	unknownPart    = publish.PlaceholderPart
)

// command prints an operation as a call of curl. It is "" for no operation.
func command(base string, on request, op publish.Op, args []publish.Arg) string {
	if op != on.op {
		on.once = ""
	}
	switch op {
	case publish.OpPublish, publish.OpUpdate:
		return bodied(base, on, op, withDefaults(on, op, args))
	case publish.OpDeleteFile, publish.OpSignup:
		return asJSON(base, op == publish.OpDeleteFile, on.once, op, withDefaults(on, op, args))
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
			add("email", unknownEmail)
		}
	case publish.OpUpdate:
		id := argument(on.args, "project_id", "")
		if id == "" && (on.cut || on.doubt || on.op != publish.OpUpdate) {
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

// onlyTotal recognises the call that tells how many parts an upload has.
func onlyTotal(args []publish.Arg) bool {
	return has(args, "upload_id") && has(args, "total_parts") && !has(args, "part")
}

// bodied prints a call with a file. Unless the content is given, curl reads it
// from the file of that name, so that nobody has to spell out base64.
func bodied(base string, on request, op publish.Op, args []publish.Arg) string {
	if content := argument(args, "content", "<"); !strings.HasPrefix(content, "<") {
		return asJSON(base, on.keyed || op == publish.OpUpdate, on.once, op, args)
	}
	out := start(base, on, op)
	if part := argument(args, "part", ""); !on.keyed && op == publish.OpPublish && has(args, "upload_id") && part != "1" && (part != unknownPart || on.token) {
		out += " -H 'Authorization: Bearer <upload_token>'" // joins the upload from any network
	}
	out += formFields(args)
	if onlyTotal(args) {
		return out
	}
	return out + " -F " + quote("content=@"+atFile(on.file(args)))
}

// start is a call of curl up to its fields.
func start(base string, on request, op publish.Op) string {
	return "curl " + quote(base+"/v1/"+string(op)) + auth(on.keyed || op == publish.OpUpdate) + onceHeader(on.once)
}

// formFields prints the fields of a form. The file is sent as it is there, so its
// encoding goes without saying.
func formFields(args []publish.Arg) (out string) {
	for _, a := range args {
		if a.Name != "content" && a.Name != "content_encoding" {
			out += " --form-string " + quote(fmt.Sprintf("%s=%v", a.Name, a.Value))
		}
	}
	return out
}

// file is the name of the file on the client's side that a call sends: as the
// client called it, even where the project cannot.
func (on request) file(args []publish.Arg) string {
	part, total := argument(args, "part", ""), argument(args, "total_parts", "")
	switch {
	case part == unknownPart:
		return "<file with this part>"
	case part != "" && (part != "1" || total != "1"):
		return "<file with part " + part + ">"
	case on.local != "":
		return on.local
	}
	return argument(args, "filename", "index.html")
}

// localName is what a name that a client sent is on its own side: without what
// only says that it begins at the project's folder, and without the host of an
// address.
func localName(sent string) string {
	if !showable(sent) || strings.HasSuffix(sent, "/") {
		return "" // a folder is no file
	}
	if name, _, err := names.ReadFilename(sent); err == nil {
		return name
	}
	if rest, ok := strings.CutPrefix(sent, "file://"); ok {
		return rest
	}
	if _, rest, ok := strings.Cut(sent, "://"); ok {
		return path.Base(rest)
	}
	return sent
}

// atFile writes a file's name so that curl reads just that behind an @: it would
// take a hyphen for its standard input, and more into some characters.
func atFile(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	if strings.ContainsAny(name, `;,"\`) || strings.TrimSpace(name) != name {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	}
	return name
}

// onceHeader repeats the Idempotency-Key of the request: what was refused left no
// record under it.
func onceHeader(once string) string {
	if once == "" {
		return ""
	}
	return " -H " + quote(idempotencyKey+": "+once)
}

func asJSON(base string, keyed bool, once string, op publish.Op, args []publish.Arg) string {
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
	return "curl -X POST " + quote(base+"/v1/"+string(op)) + auth(keyed) + onceHeader(once) +
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
