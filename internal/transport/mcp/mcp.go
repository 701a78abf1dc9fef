// Package mcp is the transport of the Model Context Protocol: the tools of the service for agents without a shell, over
// HTTP (Front) and over any other connection (Tools.Server).
//
// It has no rule of its own: a tool makes one call of the API, and translates its answer. The arguments become the body
// of that call as they are, so that each mistake meets the same sentences as on REST. table.go lists the tools.
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/format/inspect"
)

// A Config holds the parts of the Tools. API and Places must be set.
type Config struct {
	// API answers the calls of the tools under /v1, as calls of tools, and the documents under /llms-full.txt and
	// /docs. It is called concurrently. It gets the address, the Authorization and the context of the outer request.
	API     http.Handler
	Places  sandlot.Places
	Version string       // of the program
	Large   int          // messages above 64 KiB that a Front reads at once: see LargeMemory; 8 if 0
	Site    string       // the name of the instance; empty: Sandlot
	Log     *slog.Logger // gets the faults of the API; slog.Default() if nil
}

// LargeMemory is the memory that a message of the largest size takes while it is read and answered, in bytes: some seven
// copies of it.
const LargeMemory = 32 << 20

// Tools are the tools and resources of an instance. They may be used concurrently, and remember nothing between two
// calls.
type Tools struct{ Config }

// New returns Tools.
func New(cfg Config) *Tools {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Site == "" {
		cfg.Site = "Sandlot"
	}
	return &Tools{cfg}
}

// instructions are shown to the model once, at the beginning: at most 500 characters.
const instructions = "Publishes web pages and games (HTML, scripts, pictures) at a public address that stays: anyone with the link can open " +
	"them. One project has one address: change it with update, and never publish the same thing again. To go on with an earlier " +
	"project, ask your user for its address. Send an email only if your user gave it for this. Keep project and edit_token for " +
	"later calls, and give your user the url. Then run check, and mend what it finds. Change long files by edits."

// Ages of answers that clients may keep.
const (
	listsAge     = time.Hour
	documentsAge = 5 * time.Minute
)

// Server returns the tools and resources as a server of the SDK.
func (t *Tools) Server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "sandlot", Title: t.Site, Version: t.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Logger:       slog.New(slog.DiscardHandler), // it logs each session, which here is each call
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, r sdk.Request, c *sdk.Cacheable) {
			c.CacheScope, c.TTLMs = "public", int(listsAge.Milliseconds())
			if _, document := r.(*sdk.ReadResourceRequest); document {
				c.TTLMs = int(documentsAge.Milliseconds())
			}
		},
	})
	for _, one := range tools() {
		s.AddTool(one.described(), t.handler(one))
	}
	t.addResources(s)
	s.AddReceivingMiddleware(withSchemes)
	return s
}

// handler returns the function that makes the call of a tool.
func (t *Tools) handler(one tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := &call{tool: one, ctx: ctx, outer: outerOf(ctx), args: readArguments(r.Params.Arguments, one.token)}
		var out *sdk.CallToolResult
		var refused *refusal
		// The SDK calls this on a goroutine of its own, where a panic would end the program.
		err := worker.Guarded(func() error {
			out, refused = one.call(t, c)
			return nil
		})
		if err != nil {
			t.Log.ErrorContext(ctx, "tool failed", "tool", one.name, "error", inspect.Redact(err.Error()))
			refused = brokenOff()
		}
		if refused != nil {
			return t.refused(c, refused), nil
		}
		return out, nil
	}
}

// A call is one call of a tool.
type call struct {
	tool  tool
	ctx   context.Context
	outer *http.Request // nil: the call did not come by HTTP
	args  arguments
}

type outerKey struct{}

// outerOf returns the request of HTTP that brought a call.
func outerOf(ctx context.Context) *http.Request {
	r, _ := ctx.Value(outerKey{}).(*http.Request)
	return r
}

// described returns the tool as tools/list has it.
func (one tool) described() *sdk.Tool {
	no, yes := false, true
	hints := &sdk.ToolAnnotations{Title: one.title, ReadOnlyHint: one.reads, DestructiveHint: &no, OpenWorldHint: &yes}
	if one.reads {
		hints.DestructiveHint, hints.IdempotentHint = nil, true
	}
	return &sdk.Tool{
		Name: one.name, Description: one.about, InputSchema: json.RawMessage(one.schema), Annotations: hints,
		Meta: sdk.Meta{"securitySchemes": one.schemes()},
	}
}
