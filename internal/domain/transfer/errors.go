package transfer

import (
	"errors"
	"time"

	"sandlot"
	"sandlot/internal/format/inspect"
	"sandlot/internal/format/unpack"
)

// importWait is the time after which a client should repeat an import that had to wait for another: most are done by
// then.
const importWait = 5 * time.Second

// noExport refuses an archive as a whole.
func noExport(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidArchive, format, args...).In("archive").With(sandlot.OpExport).
		Note("Send the ZIP of an export as it was downloaded. Nothing was imported. An export is made with:")
}

func tooLarge(format string, limit int64) *sandlot.Error {
	return large(format, limit).Detail("limit", limit)
}

func large(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeContentTooLarge, format, args...).In("archive").With(sandlot.OpNothing).
		Note("Export one project at a time, with its own key, or without earlier versions. Nothing was imported.")
}

// badArchive makes a refusal of an error of package unpack.
func badArchive(err error) error {
	var bad *unpack.Error
	if !errors.As(err, &bad) {
		return err
	}
	switch bad.Reason {
	case unpack.TooMany, unpack.TooLarge, unpack.TotalLarge:
		return large("The archive is too large: %s.", bad.Message).Because(bad)
	}
	if bad.Entry == "" {
		return noExport("The archive cannot be taken: %s.", bad.Message).Because(bad)
	}
	return noExport("The entry %s of the archive cannot be taken: %s.", inspect.Quoted(bad.Entry), bad.Message).Because(bad)
}

// wrong refuses one project of an export.
func wrong(format string, args ...any) *sandlot.Error {
	return sandlot.Refuse(sandlot.CodeInvalidArchive, format, args...).In("archive").With(sandlot.OpNothing).
		Note("Export the project again, and send the archive as it was downloaded. Of this project nothing was imported.")
}
