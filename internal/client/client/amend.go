package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// An Amendment holds the new details of a project. A nil field stays as it is; an empty text removes the detail.
type Amendment struct {
	Title       *string   `json:"title,omitempty"`
	Description *string   `json:"description,omitempty"`
	Tags        *[]string `json:"tags,omitempty"`
	Lang        *string   `json:"lang,omitempty"`
	Listed      *bool     `json:"listed,omitempty"`
	Threads     *bool     `json:"threads,omitempty"`
	PrimaryFile *string   `json:"primary_file,omitempty"` // the only field that makes a version
	IfVersion   int       `json:"if_version,omitempty"`   // refuse the call if the project has another version
}

// Amend changes the details of a project, and returns it without the contents of its files.
func (c *Client) Amend(ctx context.Context, id string, a Amendment) (p Project, err error) {
	return p, c.change(ctx, http.MethodPatch, id, a, &p)
}

// A Deleted is a deleted project, which its owner can take back for a while.
type Deleted struct {
	Text
	ID          string    `json:"project_id"`
	DeletedAt   time.Time `json:"deleted_at"`
	GoneAt      time.Time `json:"gone_at"`       // when it is purged
	TakeBackURL string    `json:"take_back_url"` // where its owner takes it back
	Warnings    []Warning `json:"warnings"`
}

// DeleteProject deletes a project, by its project_id. A second call has the same answer.
func (c *Client) DeleteProject(ctx context.Context, id string) (d Deleted, err error) {
	return d, c.change(ctx, http.MethodDelete, id, map[string]string{"confirm": id}, &d)
}

// change makes a call on a project itself. A repetition has no further effect.
func (c *Client) change(ctx context.Context, method, id string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := c.request(ctx, method, bytes.NewReader(text), nil, "project", id)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	_, err = c.decode(req, into)
	return err
}

// File returns the bytes of one file of a project, from an earlier version or, with 0, from the current one. The caller
// closes it. A broken transfer fails in Read, with ErrNoAnswer.
func (c *Client) File(ctx context.Context, id, name string, version int) (io.ReadCloser, error) {
	query := url.Values{}
	if version > 0 {
		query.Set("version", strconv.Itoa(version))
	}
	req, err := c.request(ctx, http.MethodGet, nil, query, "project", id, "files", name)
	if err != nil {
		return nil, err
	}
	return c.stream(req)
}
