package hint

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"

	"sandlot"
)

// A call is a proposed call of the API, before it is written in a language.
type call struct {
	op      sandlot.Op
	args    []sandlot.Arg // all arguments, those in the address included
	method  string
	address string
	bearer  string        // the placeholder of the secret that it needs, if any
	key     string        // its Idempotency-Key, if any
	body    []sandlot.Arg // the fields of its JSON object, if it is no GET
	options string        // of curl, for a call without a body
	shell   string        // the commands that read a file of the client; then it has no other form
}

// callOf returns the call of an operation with its arguments. base is the address of the service, without a slash at its
// end. on is the current request, which supplies the key and the file.
func callOf(base string, on Request, op sandlot.Op, args []sandlot.Arg) call {
	if op != on.Op {
		on.IdempotencyKey = ""
	}
	row := op.Row()
	id := argument(args, "id", argument(args, "project_id", on.Arg("project_id")))
	rest := without(without(args, "project_id"), "id")
	switch {
	case row.Bytes:
		return bodied(base, on, op, withDefaults(on, op, args))
	case op == sandlot.OpReport:
		c := posted(base, on, op, true, withDefaults(on, op, args))
		c.bearer = theToken
		return c
	case op == sandlot.OpTicket:
		on.IdempotencyKey = ""
		return posted(base, on, op, on.Keyed, withDefaults(on, op, args))
	case row.Repeatable && row.Fields != nil:
		return posted(base, on, op, row.Admits, withDefaults(on, op, args))
	case op == sandlot.OpAmend && len(rest) > 0:
		id = cmp.Or(id, unknownProject)
		return call{op: op, args: of(id, rest...), method: http.MethodPatch, address: projectAt(base, id), bearer: theKey, body: rest}
	case op == sandlot.OpCheck:
		id = cmp.Or(id, unknownProject)
		return call{op: op, args: of(id, rest...), method: http.MethodPost, address: projectAt(base, id) + "/checks", bearer: theKey, body: rest}
	case op == sandlot.OpRule:
		return ruled(base, on, id, without(rest, "board"), args)
	case id == "" && (row.OfProject || slices.Contains(ofOne, op) || ofThing[op] != ""):
		op = sandlot.OpWhoami // lists them
	case op == sandlot.OpAmend:
		op = sandlot.OpProject // there is nothing to send
	}
	return bodiless(base, on, op, id, args)
}

// theKey is the placeholder of a key.
const theKey = "<api_key>"

// theToken is the placeholder of the token of a trusted reporter.
const theToken = "<slf_token>"

// ofOne are the operations on one project, beside those that only read it. It never changes.
var ofOne = []sandlot.Op{sandlot.OpFile, sandlot.OpAmend, sandlot.OpDeleteProject}

// ofThing maps operations to the name of the argument for their thing, such as a board. It never changes.
var ofThing = map[sandlot.Op]string{
	sandlot.OpBoard: "board", sandlot.OpRule: "board", sandlot.OpDropBoard: "board", sandlot.OpDropPlayer: "player",
	sandlot.OpUnsay: "feedback",
}

// Thing returns the argument by which an operation names the thing that it is about; "" if it has none.
func Thing(op sandlot.Op) string { return ofThing[op] }

// thing returns a thing of a project, and the path to it.
func thing(on Request, op sandlot.Op, args []sandlot.Arg) (of sandlot.Arg, path string) {
	name := ofThing[op]
	of = sandlot.Arg{Name: name, Value: argument(args, name, argument(on.Args, name, "<"+name+">"))}
	folder := map[string]string{"board": "boards", "player": "players", "feedback": "feedback"}[name]
	return of, "/" + folder + "/" + url.PathEscape(of.Value.(string))
}

// ruled returns a change of a board; without one, the call that shows it.
func ruled(base string, on Request, id string, change, args []sandlot.Arg) call {
	if id == "" || len(change) == 0 {
		return callOf(base, on, sandlot.OpBoard, args)
	}
	board, path := thing(on, sandlot.OpRule, args)
	return call{
		op: sandlot.OpRule, args: of(id, append([]sandlot.Arg{board}, change...)...), method: http.MethodPatch,
		address: projectAt(base, id) + path, bearer: theKey, body: change,
	}
}

// of returns the arguments of an operation on one project.
func of(id string, more ...sandlot.Arg) []sandlot.Arg {
	return append([]sandlot.Arg{{Name: "project_id", Value: id}}, more...)
}

func projectAt(base, id string) string { return base + "/v1/project/" + url.PathEscape(id) }

// posted returns a call whose arguments are a JSON object.
func posted(base string, on Request, op sandlot.Op, keyed bool, args []sandlot.Arg) call {
	c := call{op: op, args: args, method: http.MethodPost, address: base + "/v1/" + string(op), key: on.IdempotencyKey, body: args}
	if keyed {
		c.bearer = theKey
	}
	return c
}

// bodiless returns a call without fields in its body; of OpNone and the like, a call without an address.
func bodiless(base string, on Request, op sandlot.Op, id string, args []sandlot.Arg) call {
	c := call{op: op, args: of(id), method: http.MethodGet, address: projectAt(base, id), bearer: theKey}
	switch op {
	case sandlot.OpDeleteProject:
		c.method, c.body = http.MethodDelete, []sandlot.Arg{{Name: "confirm", Value: id}}
		c.args = append(c.args, c.body...)
	case sandlot.OpFile:
		name := argument(args, "filename", argument(on.Args, "filename", unknownFile))
		c.args = of(id, sandlot.Arg{Name: "filename", Value: name})
		c.address, c.options = c.address+"/files/"+url.PathEscape(name), " -f -o "+Quote(path.Base(name))
	case sandlot.OpProject:
		if !on.Keyed {
			c.bearer = ""
		}
	case sandlot.OpVersions, sandlot.OpChecks, sandlot.OpBoards, sandlot.OpFeedback:
		c.address += "/" + string(op)
	case sandlot.OpErrors:
		c.address += "/errors"
		if i := slices.IndexFunc(args, func(a sandlot.Arg) bool { return a.Name == "version" }); i >= 0 {
			c.address += "?version=" + url.QueryEscape(asText(args[i].Value))
			c.args = append(c.args, args[i])
		}
	case sandlot.OpBoard, sandlot.OpDropBoard, sandlot.OpDropPlayer, sandlot.OpUnsay:
		about, path := thing(on, op, args)
		c.address, c.args = c.address+path, of(id, about)
		if op != sandlot.OpBoard {
			c.method = http.MethodDelete
		}
	case sandlot.OpStats:
		by := argument(args, "by", on.Arg("by"))
		if c.address += "/stats"; by == "" {
			c.bearer = "" // everybody may read these
			break
		}
		c.address += "?by=" + url.QueryEscape(by)
		c.args = append(c.args, sandlot.Arg{Name: "by", Value: by})
	case sandlot.OpWhoami:
		c.address, c.args = base+"/v1/whoami", nil
	case sandlot.OpImport:
		c.method, c.address, c.args = http.MethodPost, base+"/v1/import", nil
		if has(args, "dry_run") {
			c.address, c.args = c.address+"?dry_run=true", []sandlot.Arg{{Name: "dry_run", Value: true}}
		}
		c.shell = "curl -X POST " + Quote(c.address) + auth(theKey) + keyHeader(on.IdempotencyKey) +
			" -H 'Content-Type: application/zip' --data-binary @sandlot.zip"
	case sandlot.OpExport:
		c.address, c.args, c.options = base+"/v1/export", nil, " -f -o sandlot.zip"
	default:
		return call{}
	}
	return c
}

// write returns the call for the sender of the request: as HTTP for a request in JSON, unless it reads a file of the
// client, and otherwise as commands; empty for OpNone and the like.
func (c call) write(on Request) string {
	if on.JSON && c.shell == "" {
		return c.http()
	}
	return c.curl()
}

// http writes a call as the text of an HTTP request, its body on one line.
func (c call) http() string {
	if c.address == "" {
		return ""
	}
	lines := []string{c.method + " " + c.address}
	if c.bearer != "" {
		lines = append(lines, "Authorization: Bearer "+c.bearer)
	}
	if c.key != "" {
		lines = append(lines, "Idempotency-Key: "+c.key)
	}
	if c.method != http.MethodGet && c.body != nil {
		lines = append(lines, "Content-Type: application/json", asObject(c.body))
	}
	return Lines(lines)
}
