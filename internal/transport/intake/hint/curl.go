package hint

import (
	"net/http"
	"strings"

	"sandlot"
)

// CallOf returns an operation with its arguments as a call in the form of the current request: as the text of an HTTP
// request for one in JSON, and otherwise as a curl call on one line; empty for sandlot.OpNone. base is the address of the
// service, without a slash at its end. on is the current request, which supplies the key and the file.
func CallOf(base string, on Request, op sandlot.Op, args []sandlot.Arg) string {
	return callOf(base, on, op, args).write(on)
}

// curl writes a call as a curl call.
func (c call) curl() string {
	switch {
	case c.shell != "" || c.address == "":
		return c.shell
	case c.method == http.MethodDelete && c.body == nil:
		return "curl -X DELETE " + Quote(c.address) + auth(c.bearer)
	case c.method != http.MethodGet:
		return "curl -X " + c.method + " " + Quote(c.address) + auth(c.bearer) + keyHeader(c.key) +
			" -H 'Content-Type: application/json' -d " + Quote(asObject(c.body))
	}
	return "curl" + c.options + " " + Quote(c.address) + auth(c.bearer)
}

// bodied returns a call with a file. Unless args have the content, curl reads the file itself, so that nobody has to
// write base64.
func bodied(base string, on Request, op sandlot.Op, args []sandlot.Arg) call {
	c := posted(base, on, op, on.Keyed || op == sandlot.OpUpdate, args)
	if content := argument(args, "content", "<"); !strings.HasPrefix(content, "<") {
		return c
	}
	part := argument(args, "part", "")
	later := op == sandlot.OpPublish && has(args, "upload_id") && part != "1"
	if !on.Keyed && later && (part != unknownPart || on.Token) {
		c.bearer = "<upload_token>" // joins the upload from any network
	}
	brought, text := on.brought(args)
	if on.Tool {
		args = without(args, "filename") // the file has it
	}
	if c.args = append(bytesless(args), brought...); on.JSON && text {
		c.body = c.args
		return c
	}
	c.shell = "curl " + Quote(c.address) + auth(c.bearer) + keyHeader(c.key) + formFields(args)
	if !onlyTotal(args) && !on.amends(args) {
		c.shell += on.parts(args)
	}
	return c
}

// start returns the beginning of a curl call, up to its fields.
func start(base string, on Request, op sandlot.Op) string {
	bearer := theKey
	if !on.Keyed && op != sandlot.OpUpdate {
		bearer = ""
	}
	return "curl " + Quote(base+"/v1/"+string(op)) + auth(bearer) + keyHeader(on.IdempotencyKey)
}

// formFields returns the fields of a form, without the content and its encoding: a form sends the file as it is.
func formFields(args []sandlot.Arg) (out string) {
	for _, a := range bytesless(args) {
		value, text := a.Value.(string)
		if !text {
			value = asText(a.Value)
		}
		out += " --form-string " + Quote(a.Name+"="+value)
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

// auth returns the header with the placeholder of a secret, if there is one.
func auth(bearer string) string {
	if bearer == "" {
		return ""
	}
	return " -H 'Authorization: Bearer " + bearer + "'"
}

// Quote quotes s as one word for a POSIX shell.
func Quote(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
