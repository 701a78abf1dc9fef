package mcp

import (
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An apiTicket is the answer of the API to a request for a ticket.
type apiTicket struct {
	Command   string    `json:"command"`
	PageURL   string    `json:"page_url"`
	ExpiresAt string    `json:"expires_at"`
	Warnings  []warning `json:"warnings"`
}

// aTicket is the answer of upload: the ways to send the bytes, the easiest first.
type aTicket struct {
	Command   string    `json:"command"`
	PageURL   string    `json:"page_url"`
	ExpiresAt string    `json:"expires_at"`
	Host      string    `json:"allow_host"`
	Ways      [3]string `json:"ways"`
	Warnings  []warning `json:"warnings,omitempty"`
}

// upload asks for a ticket, with which a shell or a person sends the bytes.
func (t *Tools) upload(c *call) (*sdk.CallToolResult, *refusal) {
	var got apiTicket
	if refused := t.post(c, "/v1/uploads", c.args.asTicket().body(), &got); refused != nil {
		return nil, refused
	}
	host := t.Places.Base.Hostname()
	out := aTicket{
		Command: got.Command, PageURL: got.PageURL, ExpiresAt: got.ExpiresAt, Host: host, Warnings: brief(got.Warnings),
		Ways: [3]string{
			"Run command in a shell: once, within 10 minutes. For a folder run it inside of it. The answer is that of publish or update.",
			"If the shell does not reach " + host + ", give page_url to your user: they drop the file or folder there, and paste back what it " +
				"shows. Or they allow that one host in the settings of the sandbox, and you call upload again.",
			"If there is neither, send a small file as base64 in content beside filename, in files of publish or update: at most 10,000 characters.",
		},
	}
	return result(sentences("Run: "+got.Command, "No network? Give your user page_url."), out), nil
}

// asTicket returns the arguments with archive as the format in which a folder is sent.
func (a arguments) asTicket() arguments {
	a.list = slices.Clone(a.list)
	for i, m := range a.list {
		if m.name != "archive" {
			continue
		}
		switch string(m.value) {
		case "true":
			a.list[i] = member{"archive_format", json.RawMessage(`"tar.gz"`)}
		case "false", "null":
			a.list[i] = member{"archive_format", json.RawMessage(`null`)}
		}
	}
	return a
}
