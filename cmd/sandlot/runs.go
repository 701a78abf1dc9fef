package main

import (
	"context"
	"fmt"
	"io"

	"sandlot/internal/domain/operate"
	"sandlot/internal/storage/datafolder"
	"sandlot/internal/storage/sqlstore"
)

// leave records a run of a command for the metrics of the server. A failure is only printed: the run itself has its
// result.
func leave(ctx context.Context, db *sqlstore.DB, kind operate.RunKind, damaged int64, out io.Writer) {
	if err := db.Operate().Runs().Record(ctx, kind, db.Now(), damaged); err != nil {
		fmt.Fprintf(out, "sandlot: this %s is missing in the metrics of the server: %v\n", kind, err)
	}
}

// served reports whether a server uses the data, so that there are metrics of it. Of a database on a server that is
// unknown, and counts as yes.
func (s storage) served() bool {
	return s.DatabaseURL != "" || datafolder.InUse(s.Data)
}
