package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot/internal/domain/account/oauth"
	oauthhttp "sandlot/internal/transport/oauth"
)

// challenge returns the value of WWW-Authenticate from which a client learns how its user connects: with these parameters,
// and the address of the metadata (RFC 9728, section 5.1).
func (t *Tools) challenge(params ...string) string {
	params = append(params, `resource_metadata="`+t.Places.Base.String()+oauthhttp.ResourceMetadata+`"`, `scope="`+oauth.ScopeAccount+`"`)
	return "Bearer " + strings.Join(params, ", ")
}

// connectPage returns the address of the page that says how a client is connected with an account.
func (t *Tools) connectPage() string { return t.Places.Base.String() + "/docs/agents" }

// A scheme is a way to call a tool: without an account, or by OAuth. No version of the protocol has it; ChatGPT reads it.
type scheme struct {
	Type   string   `json:"type"`
	Scopes []string `json:"scopes,omitempty"`
}

// schemes returns the ways to call the tool.
func (one tool) schemes() []scheme {
	login := scheme{"oauth2", []string{oauth.ScopeAccount}}
	if one.account {
		return []scheme{login}
	}
	return []scheme{{Type: "noauth"}, login}
}

// A listing is the answer to tools/list, with a member of tools that the SDK does not have.
type listing struct {
	*sdk.ListToolsResult
	Tools []schemed `json:"tools"`
}

type schemed struct {
	*sdk.Tool
	Schemes any `json:"securitySchemes"`
}

// withSchemes answers tools/list with the schemes of each tool, as they are in its _meta.
func withSchemes(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		got, err := next(ctx, method, r)
		list, ok := got.(*sdk.ListToolsResult)
		if err != nil || !ok {
			return got, err
		}
		out := listing{ListToolsResult: list}
		for _, one := range list.Tools {
			out.Tools = append(out.Tools, schemed{one, one.Meta["securitySchemes"]})
		}
		return out, nil
	}
}
