package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	api "sandlot/internal/client/client"
)

// sendByTicket requests a ticket and sends the bytes with it. A repetition uses the same ticket, which is good for one
// call, however often the program was killed in between. Half of the repetitions then send other bytes, too, which must
// be refused.
func (c *client) sendByTicket(s *shard, o *op) (a api.Answer, err error) {
	bearer := c.api(s.key(o))
	if o.ticket == nil {
		t, err := bearer.Ticket(context.Background(), o.told(s.project))
		if err != nil {
			return a, c.refusedOf(o, err)
		}
		o.ticket = &t
	}
	bearer.Key = ""
	body, err := o.raw()
	if err == nil {
		a, err = bearer.SendWithTicket(context.Background(), *o.ticket, bytes.NewReader(body), int64(len(body)))
	}
	if err != nil || o.Wire%2 == 0 {
		return a, c.refusedOf(o, err)
	}
	other := *o
	other.Content.Seed++
	if body, err = other.raw(); err != nil {
		return a, err
	}
	twice, err := bearer.SendWithTicket(context.Background(), *o.ticket, bytes.NewReader(body), int64(len(body)))
	if refused := (*api.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusConflict && refused.Code == "ticket_used" {
		return a, nil
	}
	if errors.Is(err, api.ErrNoAnswer) {
		return a, err
	}
	return a, fmt.Errorf("%s: other bytes with a ticket that was used are answered %d with version %d: %w", o, twice.Status,
		twice.Version, err)
}

// told returns the fields for the ticket of the operation.
func (o *op) told(project func(account, project int) *project) api.Fields {
	f := api.Fields{Title: o.Title, Email: o.Email}
	if o.Many > 0 {
		f.ArchiveFormat = "tar.gz"
	}
	if o.Kind == update {
		p := project(o.Account, o.Project)
		f.ProjectID, f.Filename, f.Replace = p.ID, o.Filename, o.Replace
		if o.Guarded {
			f.IfVersion = p.Version
		}
	}
	return f
}

// raw returns the bytes to send with a ticket: the file, or the archive of many.
func (o *op) raw() ([]byte, error) {
	if o.Many == 0 {
		return o.Content.bytes(), nil
	}
	var out bytes.Buffer
	err := writeTar(&out, o.tree())
	return out.Bytes(), err
}

// refusedOf adds to an error the operation that was refused.
func (c *client) refusedOf(o *op, err error) error {
	if refused := (*api.Error)(nil); errors.As(err, &refused) {
		return fmt.Errorf("%s was answered %d %s: %w", o, refused.Status, refused.Code, err)
	}
	return err
}

// do makes a call that package client lacks. An answer without success is an error.
func (c *client) do(req *http.Request, want int) (text []byte, header http.Header, err error) {
	resp, err := c.http.Transport.RoundTrip(req) // it follows no redirect
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", api.ErrNoAnswer, err)
	}
	if text, err = readAll(resp.Body); err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s %s was answered %d: %.300s", req.Method, req.URL.Path, resp.StatusCode, text)
	}
	return text, resp.Header, err
}

// post returns a request with a key, or without.
func (c *client) post(path, key, contentType string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequest(http.MethodPost, base.JoinPath(path).String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}
