package client

import (
	"context"
	"net/http"
)

// An Amendment holds the new details of a project. A nil field stays as it is.
type Amendment struct {
	Title       *string `json:"title,omitempty"`
	PrimaryFile *string `json:"primary_file,omitempty"` // makes a version
}

// Amend changes the details of a project, and returns it without the contents of its files.
func (c *Client) Amend(ctx context.Context, id string, a Amendment) (p Project, err error) {
	return p, c.json(ctx, http.MethodPatch, a, &p, "project", id)
}
