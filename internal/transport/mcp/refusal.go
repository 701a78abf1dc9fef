package mcp

import (
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// Bounds of an error, in characters.
const (
	maxErrorText = 800
	maxMessage   = 260
	maxHint      = 320
	maxDetails   = 1000 // of all further members
	maxFix       = 900  // of the arguments of a proposed call
)

// A refusal is an error of the API, as the contract has it.
type refusal struct {
	Error      sandlot.Code `json:"error"`
	Message    string       `json:"message"`
	Hint       string       `json:"hint"`
	Field      string       `json:"field"`
	RetryAfter int          `json:"retry_after"`
	RequestID  string       `json:"request_id"`
	Fix        *struct {
		Operation sandlot.Op      `json:"operation"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"fix"`
	details []member
}

// ofError are the members of an error that need no copy among the details.
var ofError = []string{"error", "message", "hint", "field", "retry_after", "request_id", "fix", "status"}

// own returns a refusal that needs no call of the API.
func own(code sandlot.Code, message, hint string) *refusal {
	return &refusal{Error: code, Message: message, Hint: hint}
}

func brokenOff() *refusal {
	return own(sandlot.CodeInternal, "The answer broke off. Whether the call was made is not known.", "Look with get_project, then make the call again if it was not.")
}

// readRefusal reads an error of the API.
func readRefusal(body io.Reader) *refusal {
	text, err := io.ReadAll(io.LimitReader(body, 1<<20))
	r := &refusal{}
	if err != nil || json.Unmarshal(text, r) != nil || r.Error == "" {
		return brokenOff()
	}
	all, _ := members(text) // it was read before
	r.details = slices.DeleteFunc(all, func(m member) bool { return slices.Contains(ofError, m.name) })
	return r
}

// A proposal is a call that corrects a refused one.
type proposal struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// toolOf has the tool for each operation that has one. It never changes.
var toolOf = map[sandlot.Op]string{
	sandlot.OpPublish: "publish", sandlot.OpUpdate: "update", sandlot.OpRestore: "restore", sandlot.OpProject: "get_project",
	sandlot.OpFile: "get_project", sandlot.OpWhoami: "list_projects", sandlot.OpVersions: "versions", sandlot.OpChecks: "check",
	sandlot.OpCheck: "check", sandlot.OpStats: "stats", sandlot.OpTicket: "upload", sandlot.OpDeleteFile: "update",
}

// proposal returns the corrected call as a call of a tool; nil if there is none, or none that is short enough. It asks for
// no address, which tools need not send: a model that must send one invents it.
func (r *refusal) proposal() *proposal {
	if r.Fix == nil {
		return nil
	}
	name, ok := toolOf[r.Fix.Operation]
	list, err := members(r.Fix.Arguments)
	if !ok || err != nil {
		return nil
	}
	list = slices.DeleteFunc(list, func(m member) bool {
		text, _ := m.text()
		return text == sandlot.PlaceholderEmail || m.name == "seconds" // the tool takes none
	})
	for i, m := range list {
		switch {
		case m.name == "filename" && r.Fix.Operation == sandlot.OpFile:
			list[i].name = "file"
		case m.name == "filename" && r.Fix.Operation == sandlot.OpDeleteFile:
			list[i] = member{"delete", slices.Concat([]byte("["), m.value, []byte("]"))}
		}
	}
	p := &proposal{name, object(list, toolName)}
	if utf8.RuneCount(p.Arguments) > maxFix {
		return nil
	}
	return p
}

// shown is an error in an answer of a tool.
type shown struct {
	Error      sandlot.Code               `json:"error"`
	Message    string                     `json:"message"`
	Hint       string                     `json:"hint,omitempty"`
	Field      string                     `json:"field,omitempty"`
	Fix        *proposal                  `json:"fix,omitempty"`
	RetryAfter int                        `json:"retry_after,omitempty"`
	RequestID  string                     `json:"request_id,omitempty"`
	Details    map[string]json.RawMessage `json:"details,omitempty"`
}

// refused returns the answer to a call that was refused: for a model, which shall correct it.
func (t *Tools) refused(c *call, r *refusal) *sdk.CallToolResult {
	s := shown{
		Error: r.Error, Message: cutTo(spoken(r.Message), maxMessage), Hint: cutTo(spoken(r.Hint), maxHint), Field: cutTo(toolName(r.Field), 100),
		Fix: r.proposal(), RetryAfter: r.RetryAfter, RequestID: r.RequestID, Details: r.briefly(),
	}
	meta := sdk.Meta{}
	if r.Error == sandlot.CodeKeyRequired {
		s.Hint, s.Fix = t.connects(c.tool), s.Fix.with(c.tool)
		description := "This needs an account."
		meta["mcp/www_authenticate"] = []string{t.challenge(`error="insufficient_scope"`, `error_description="`+description+`"`)}
	}
	if r.Fix != nil && r.Fix.Operation == sandlot.OpAmend {
		s.Hint = "Send it beside files, edits or delete. Alone it is changed by your user, on the website."
	}
	if s.Fix == nil && s.Hint == "" {
		s.Hint = "Nothing in the call corrects this."
	}
	out := result(s.text(), s)
	out.IsError, out.Meta = true, meta
	return out
}

// text returns the error in words: code, message, hint and the corrected call. The call is whole, or left out.
func (s shown) text() string {
	text := string(s.Error) + ": " + s.Message + "\n" + s.Hint
	if s.Fix == nil {
		return cutTo(text, maxErrorText)
	}
	call, _ := encoded(s.Fix)
	with := text + "\n" + string(call)
	if utf8.RuneCountInString(with) > maxErrorText {
		return cutTo(text+"\nThe corrected call is the member fix.", maxErrorText)
	}
	return with
}

// with returns the proposal with a place for an edit_token; nil for a tool that takes none.
func (p *proposal) with(one tool) *proposal {
	if p == nil || !one.token {
		return nil
	}
	list, _ := members(p.Arguments) // it was written by us
	list = append(list, member{"edit_token", json.RawMessage(`"<edit_token>"`)})
	return &proposal{p.Tool, object(list, toolName)}
}

// connects returns the advice for a call that needs a key or an edit_token.
func (t *Tools) connects(one tool) string {
	hint := "Your user connects once: " + t.connectPage() + ". Or go on without: publish makes a project with an edit_token"
	if one.token {
		return hint + ", which this tool takes."
	}
	return hint + "."
}

// briefly returns the further members of an error, as many as there is room for.
func (r *refusal) briefly() map[string]json.RawMessage {
	out, room := map[string]json.RawMessage{}, maxDetails
	for _, m := range r.details {
		if room -= len(m.name) + len(m.value); room < 0 {
			break
		}
		out[toolName(m.name)] = m.value
	}
	return out
}

// command matches the lines of a hint that are for a shell.
var command = regexp.MustCompile(`(?m)^(curl|tar|printf|jq) .*$\n?`)

// inTools puts the names of tools for the calls of the API, in texts.
var inTools = strings.NewReplacer(
	"POST /v1/publish", "publish", "POST /v1/update", "update", "POST /v1/restore", "restore", "POST /v1/delete-file", "update with delete",
	"project_id", "project",
)

// spoken returns a message or a hint of the API in the language of tools.
func spoken(text string) string {
	return inspect.Redact(strings.TrimSpace(inTools.Replace(command.ReplaceAllString(text, ""))))
}
