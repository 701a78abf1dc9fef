package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sandlot"
)

// said returns the database's own error in err, or nil.
func said(err error) *pgconn.PgError {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// classify adds to an error of the database its meaning for the domain. Other errors are faults of this program, and
// come back unchanged. cut is set if the connection is gone.
func classify(err error, cut bool) error {
	if err == nil {
		return nil
	}
	kind := error(nil)
	if e := said(err); e != nil {
		kind = kindOf(e.Code)
	} else {
		kind = kindOfOther(err, cut)
	}
	if kind == nil || errors.Is(err, kind) {
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// kindOfOther returns the kind of an error that is not the database's own.
func kindOfOther(err error, cut bool) error {
	var connect *pgconn.ConnectError
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return sandlot.ErrNotFound
	case errors.Is(err, context.Canceled):
		return nil // the caller left
	case cut, errors.As(err, &connect), pgconn.Timeout(err), errors.Is(err, context.DeadlineExceeded):
		return sandlot.ErrUnavailable
	}
	return nil
}

// kindOf returns the error that an SQLSTATE stands for.
// https://www.postgresql.org/docs/current/errcodes-appendix.html lists them.
func kindOf(code string) error {
	switch code {
	case "23505": // unique_violation
		return sandlot.ErrExists
	case "23503", // foreign_key_violation: a new record refers to a missing one
		"22021": // character_not_in_repertoire: no record has a text with such bytes, or a zero
		return sandlot.ErrNotFound
	case "53100": // disk_full
		return sandlot.ErrFull
	case "XX001", "XX002": // data_corrupted, index_corrupted
		return sandlot.ErrCorrupt
	case "25006", // read_only_sql_transaction: it is a standby by now
		"25P03", // idle_in_transaction_session_timeout
		"3D000", // invalid_catalog_name: there is no such database any more
		"42501", // insufficient_privilege
		"55P03", // lock_not_available
		"57014": // query_canceled, by its timeout
		return sandlot.ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "08", // connection exceptions
		"28", // the password, or who may connect
		"40", // serialization failures and deadlocks
		"53", // insufficient resources
		"57", // operator intervention: it stops, or it starts
		"58": // system errors, such as I/O
		return sandlot.ErrUnavailable
	}
	return nil
}

// passing reports whether a transaction that failed before its COMMIT may succeed when it is made again. cut is set if
// the connection is gone.
func passing(err error, cut bool) bool {
	e := said(err)
	if e == nil {
		var unsent pgx.ErrPreprocessingBatch // its connection is closed as well
		wrong := errors.As(err, &unsent) && strings.Contains(err.Error(), "failed to encode")
		return cut && !wrong && !errors.Is(err, errPlace)
	}
	switch e.Code {
	case "40001", // serialization_failure
		"40P01", // deadlock_detected
		"55P03", // lock_not_available
		"53300", // too_many_connections
		"25006", // read_only_sql_transaction: the next connection may be to its successor
		"26000": // invalid_sql_statement_name: the pooler has another session for it
		return true
	case "0A000": // feature_not_supported; only that of a plan from before a migration passes
		return e.Routine == "RevalidateCachedQuery"
	case "3D000": // invalid_catalog_name: no attempt brings the database back
		return false
	}
	class := e.Code[:min(2, len(e.Code))]
	return class == "08" || class != "28" && over(e)
}

// over reports whether the session ended with this error.
func over(e *pgconn.PgError) bool {
	switch e.Code {
	case "57P01", "57P02", "57P03", "57P05": // it is shut down, has crashed, starts, or ended an idle session
		return true
	}
	return e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC"
}

// unclear reports whether a commit that was answered so may have been done.
func unclear(e *pgconn.PgError) bool {
	return over(e) || e.Code == "08007" || e.Code == "40003" // transaction_resolution_unknown, statement_completion_unknown
}

// in adds the failed action to err. It keeps nil.
func in(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
