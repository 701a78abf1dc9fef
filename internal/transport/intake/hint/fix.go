package hint

import (
	"encoding/json"

	"sandlot"
)

// A Fix is a proposed call for programs: the name of its row in sandlot.Operations, and its arguments in their order. A
// value that only the client can know is a placeholder in angle brackets.
type Fix struct {
	Operation sandlot.Op      `json:"operation"`
	Arguments json.RawMessage `json:"arguments"`
}

// fix returns a call as a Fix, nil for OpNone and the like.
func (c call) fix() *Fix {
	if c.op.Row().Op == sandlot.OpNone {
		return nil
	}
	return &Fix{c.op, json.RawMessage(asObject(c.args))}
}
