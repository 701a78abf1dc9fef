package blob

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"sandlot"
)

// classify adds to an error of the file system its meaning for the caller. Errors that may or may not pass, such as
// EIO, stay as they are.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", sandlot.ErrFull, err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission),
		errors.Is(err, fs.ErrClosed),
		// A missing blob was handled before: here the folder is gone, as when its disk is not mounted.
		errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %w", sandlot.ErrUnavailable, err)
	}
	return err
}
