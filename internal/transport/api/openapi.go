package api

import (
	_ "embed"
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// openapiYAML is the OpenAPI document. It never changes.
//
//go:embed openapi.yaml
var openapiYAML []byte

// Document returns the OpenAPI document in YAML. It must not be changed.
func Document() []byte { return openapiYAML }

// documentJSON returns the document in JSON. Tests read the embedded one, so a broken one is a programmer's error.
func documentJSON(document []byte) []byte {
	var v any
	if err := yaml.Unmarshal(document, &v); err != nil {
		panic("openapi.yaml: " + err.Error())
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic("openapi.yaml: " + err.Error())
	}
	return append(out, '\n')
}

func (a *API) openapiJSON(c *call) error { return c.document("application/json", a.json()) }
func (a *API) openapiYAML(c *call) error { return c.document("application/yaml", a.yaml) }

func (a *API) index(c *call) error { return c.document("application/json", a.Index()) }

func (c *call) document(contentType string, text []byte) error {
	h := c.W.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	// An error means that the client is gone.
	_, _ = c.W.Write(text)
	return nil
}
