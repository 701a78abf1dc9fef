package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"sandlot/examples"
	"sandlot/internal/publish"
)

type tryCommand struct {
	File string `arg:"" optional:"" placeholder:"FILE" help:"HTML file to publish (default: an example game)."`
	settings
}

// tryLimit bounds each of the two calls: a file at the limit takes seconds.
const tryLimit = 5 * time.Minute

// Run serves, publishes one file the way an agent would, and goes on serving.
func (c *tryCommand) Run(ctx context.Context, t *terminal) error {
	open := openExample
	if c.File != "" {
		if err := checkReadable(c.File); err != nil {
			return usageError{err}
		}
		open = func() (io.ReadCloser, error) { return os.Open(c.File) }
	}
	return c.serve(ctx, newLogger(t.err, c.LogFormat, c.LogLevel), func(ctx context.Context, p publish.Places, addr string) error {
		got, err := publishFile(ctx, "http://"+addr, c.name(), open)
		if err != nil {
			return fmt.Errorf("publish %s: %w", c.name(), err)
		}
		_, err = fmt.Fprintf(t.out, published, c.name(), got.URL, got.PathURL, got.PageURL, p.Base, got.APIKey, got.ProjectKey, got.ProjectID)
		return err
	})
}

// published is what a newcomer reads.
const published = `
  %s is published.

    open             %s
    or, if that name doesn't resolve,
                     %s
    its page         %s
    the gallery      %[5]s/

    api_key          %[6]s
    project_api_key  %[7]s

  Update it; the URL stays the same:

    curl -F content=@index.html -F filename=index.html \
      -H 'Authorization: Bearer %[7]s' \
      -F project_id=%[8]s %[5]s/v1/update

  Press Ctrl-C to stop. Your projects stay in the data folder.

`

func (c *tryCommand) name() string {
	if c.File == "" {
		return "The example"
	}
	return filepath.Base(c.File)
}

func openExample() (io.ReadCloser, error) {
	return examples.Files().Open(examples.Wick)
}

func checkReadable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", path, cause(err))
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name one HTML file", path)
	case info.Size() == 0:
		return fmt.Errorf("%s is empty", path)
	}
	return nil
}

// answer is what try reads of the API's answers, errors included.
type answer struct {
	APIKey     string `json:"api_key"`
	ProjectKey string `json:"project_api_key"`
	ProjectID  string `json:"project_id"`
	URL        string `json:"url"`
	PathURL    string `json:"path_url"`
	PageURL    string `json:"page_url"`
	Message    string `json:"message"`
	Hint       string `json:"hint"`
}

// publishFile signs up and publishes through the real API.
func publishFile(ctx context.Context, base, name string, open func() (io.ReadCloser, error)) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	who, err := post(ctx, base+"/v1/signup", "", "application/json", bytes.NewReader([]byte("{}")))
	if err != nil {
		return answer{}, err
	}
	f, err := open()
	if err != nil {
		return answer{}, err
	}
	defer f.Close()
	body, form := io.Pipe()
	defer body.Close()
	w := multipart.NewWriter(form)
	go func() { form.CloseWithError(writeForm(w, name, f)) }()
	return post(ctx, base+"/v1/publish", who.APIKey, w.FormDataContentType(), body)
}

func writeForm(w *multipart.Writer, name string, f io.Reader) error {
	part, err := w.CreateFormFile("content", name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, f); err != nil {
		return err
	}
	return w.Close()
}

func post(ctx context.Context, url, key, contentType string, body io.Reader) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", contentType)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&a); err != nil {
		return a, fmt.Errorf("answer %d is not JSON: %w", resp.StatusCode, err)
	}
	if resp.StatusCode != http.StatusCreated {
		return a, errors.New(a.Message)
	}
	return a, nil
}
