package play

import (
	"testing"

	"sandlot/internal/admission"
)

// TestEveryDoorHasAnOperation by which admission knows it. Files are behind no door, for reading them is free.
func TestEveryDoorHasAnOperation(t *testing.T) {
	for _, d := range doors {
		if !d.operation.Known() {
			t.Errorf("%s: %v", d.name, d.operation)
		}
	}
	if !admission.Look.Free() {
		t.Error("reading is not free, and files are served without asking")
	}
}
