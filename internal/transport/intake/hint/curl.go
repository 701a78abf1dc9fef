package hint

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"sandlot"
)

// CurlOf returns an operation with its arguments as a curl call on one line; empty for sandlot.OpNone. base is the
// address of the service, without a slash at its end. on is the current request, which supplies the key and the file.
func CurlOf(base string, on Request, op sandlot.Op, args []sandlot.Arg) string {
	if op != on.Op {
		on.IdempotencyKey = ""
	}
	row := op.Row()
	id := argument(args, "id", argument(args, "project_id", on.Arg("project_id")))
	rest := without(without(args, "project_id"), "id")
	switch {
	case row.Bytes:
		return bodied(base, on, op, withDefaults(on, op, args))
	case op == sandlot.OpTicket:
		return asJSON("POST", base+"/v1/uploads", on.Keyed, "", withDefaults(on, op, args))
	case row.Repeatable && row.Fields != nil:
		return asJSON("POST", base+"/v1/"+string(op), row.Admits, on.IdempotencyKey, withDefaults(on, op, args))
	case op == sandlot.OpAmend && len(rest) > 0:
		return asJSON("PATCH", base+"/v1/project/"+url.PathEscape(cmp.Or(id, unknownProject)), true, "", rest)
	case id == "" && (row.OfProject || slices.Contains(ofOne, op)):
		op = sandlot.OpWhoami // lists them
	case op == sandlot.OpAmend:
		op = sandlot.OpProject // there is nothing to send
	}
	return bodiless(base, on, op, id, args)
}

// ofOne are the operations on one project, beside those that only read it. It never changes.
var ofOne = []sandlot.Op{sandlot.OpFile, sandlot.OpAmend, sandlot.OpDeleteProject}

// bodiless returns a call without fields in its body.
func bodiless(base string, on Request, op sandlot.Op, id string, args []sandlot.Arg) string {
	project := base + "/v1/project/" + url.PathEscape(id)
	switch op {
	case sandlot.OpDeleteProject:
		return asJSON("DELETE", project, true, "", []sandlot.Arg{{Name: "confirm", Value: id}})
	case sandlot.OpFile:
		name := argument(args, "filename", argument(on.Args, "filename", unknownFile))
		return "curl -f -o " + Quote(path.Base(name)) + " " + Quote(project+"/files/"+url.PathEscape(name)) + auth(true)
	case sandlot.OpProject:
		return "curl " + Quote(project) + auth(on.Keyed)
	case sandlot.OpVersions, sandlot.OpChecks:
		return "curl " + Quote(project+"/"+string(op)) + auth(true)
	case sandlot.OpStats:
		if by := argument(args, "by", on.Arg("by")); by != "" { // owners only
			return "curl " + Quote(project+"/stats?by="+url.QueryEscape(by)) + auth(true)
		}
		return "curl " + Quote(project+"/stats")
	case sandlot.OpWhoami:
		return "curl " + Quote(base+"/v1/whoami") + auth(true)
	case sandlot.OpImport:
		address := base + "/v1/import"
		if has(args, "dry_run") {
			address += "?dry_run=true"
		}
		return "curl -X POST " + Quote(address) + auth(true) + keyHeader(on.IdempotencyKey) +
			" -H 'Content-Type: application/zip' --data-binary @sandlot.zip"
	case sandlot.OpExport:
		return "curl -f -o sandlot.zip " + Quote(base+"/v1/export") + auth(true)
	}
	return ""
}

// bodied returns a call with a file. Unless args have the content, curl reads the file itself, so that nobody has to
// write base64.
func bodied(base string, on Request, op sandlot.Op, args []sandlot.Arg) string {
	address, keyed := base+"/v1/"+string(op), on.Keyed || op == sandlot.OpUpdate
	if content := argument(args, "content", "<"); !strings.HasPrefix(content, "<") {
		return asJSON("POST", address, keyed, on.IdempotencyKey, args)
	}
	if members, ok := on.members(args); ok {
		return asJSON("POST", address, keyed, on.IdempotencyKey, append(bytesless(args), members))
	}
	out, part := start(base, on, op), argument(args, "part", "")
	later := op == sandlot.OpPublish && has(args, "upload_id") && part != "1"
	if !on.Keyed && later && (part != unknownPart || on.Token) {
		out += " -H 'Authorization: Bearer <upload_token>'" // joins the upload from any network
	}
	out += formFields(args)
	if onlyTotal(args) {
		return out
	}
	return out + on.parts(args)
}

// start returns the beginning of a curl call, up to its fields.
func start(base string, on Request, op sandlot.Op) string {
	return "curl " + Quote(base+"/v1/"+string(op)) + auth(on.Keyed || op == sandlot.OpUpdate) + keyHeader(on.IdempotencyKey)
}

// formFields returns the fields of a form, without the content and its encoding: a form sends the file as it is.
func formFields(args []sandlot.Arg) (out string) {
	for _, a := range bytesless(args) {
		out += " --form-string " + Quote(fmt.Sprintf("%s=%v", a.Name, a.Value))
	}
	return out
}

// bytesless returns the arguments without the content and its encoding.
func bytesless(args []sandlot.Arg) []sandlot.Arg {
	return without(without(args, "content"), "content_encoding")
}

// file returns the name of the file on the client's side, even if the project cannot take that name.
func (on Request) file(args []sandlot.Arg) string {
	part, total := argument(args, "part", ""), argument(args, "total_parts", "")
	switch {
	case part == unknownPart:
		return "<file with this part>"
	case part != "" && (part != "1" || total != "1"):
		return "<file with part " + part + ">"
	case on.Local != "":
		return on.Local
	}
	return argument(args, "filename", "index.html")
}

// atFile quotes a file's name for use after an @ of curl, which takes a hyphen for its standard input.
func atFile(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return formName(name)
}

// formName quotes a name for curl, which gives some characters a meaning.
func formName(name string) string {
	if strings.ContainsAny(name, `;,"\`) || strings.TrimSpace(name) != name {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
	}
	return name
}

// keyHeader returns the header with the idempotency key of the request: a refused call leaves no record of it.
func keyHeader(key string) string {
	if key == "" {
		return ""
	}
	return " -H " + Quote("Idempotency-Key: "+key)
}

// asJSON returns a call whose arguments are a JSON object.
func asJSON(method, address string, keyed bool, key string, args []sandlot.Arg) string {
	return "curl -X " + method + " " + Quote(address) + auth(keyed) + keyHeader(key) +
		" -H 'Content-Type: application/json' -d " + Quote(asObject(args))
}

// auth returns the header with the placeholder of a key.
func auth(keyed bool) string {
	if !keyed {
		return ""
	}
	return " -H 'Authorization: Bearer <api_key>'"
}

// Quote quotes s as one word for a POSIX shell.
func Quote(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
