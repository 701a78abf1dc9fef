package mcp

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A document of the instance that is offered as a resource.
type document struct{ uri, path, title, about string }

// documents returns the documents, by the path at which the API serves them.
func documents() []document {
	return []document{
		{"sandlot://guide", "/llms-full.txt", "Guide", "How to publish and change projects here, with the limits of this instance."},
		{"sandlot://reference", "/docs/errors.md", "Reference of errors", "Every error, and what to do about it."},
	}
}

func (t *Tools) addResources(s *sdk.Server) {
	for _, d := range documents() {
		s.AddResource(&sdk.Resource{URI: d.uri, Name: d.title, Description: d.about, MIMEType: "text/markdown"},
			func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				a, refused := t.get(&call{ctx: ctx, outer: outerOf(ctx)}, d.path, nil)
				if refused != nil {
					return nil, sdk.ResourceNotFoundError(d.uri)
				}
				defer a.Close()
				text, err := io.ReadAll(io.LimitReader(a.body, maxAnswer))
				if err != nil {
					return nil, sdk.ResourceNotFoundError(d.uri)
				}
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: d.uri, MIMEType: "text/markdown", Text: string(text)}}}, nil
			})
	}
}
