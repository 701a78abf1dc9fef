package hint

import (
	"strings"

	"sandlot"
)

// A ToolCall is an operation as a model calls it: the name of a tool, and its arguments in order.
type ToolCall struct {
	Name string
	Args []sandlot.Arg
}

// String writes the name and the arguments as a JSON object, in their order.
func (c ToolCall) String() string { return c.Name + " " + asObject(c.Args) }

// Tool returns the advice for a refused tool call. text is never empty. call is the corrected call; its Name is empty
// if no call helps. Its placeholders in angle brackets have to be filled in. Keys are not arguments of tools: they
// belong to the connection.
func Tool(on Request, e *sandlot.Error) (text string, call ToolCall) {
	p := propose(on, e)
	if p.waits {
		return Lines([]string{e.Fix.Note, p.patience(e)}), ToolCall{}
	}
	lines := []string{lostKey(e, "/account of this service"), e.Fix.Note}
	switch e.Fix.Op {
	case sandlot.OpPresentKey:
		lines = append(lines, "Connect with the key of an earlier publish or signup.")
	case sandlot.OpRotate:
		lines = append(lines, "Connect with the key instead. It may have been logged where it was, so replace it when you can.")
	}
	call = p.tool()
	lines = append(lines, p.rest())
	if text = Lines(lines); text == "" {
		text = "The corrected call:"
	}
	if call.Name == "" && strings.HasSuffix(text, ":") {
		text = strings.TrimSuffix(text, ":") + "."
	}
	return text, call
}

// tool returns the call of a proposal, empty if there is none.
func (p proposal) tool() ToolCall {
	op, args := p.op, p.args
	switch {
	case op == sandlot.OpTicket:
		return ToolCall{}
	case hasBody(op):
		args = withDefaults(p.on, op, args)
	case op == sandlot.OpDeleteProject:
		id := argument(args, "id", argument(args, "project_id", p.on.Arg("project_id")))
		if id == "" {
			return ToolCall{Name: string(sandlot.OpWhoami)} // lists them
		}
		args = []sandlot.Arg{{Name: "project_id", Value: id}, {Name: "confirm", Value: id}}
	case op.Row().OfProject:
		id := argument(args, "id", argument(args, "project_id", p.on.Arg("project_id")))
		if id == "" {
			return ToolCall{Name: string(sandlot.OpWhoami)} // lists them
		}
		by := argument(args, "by", p.on.Arg("by"))
		if args = []sandlot.Arg{{Name: "project_id", Value: id}}; op == sandlot.OpStats && by != "" {
			args = append(args, sandlot.Arg{Name: "by", Value: by})
		}
	case op == sandlot.OpWhoami || op == sandlot.OpExport:
		args = nil
	case op == sandlot.OpImport:
		args = []sandlot.Arg{{Name: "archive", Value: "<the ZIP of an export>"}}
	default:
		return ToolCall{}
	}
	if takesFile(op) && p.on.many() {
		args = append(args, sandlot.Arg{Name: "files", Value: "<the same files>"})
	} else if takesFile(op) && !has(args, "content") && !onlyTotal(args) {
		args = append(args, sandlot.Arg{Name: "content", Value: "<base64 of " + strings.Trim(p.on.file(args), "<>") + ">"})
	}
	if p.same && p.on.IdempotencyKey != "" {
		args = append(args, sandlot.Arg{Name: "idempotency_key", Value: p.on.IdempotencyKey})
	}
	return ToolCall{Name: strings.ReplaceAll(string(op), "-", "_"), Args: args}
}
