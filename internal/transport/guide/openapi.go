package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A contract holds the parts of an OpenAPI document that the documentation uses.
type contract struct {
	Info       struct{ Title, Summary, Description string }
	Tags       []struct{ Name, Description string }
	Security   []map[string]any
	Paths      ordered[pathItem]
	Components struct {
		Parameters map[string]parameter
		Schemas    map[string]schema
		Responses  map[string]response
		Examples   map[string]example
	}
}

type pathItem struct{ operations ordered[operation] }

type operation struct {
	Tags                 []string
	ID                   string `yaml:"operationId"`
	Summary, Description string
	Security             *[]map[string]any
	Parameters           []parameter
	RequestBody          *struct{ Content ordered[media] } `yaml:"requestBody"`
	Responses            ordered[response]
}

type parameter struct {
	Ref                   string `yaml:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                schema
}

type media struct {
	Schema   schema
	Examples ordered[example]
}

type example struct {
	Ref     string `yaml:"$ref"`
	Summary string
	Value   yaml.Node
	Status  int `yaml:"x-status"`
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     ordered[media]
}

type schema struct {
	Ref         string    `yaml:"$ref"`
	Type        yaml.Node // one, or a list of them
	Description string
	Deprecated  bool
	Properties  ordered[schema]
	Required    []string
	AnyOf       []schema `yaml:"anyOf"`
	Enum        []string
	Items       *schema
}

// An ordered is a mapping in its written order.
type ordered[T any] []named[T]

type named[T any] struct {
	name  string
	value T
}

func (o *ordered[T]) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		var v T
		if err := n.Content[i+1].Decode(&v); err != nil {
			return fmt.Errorf("%s: %w", n.Content[i].Value, err)
		}
		*o = append(*o, named[T]{n.Content[i].Value, v})
	}
	return nil
}

// methods are the methods that a path may have.
var methods = []string{"get", "post", "put", "patch", "delete"}

// UnmarshalYAML reads the operations of a path, each with the parameters of the path.
func (p *pathItem) UnmarshalYAML(n *yaml.Node) error {
	var shared struct{ Parameters []parameter }
	if err := n.Decode(&shared); err != nil {
		return err
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(methods, n.Content[i].Value) {
			continue
		}
		var op operation
		if err := n.Content[i+1].Decode(&op); err != nil {
			return err
		}
		op.Parameters = append(slices.Clone(shared.Parameters), op.Parameters...)
		p.operations = append(p.operations, named[operation]{strings.ToUpper(n.Content[i].Value), op})
	}
	return nil
}

// ofPlayers reports whether the operations of a path need the runtime.
func ofPlayers(path named[pathItem]) bool {
	return slices.ContainsFunc(path.value.operations, func(op named[operation]) bool { return slices.Contains(op.value.Tags, "players") })
}

// read parses an OpenAPI document. Tests read the one of this program, so a broken one is a programmer's error.
func read(text []byte) *contract {
	c := &contract{}
	if err := yaml.Unmarshal(text, c); err != nil {
		panic("openapi.yaml: " + err.Error())
	}
	return c
}

// last returns the name in a reference.
func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// target returns the value behind a reference, or the value itself without one.
func target[T any](ref string, all map[string]T, itself T) T {
	if ref != "" {
		return all[last(ref)]
	}
	return itself
}

// schema returns the target of a reference, or the first of several schemas that is not null.
func (c *contract) schema(s schema) schema {
	switch {
	case s.Ref != "":
		return c.schema(c.Components.Schemas[last(s.Ref)])
	case len(s.AnyOf) > 0 && s.Properties == nil:
		found := c.schema(s.AnyOf[0])
		found.Description = cmp.Or(s.Description, found.Description)
		return found
	}
	return s
}

// kind returns the type of a value, in words.
func (c *contract) kind(s schema) string {
	s = c.schema(s)
	if len(s.Enum) > 0 && len(s.Enum) <= 6 {
		return strings.Join(s.Enum, " or ")
	}
	for _, n := range append(s.Type.Content, &s.Type) {
		switch {
		case n.Value == "" || n.Value == "null":
			continue
		case n.Value == "array" && s.Items != nil && c.kind(*s.Items) != "":
			return "list of " + c.kind(*s.Items) + "s"
		}
		return n.Value
	}
	return ""
}

// The use that an operation makes of a key.
const (
	keyNone     = "none"
	keyOptional = "optional"
	keyRequired = "required"
)

// key returns the use that an operation makes of a key.
func (c *contract) key(op operation) string {
	security := c.Security
	if op.Security != nil {
		security = *op.Security
	}
	free := slices.ContainsFunc(security, func(s map[string]any) bool { return len(s) == 0 })
	switch {
	case free && len(security) > 1:
		return keyOptional
	case free || len(security) == 0:
		return keyNone
	}
	return keyRequired
}

// An endpoint is an operation with its place.
type endpoint struct {
	Method, Path string
	operation
	key string
}

// KeyWords returns the use that the endpoint makes of a key, in words.
func (e endpoint) KeyWords() string {
	return map[string]string{keyNone: "no key", keyOptional: "key optional", keyRequired: "with a key"}[e.key]
}

// Endpoints returns all operations, in the order of the document.
func (c *contract) Endpoints() (list []endpoint) {
	for _, p := range c.Paths {
		for _, op := range p.value.operations {
			list = append(list, endpoint{op.name, p.name, op.value, c.key(op.value)})
		}
	}
	return list
}

// fields returns the fields of an endpoint's body, without deprecated ones, and the names of the required ones.
func (c *contract) fields(e endpoint) (list ordered[schema], required []string) {
	if e.RequestBody == nil {
		return nil, nil
	}
	for _, m := range e.RequestBody.Content {
		if of := c.schema(m.value.Schema); len(of.Properties) > 0 {
			deprecated := func(f named[schema]) bool { return c.schema(f.value).Deprecated || f.value.Deprecated }
			return slices.DeleteFunc(slices.Clone(of.Properties), deprecated), of.Required
		}
	}
	return nil, nil
}
