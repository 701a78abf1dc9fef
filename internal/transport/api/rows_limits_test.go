package api

import (
	"fmt"
	"strings"
	"testing"

	"sandlot"
)

// TestEveryLimitOfAFieldHolds: a longer text is refused, cut or left out, and the answer says so.
func TestEveryLimitOfAFieldHolds(t *testing.T) {
	t.Parallel()
	w := settled(t)
	for _, op := range []sandlot.Op{sandlot.OpUpdate, sandlot.OpPublish} {
		for _, f := range op.Row().Fields {
			if f.Type != sandlot.Text || f.Most == 0 {
				continue
			}
			call := obj{"text": page, "filename": "index.html", "project_id": w.projectID}
			if op == sandlot.OpPublish {
				call = obj{"text": page}
			}
			call[f.Name] = strings.Repeat("a", f.Most+1)
			got := w.post("/v1/"+string(op), w.account, call)
			said := fmt.Sprint(got.body["field"], got.body["warnings"], got.body["message"])
			if !strings.Contains(said, f.Name) && !strings.Contains(said, strings.TrimSuffix(f.Name, "_id")) {
				t.Errorf("%s with %d characters in %s: %d %s", op, f.Most+1, f.Name, got.status, got.text)
			}
		}
	}
}
